// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report.h"
#include "text.h"

#define MOST_FILE_CELLS	24u

/* ------------------------------------------------------------------- header */

static void print_date(FILE *out, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	char date[64];
	struct tm tm;

	if (realtime_ns && gmtime_r(&seconds, &tm) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &tm))
		fprintf(out, ", %s", date);
}

static void print_host(FILE *out, const struct profile *p)
{
	const char *host = profile_host(p, "host");
	const char *command = profile_host(p, "command");

	fputs("host     ", out);
	text_put(out, host ? host : "(not told)");
	if (p->has_session) {
		fputs(", Linux ", out);
		text_put(out, (const char *)p->session.release);
		putc(' ', out);
		text_put(out, (const char *)p->session.machine);
		print_date(out, p->session.start_realtime_ns);
	}
	putc('\n', out);
	if (command) {
		fputs("command  ", out);
		text_put(out, command);
		putc('\n', out);
	}
}

static void print_lost(FILE *out, const struct summary *s)
{
	const char *comma = "";
	char buf[TEXT_NUMBER];

	if (!summary_lost(s))
		return;
	fprintf(out, "lost     %s: ", text_count(buf, summary_lost(s)));
	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++) {
		if (i == KFLAME_LOST_FILTER || i == KFLAME_LOST_IDLE || !s->lost[i])
			continue;
		fprintf(out, "%s%s %s", comma, summary_lost_name(i), text_count(buf, s->lost[i]));
		comma = ", ";
	}
	putc('\n', out);
}

static void print_left_out(FILE *out, const struct summary *s)
{
	char buf[TEXT_NUMBER];

	if (s->lost[KFLAME_LOST_FILTER])
		fprintf(out, "filtered %s samples that were not asked for\n",
			text_count(buf, s->lost[KFLAME_LOST_FILTER]));
	if (s->lost[KFLAME_LOST_IDLE])
		fprintf(out, "filtered %s samples of idle CPUs\n",
			text_count(buf, s->lost[KFLAME_LOST_IDLE]));
}

void report_header(FILE *out, const struct profile *p, const struct summary *s,
		   bool without_idle)
{
	char *line = summary_line(s);
	char buf[TEXT_NUMBER];

	print_host(out, p);
	fprintf(out, "sampled  %s\n", line ? line : "");
	free(line);
	fprintf(out, "time     %s, on all CPUs together\n", text_seconds(buf, s->counted.ns));
	print_lost(out, s);
	print_left_out(out, s);
	fprintf(out, "idle     %s of the samples",
		text_percent(buf, s->idle.samples, s->counted.samples, 1));
	fprintf(out, ", %s of the time%s\n", text_percent(buf, s->idle.ns, s->counted.ns, 1),
		without_idle ? "; not in the tables (--idle counts it in)" : "");
	fprintf(out, "late     %s of the time (interrupts off, or the CPU stolen)",
		text_percent(buf, s->late_ns, s->counted.ns, 1));
	fprintf(out, ", gaps %s\n", text_percent(buf, s->gap_ns, s->counted.ns, 1));
}

/* ------------------------------------------------------------------- tables */

static const char *kind_name(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_COMM:
		return "thread";
	case FRAME_USER:
		return "user";
	case FRAME_INLINED:
		return "inlined";
	case FRAME_KERNEL:
		return "kernel";
	case FRAME_SOFTIRQ:
		return "softirq";
	case FRAME_ROOT:
		return "group";
	case FRAME_NOTE:
		break;
	}
	return "note";
}

static const char *kind_color(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_USER:
	case FRAME_INLINED:
		return "\033[33m";
	case FRAME_KERNEL:
		return "\033[1;34m";
	case FRAME_SOFTIRQ:
		return "\033[1;35m";
	default:
		return "\033[2m";
	}
}

static void print_name(FILE *out, const struct frame *f, bool color)
{
	if (color)
		fputs(kind_color(f->kind), out);
	text_put(out, f->name);
	if (color)
		fputs("\033[0m", out);
	putc('\n', out);
}

static void print_amount(FILE *out, const struct weight *w, enum tree_unit unit)
{
	char buf[TEXT_NUMBER];

	if (unit == TREE_NS)
		fprintf(out, "  %15s", text_ms(buf, w->ns));
	else
		fprintf(out, "  %11s", text_count(buf, w->samples));
}

/* A file name in a column; a long one keeps its end, which tells more */
static void print_file(FILE *out, const char *file, size_t cells)
{
	size_t width = text_width(file);

	if (width > cells) {
		fputs("..", out);
		while (width > cells - 2)
			width -= text_cells(text_next(&file));
		width += 2;
	}
	text_put(out, file);
	fprintf(out, "%*s  ", (int)(cells - width), "");
}

static const char *file_of(const struct function *f)
{
	return f->frame->file ? f->frame->file : "-";
}

static size_t file_cells(const struct functions *f, size_t rows)
{
	size_t most = strlen("File");

	for (size_t i = 0; i < rows; i++) {
		size_t cells = text_width(file_of(&f->rows[i]));

		if (cells > most)
			most = cells;
	}
	return most < MOST_FILE_CELLS ? most : MOST_FILE_CELLS;
}

static size_t limit(const struct functions *f, const struct report_options *o)
{
	return o->rows && o->rows < f->nr ? o->rows : f->nr;
}

static void print_rest(FILE *out, const struct functions *f, size_t rows)
{
	char buf[TEXT_NUMBER];

	if (rows < f->nr)
		fprintf(out, "... and %s more (-n 0 shows all)\n", text_count(buf, f->nr - rows));
}

static void print_functions(FILE *out, const struct functions *f, uint64_t whole,
			    const struct report_options *o)
{
	size_t rows = limit(f, o);
	size_t cells = file_cells(f, rows);
	bool ns = o->unit == TREE_NS;
	char buf[TEXT_NUMBER];

	fprintf(out, "%7s %7s  %*s  %-7s  ", "Self", "Total", ns ? 15 : 11,
		ns ? "Self time" : "Self count", "Kind");
	print_file(out, "File", cells);
	fputs("Function\n", out);
	for (size_t i = 0; i < rows; i++) {
		const struct function *r = &f->rows[i];

		fprintf(out, "%7s", text_percent(buf, tree_weight(&r->self, o->unit), whole, 2));
		fprintf(out, " %7s", text_percent(buf, tree_weight(&r->total, o->unit), whole, 2));
		print_amount(out, &r->self, o->unit);
		fprintf(out, "  %-7s  ", kind_name(r->frame->kind));
		print_file(out, file_of(r), cells);
		print_name(out, r->frame, o->color);
	}
	print_rest(out, f, rows);
}

static void print_threads(FILE *out, const struct functions *f, uint64_t whole,
			  const struct report_options *o)
{
	bool ns = o->unit == TREE_NS;
	size_t rows = limit(f, o);
	char buf[TEXT_NUMBER];

	fprintf(out, "\n%7s  %*s  %s\n", "Total", ns ? 15 : 11, ns ? "Time" : "Count",
		o->outermost ? : "Thread");
	for (size_t i = 0; i < rows; i++) {
		const struct weight *w = &f->rows[i].total;

		fprintf(out, "%7s", text_percent(buf, tree_weight(w, o->unit), whole, 2));
		print_amount(out, w, o->unit);
		fputs("  ", out);
		text_put(out, f->rows[i].frame->name);
		putc('\n', out);
	}
	print_rest(out, f, rows);
}

int report_tables(FILE *out, const struct tree *t, const struct report_options *o)
{
	uint64_t whole = tree_weight(&t->nodes[TREE_ROOT].total, o->unit);
	struct functions functions = { 0 }, threads = { 0 };
	int err;

	err = functions_collect(&functions, t, o->unit, o->sort);
	if (!err)
		err = functions_threads(&threads, t, o->unit);
	if (!err) {
		print_functions(out, &functions, whole, o);
		print_threads(out, &threads, whole, o);
	}
	free(functions.rows);
	free(threads.rows);
	return err;
}
