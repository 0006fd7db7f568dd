// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_text.c - writes the page as text, what matters most first
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "page/page.h"
#include "page/page_process.h"
#include "page/page_text.h"
#include "page/words.h"
#include "views/report_text.h"

#define MOST_FINDINGS	9u
#define MOST_LINE	600u	/* bytes of a line */
#define CALLER_CELLS	140u	/* of the callers of a path */

/* --------------------------------------------------------------------- head */

static void put_event(FILE *out, const struct page_event *e, const char *heading)
{
	char *line = summary_line(&e->summary);

	fprintf(out, "%s%s\n", heading, line ? line : "");
	free(line);
}

/* Events that have no line of their own */
static void put_others(FILE *out, const struct page *page)
{
	const char *before = "also     ";
	char buf[TEXT_NUMBER];

	for (size_t i = 0; i < page->nr_events; i++) {
		const struct page_event *e = &page->events[i];

		if (e == page->main || e == page->waits)
			continue;
		fprintf(out, "%s%s (%s %s)", before, e->e->name, text_count(buf, e->summary.counted.samples),
			e->summary.what ? e->summary.what : "samples");
		before = ", ";
	}
	if (*before == ',')
		putc('\n', out);
}

static void put_head(FILE *out, const struct page *page)
{
	char buf[TEXT_NUMBER];

	fprintf(out, "trust    %s\n", page->trust);
	report_put_host(out, page->p);
	put_event(out, page->main, page->main == page->timer ? "sampled  " : "recorded ");
	if (page->waits && page->waits != page->main)
		put_event(out, page->waits, "waits    ");
	put_others(out, page);
	if (filter_is_on(page->o.filter))
		fprintf(out, "filter   %s of these %s pass, and the rest of the page is about them\n",
			text_count(buf, page->main->passing.samples),
			page->main->summary.what ? page->main->summary.what : page->main == page->waits ? "waits" : "samples");
}

/* ------------------------------------------------------------------- states */

struct column {
	const char *word;
	uint64_t ns;
};

static void put_shares(FILE *out, const struct column *columns, size_t nr, uint64_t whole)
{
	const char *before = "";
	char buf[TEXT_NUMBER];

	for (size_t i = 0; i < nr; i++) {
		if (!columns[i].ns)
			continue;
		fprintf(out, "%s%s %s", before, columns[i].word, text_percent(buf, columns[i].ns, whole, 1));
		before = ", ";
	}
}

static void put_cpu_states(FILE *out, const struct page *page)
{
	const struct times *t = &page->times.all;
	const bool has_kernel = !(page->p->session.flags & KFLAME_CF_NO_KSTACK);
	const struct column columns[] = {
		{ "on", t->ns[TIME_USER] + t->ns[TIME_KERNEL] }, { "interrupt", t->ns[TIME_INTERRUPT] },
		{ "guest", t->ns[TIME_GUEST] }, { "idle", t->ns[TIME_IDLE] }, { "gap", t->ns[TIME_GAP] },
		{ "other", t->ns[TIME_OTHER] },
	};
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	fprintf(out, "CPUs     %s: ", text_seconds(a, times_on_cpus(t)));
	put_shares(out, columns, sizeof(columns) / sizeof(columns[0]), times_on_cpus(t));
	if (has_kernel)
		fprintf(out, "; user %s, kernel %s", text_percent(a, t->ns[TIME_USER], times_on_cpus(t), 1),
			text_percent(b, t->ns[TIME_KERNEL], times_on_cpus(t), 1));
	if (t->late_ns)
		fprintf(out, "; late %s", text_percent(a, t->late_ns, times_on_cpus(t), 1));
	putc('\n', out);
}

static void put_wait_states(FILE *out, const struct page *page)
{
	const struct times *t = &page->times.all;
	const uint64_t whole = times_for_cpu(t) + times_blocked(t);
	const struct column columns[] = {
		{ "sleep", t->ns[TIME_INTERRUPTIBLE] }, { "I/O wait", t->ns[TIME_IOWAIT] },
		{ "D state", t->ns[TIME_UNINTERRUPTIBLE] }, { "stopped", t->ns[TIME_STOPPED] },
	};
	char buf[TEXT_NUMBER];

	fprintf(out, "threads  waited %s: ", text_seconds(buf, whole));
	fprintf(out, "runnable %s", text_percent(buf, times_for_cpu(t), whole, 1));
	fprintf(out, ", blocked %s", text_percent(buf, times_blocked(t), whole, 1));
	if (times_blocked(t)) {
		fputs(" (", out);
		put_shares(out, columns, sizeof(columns) / sizeof(columns[0]), whole);
		putc(')', out);
	}
	if (t->still_ns)
		fprintf(out, "; %s had not ended", text_percent(buf, t->still_ns, whole, 1));
	putc('\n', out);
}

static void put_states(FILE *out, const struct page *page)
{
	if (page->timer && times_on_cpus(&page->times.all))
		put_cpu_states(out, page);
	if (page->waits && times_for_cpu(&page->times.all) + times_blocked(&page->times.all))
		put_wait_states(out, page);
}

/* ----------------------------------------------------------------- findings */

/* A word of a command, in quotes if a shell would see more in it than letters */
static void put_word(FILE *out, const char *word)
{
	static const char *const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=,:./+@";

	if (strspn(word, safe) == strlen(word))
		fprintf(out, " %s", word);
	else
		fprintf(out, " '%s'", word);
}

static void put_finding(FILE *out, const struct finding *f)
{
	fprintf(out, "* %s\n    kflame", f->text);
	for (size_t i = 0; finding_word(f, i); i++)
		put_word(out, finding_word(f, i));
	putc('\n', out);
}

static void put_findings(FILE *out, const struct page *page)
{
	const struct findings *f = &page->findings;
	char buf[TEXT_NUMBER];

	fputs("\nUnusual:", out);
	if (!f->nr)
		fputs(" nothing that kflame looks for\n", out);
	else
		fputs(" (add -i PROFILE to commands, if it is not kflame.data)\n", out);
	for (size_t i = 0; i < f->nr && i < MOST_FINDINGS; i++)
		put_finding(out, &f->all[i]);
	if (f->nr > MOST_FINDINGS)
		fprintf(out, "... and %s more (--json has all)\n", text_count(buf, f->nr - MOST_FINDINGS));
}

/* -------------------------------------------------------------------- paths */

static void put_millionths(FILE *out, uint64_t n)
{
	fprintf(out, "%u.%u", (unsigned int)((n + 500) / 10000), (unsigned int)((n + 500) / 1000 % 10));
}

static void put_path(FILE *out, const struct heavy_paths *h, const struct heavy_path *path)
{
	const char *note = NULL;
	const uint32_t site = h->unit == TREE_NS ? words_site(h->t, path->node, &note) : path->node;
	const struct tree_node *n = &h->t->nodes[site];
	const struct frame *f = &h->t->frames[n->frame];
	const uint64_t error = heavy_path_error(h, path);
	char buf[TEXT_NUMBER], id[PATH_ID], name[WORD_BYTES];

	fprintf(out, "%7s ", text_percent(buf, tree_weight(&path->weight, h->unit), heavy_paths_whole(h), 1));
	if (error) {
		fputs("+-", out);
		put_millionths(out, error);
	} else if (h->unit == TREE_NS) {
		fprintf(out, "%12s", text_ms(buf, path->weight.ns));
	} else {
		fprintf(out, "%12s", text_count(buf, path->weight.samples));
	}
	fprintf(out, "  %s  %s", path_id_text(id, h->event, path->hash), word_cut(name, words_thread(h->t, path->node)));
	if (f->kind == FRAME_COMM || n->depth == 1) {
		putc('\n', out);
		return;
	}
	fprintf(out, ": %s%s", word_cut(name, f->name), path->itself ? " (itself)" : "");
	if (note)
		fprintf(out, " %s", word_cut(name, note));
	if (f->file)
		fprintf(out, " [%s]", word_cut(name, f->file));
	fputs("\n        ", out);
	words_put_callers(out, h->t, site, CALLER_CELLS);
	putc('\n', out);
}

void page_put_paths(FILE *out, const char *heading, const struct heavy_paths *h)
{
	if (!h->t || !h->nr)
		return;
	fprintf(out, "\n%s\n", heading);
	for (size_t i = 0; i < h->nr; i++)
		put_path(out, h, &h->all[i]);
}

static void put_all_paths(FILE *out, const struct page *page)
{
	if (page->timer)
		page_put_paths(out, "Heaviest paths on CPUs, without idle time; more: kflame report --at ID", &page->timer->paths);
	page_put_paths(out, "Longest waits, without sleep", &page->blocked);
	for (size_t i = 0; i < page->nr_events; i++) {
		const struct page_event *e = &page->events[i];
		char heading[KFLAME_EVENT_NAME + 64];

		if (e == page->timer || e == page->waits)
			continue;
		snprintf(heading, sizeof(heading), "Heaviest paths of %s; more: kflame report --event NAME --at ID",
			 e->e->name);
		page_put_paths(out, heading, &e->paths);
	}
}

/* ------------------------------------------------------------------- tables */

static void put_functions(FILE *out, const struct page *page)
{
	const uint64_t whole = heavy_paths_whole(&page->main->paths);
	const enum tree_unit unit = page->main->paths.unit;
	char buf[TEXT_NUMBER], name[WORD_BYTES];

	for (size_t i = 0; i < page->functions.nr && i < PAGE_ROWS; i++) {
		const struct function *row = &page->functions.rows[i];

		if (!tree_weight(&row->self, unit))
			break;
		fprintf(out, "%s%s %s", i ? ", " : "\nFunctions (self): ", word_cut(name, row->frame->name),
			text_percent(buf, tree_weight(&row->self, unit), whole, 1));
	}
	if (page->functions.nr)
		putc('\n', out);
}

static void put_process(FILE *out, const struct page *page, const struct process_times *row)
{
	char buf[TEXT_NUMBER], name[WORD_BYTES];

	fprintf(out, "%12s", text_ms(buf, times_ran(&row->times)));
	fprintf(out, " %7s", text_percent(buf, times_ran(&row->times), page_duration(page), 1));
	fprintf(out, " %12s", text_ms(buf, row->times.ns[TIME_USER]));
	fprintf(out, " %12s", text_ms(buf, row->times.ns[TIME_KERNEL]));
	if (page->waits) {
		fprintf(out, " %12s", text_ms(buf, times_for_cpu(&row->times)));
		fprintf(out, " %14s", text_ms(buf, times_blocked(&row->times)));
	}
	fprintf(out, "  %u %s\n", row->tgid, word_cut(name, row->comm[0] ? row->comm : "[no name]"));
}

static void put_processes(FILE *out, const struct page *page)
{
	const struct time_tables *t = &page->times;
	const size_t all = time_tables_processes(t);
	char buf[TEXT_NUMBER];
	size_t shown = 0;

	if (!all)
		return;
	fprintf(out, "\nProcesses: %s; one in full: kflame summary --pid PID\n", text_count(buf, all));
	fprintf(out, "%12s %7s %12s %12s", "ran", "of 1 CPU", "user", "kernel");
	if (page->waits)
		fprintf(out, " %12s %14s", "runnable", "blocked");
	fputs("  pid name\n", out);
	for (size_t i = 0; i < t->nr_processes && shown < PAGE_ROWS; i++) {
		if (!t->processes[i].tgid)
			continue;
		put_process(out, page, &t->processes[i]);
		shown++;
	}
}

/* ------------------------------------------------------------------ changes */

static void put_change(FILE *out, const struct page_changes *c, const struct page_change *row)
{
	char a[TEXT_NUMBER], b[TEXT_NUMBER], name[WORD_BYTES];

	fprintf(out, "%7s -> %6s", text_percent(a, row->before.samples, c->before.samples, 1),
		text_percent(b, row->now.samples, c->now.samples, 1));
	fprintf(out, "  %12s -> %12s  %s\n", text_ms(a, row->before.ns), text_ms(b, row->now.ns),
		word_cut(name, row->frame.name));
}

static void put_changes(FILE *out, const struct page *page)
{
	const struct page_changes *c = &page->changes;
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	if (!page->o.before)
		return;
	fputs("\nChanged since ", out);
	text_put(out, page->o.before);
	fprintf(out, " (%s)\n", c->line);
	fprintf(out, "length %s -> %s", text_seconds(a, c->duration_before_ns), text_seconds(b, page_duration(page)));
	fprintf(out, ", time that is not idle %s -> %s\n", text_seconds(a, c->before.ns), text_seconds(b, c->now.ns));
	if (!c->nr)
		fputs("No function changed by more than chance\n", out);
	for (size_t i = 0; i < c->nr; i++)
		put_change(out, c, &c->all[i]);
	if (c->nr_all > c->nr)
		fprintf(out, "... and %s more; all, and paths: kflame diff\n", text_count(a, c->nr_all - c->nr));
}

/* --------------------------------------------------------------------- page */

static void put_page(FILE *out, const struct page *page)
{
	put_head(out, page);
	if (page->o.has_pid) {
		page_put_process(out, page);
		return;
	}
	put_states(out, page);
	put_changes(out, page);
	put_findings(out, page);
	put_all_paths(out, page);
	put_functions(out, page);
	put_processes(out, page);
	page_put_paths(out, "Longest sleep of processes", &page->sleeps);
}

/* Return: length of a line without its newline, at most MOST_LINE bytes; a character stays whole */
static size_t line_length(const char *line)
{
	size_t len = strcspn(line, "\n");

	if (len <= MOST_LINE)
		return len;
	for (len = MOST_LINE; len && ((unsigned char)line[len] & 0xc0) == 0x80; len--)
		;
	return len;
}

/* Cuts long lines in place, such as a line with the recorded command */
static void cut_lines(char *text)
{
	char *to = text;

	for (const char *at = text; *at;) {
		const size_t all = strcspn(at, "\n"), len = line_length(at);

		memmove(to, at, len);
		to += len;
		at += all;
		if (*at)
			*to++ = *at++;
	}
	*to = 0;
}

/* Writes the whole lines of @text that fit */
static void put_cut(FILE *out, const char *text, size_t most)
{
	char last[96];
	size_t len = strlen(text), lines = 0, room;

	if (len <= most) {
		fputs(text, out);
		return;
	}
	room = most > sizeof(last) ? most - sizeof(last) : 0;
	while (room && text[room - 1] != '\n')
		room--;
	for (const char *at = text + room; *at; at++)
		lines += *at == '\n';
	fwrite(text, 1, room, out);
	fprintf(out, "... and %zu lines that do not fit into %zu bytes (--max-bytes)\n", lines, most);
}

int page_text(FILE *out, const struct page *page, size_t most)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return -ENOMEM;
	put_page(f, page);
	if (fclose(f)) {
		free(text);
		return -ENOMEM;
	}
	cut_lines(text);
	put_cut(out, text, most);
	free(text);
	return 0;
}
