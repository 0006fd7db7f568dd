// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_rows.c - writes a table of a report as text
 */
#include <inttypes.h>

#include "base/text.h"
#include "views/columns.h"
#include "views/report_text.h"

const char *report_heading(enum report_table which)
{
	static const char *const words[NR_REPORT_TABLES] = {
		[REPORT_FUNCTION] = "Function", [REPORT_FILE] = "File", [REPORT_COMM] = "Thread",
		[REPORT_PID] = "Process", [REPORT_TID] = "Thread", [REPORT_CGROUP] = "Cgroup",
		[REPORT_CONTAINER] = "Container", [REPORT_HOST] = "Host",
		[REPORT_RUN] = "Recording", [REPORT_CPU] = "CPU",
		[REPORT_STATE] = "State", [REPORT_WAKER] = "Who waited <- who ended it",
		[REPORT_LABEL] = "What it is about",
	};

	return words[which];
}

/* Only functions and files have a self share: stacks can contain them, and can end in them */
static bool has_self(enum report_table which)
{
	return which == REPORT_FUNCTION || which == REPORT_FILE;
}

#define WAITS_WIDTH	11

/* Is there a column with the number of waits beside their time? */
static bool has_waits(enum report_table which, const struct report_options *o)
{
	return which == REPORT_WAKER && o->unit == TREE_NS;
}

static void put_heading(FILE *out, enum report_table which, size_t file_cells,
			const struct report_options *o)
{
	bool ns = o->unit == TREE_NS;
	int width = columns_amount_width(o->unit);

	if (!has_self(which)) {
		fprintf(out, "%7s  ", "Total");
		if (has_waits(which, o))
			fprintf(out, "%*s  ", WAITS_WIDTH, "Waits");
		fprintf(out, "%*s  %s\n", width, ns ? "Time" : "Count", report_heading(which));
		return;
	}
	fprintf(out, "%7s %7s  %*s  %-7s  ", "Self", "Total", width,
		ns ? "Self time" : "Self count", "Kind");
	if (which == REPORT_FUNCTION)
		columns_put_file(out, "File", file_cells);
	fprintf(out, "%s\n", report_heading(which));
}

static void put_row(FILE *out, enum report_table which, const struct function *r,
		    uint64_t whole, size_t file_cells, const struct report_options *o)
{
	char buf[TEXT_NUMBER];

	if (has_self(which))
		fprintf(out, "%7s ", text_percent(buf, tree_weight(&r->self, o->unit), whole, 2));
	fprintf(out, "%7s", text_percent(buf, tree_weight(&r->total, o->unit), whole, 2));
	if (has_waits(which, o))
		fprintf(out, "  %*s", WAITS_WIDTH, text_count(buf, r->total.samples));
	columns_put_amount(out, has_self(which) ? &r->self : &r->total, o->unit);
	fputs("  ", out);
	if (has_self(which))
		fprintf(out, "%-7s  ", columns_kind(r->frame->kind));
	if (which == REPORT_FUNCTION)
		columns_put_file(out, columns_file(r->frame), file_cells);
	columns_put_name(out, r->frame, o->color && has_self(which));
	if (r->mostly) {
		fputs("  ", out);
		columns_put_name(out, r->mostly, false);
	}
	putc('\n', out);
}

static void put_cpus(FILE *out, const struct profile *p)
{
	char buf[TEXT_NUMBER];

	fprintf(out, "%6s  %13s  %13s  %11s  %11s  %15s\n", "CPU", "Samples", "Counted",
		"Not counted", "Missed", "Time sampled");
	for (size_t i = 0; i < p->nr_cpus; i++) {
		const struct kflame_cpu *c = &p->cpus[i];

		fprintf(out, "%6" PRIu32 "  %13s", c->cpu, text_count(buf, c->samples));
		fprintf(out, "  %13s", text_count(buf, c->counted));
		fprintf(out, "  %11s", text_count(buf, c->samples - c->counted));
		fprintf(out, "  %11s", text_count(buf, c->missed));
		fprintf(out, "  %15s\n", text_ms(buf, c->active_ns));
	}
	fputs("Idle is included: this is the accounting of each CPU.\n", out);
}

void report_put_rows(FILE *out, const struct profile *p, const struct report_rows *rows,
		     const struct report_options *o)
{
	size_t cells = columns_file_width(rows->rows, rows->nr);

	if (rows->missing) {
		fprintf(out, "No table by %s: %s.\n", report_table_key(rows->which), rows->missing);
		return;
	}
	if (rows->which == REPORT_CPU) {
		put_cpus(out, p);
		return;
	}
	put_heading(out, rows->which, cells, o);
	for (size_t i = 0; i < rows->nr; i++)
		put_row(out, rows->which, &rows->rows[i], rows->whole, cells, o);
	columns_put_rest(out, rows->hidden, o->limit ? "-n 0 --percent-limit 0" : "-n 0");
}
