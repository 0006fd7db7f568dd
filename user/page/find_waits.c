// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * find_waits.c - waits for a CPU, for disks, in state D; stopped threads; very many waits
 */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "page/page.h"
#include "page/wait_trees.h"
#include "page/words.h"

#define MUCH_RUN_QUEUE	100000u	/* millionths of the CPUs' time */
#define MUCH		50000u	/* millionths of the length of the recording */
#define MUCH_STOPPED	500000u	/* the same */
#define MANY_SWITCHES	20000u	/* waits in a second */

static int find_run_queue(struct page *page)
{
	const struct wait_table *t = &page->runq;
	const struct wait_row *most = t->nr ? &t->rows[0] : NULL;
	struct finding f = { .kind = FINDING_RUN_QUEUE, .share = scale(t->ns, MILLION, page_capacity(page)), .ns = t->ns,
			     .count = t->waits, .weight = scale(t->ns, MILLION, page_capacity(page)),
			     .command = { "report", "--runq" } };
	char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], name[WORD_BYTES], row[WORD_BYTES];

	if (!most || f.share < MUCH_RUN_QUEUE)
		return 0;
	return findings_add(&page->findings, &f, "run queue: threads that could run waited %s for a CPU (%s wait%s), most: %s (%s) %s",
			    text_ms(a, t->ns), text_count(b, t->waits), text_plural(t->waits), word_cut(name, most->comm ? most->comm : "?"),
			    word_cut(row, most->frame.name), text_ms(c, most->ns));
}

static int find_state(struct page *page, enum wait_tree which, enum finding_kind kind, uint64_t much, const char *words)
{
	const struct tree *t = page->states[which];
	const struct weight *all = &t->nodes[TREE_ROOT].total;
	struct heavy_paths paths;
	struct finding f = { .kind = kind, .share = FINDING_NO_SHARE, .ns = all->ns, .count = all->samples,
			     .weight = scale(all->ns, MILLION, page_duration(page)),
			     .command = { "report", "--at", "@" } };
	char a[TEXT_NUMBER], b[TEXT_NUMBER], thread[WORD_BYTES], *where;
	const char *note;
	int err;

	if (f.weight < much)
		return 0;
	err = heavy_paths_find(&paths, t, TREE_NS, page->waits->e->kind, HEAVY_PATHS);
	if (err || !paths.nr)
		return err;
	err = finding_set_path(&f, page->waits, t, paths.all[0].node);
	where = words_inner(t, words_site(t, paths.all[0].node, &note), 3);
	if (!err && where)
		err = findings_add(&page->findings, &f, "%s: %s in %s wait%s, most of it %s in %s", words, text_ms(a, all->ns),
				   text_count(b, all->samples), text_plural(all->samples), word_cut(thread, words_thread(t, paths.all[0].node)), where);
	free(where);
	return where ? err : -ENOMEM;
}

static uint64_t nr_waits(const struct times *t)
{
	uint64_t nr = 0;

	for (unsigned int i = TIME_FIRST_WAIT; i <= TIME_STOPPED; i++)
		nr += t->samples[i];
	return nr;
}

static int find_switches(struct page *page)
{
	const uint64_t all = nr_waits(&page->times.all), rate = scale(all, 1000000000, page_duration(page));
	const struct process_times *most = NULL;
	struct finding f = { .kind = FINDING_SWITCHES, .share = FINDING_NO_SHARE, .count = all, .weight = MUCH,
			     .command = { "summary", "--pid", "#" } };
	char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], name[WORD_BYTES];

	if (page_is_part(page) || page->waits->e->kind != KFLAME_EVENT_OFFCPU || rate < MANY_SWITCHES)
		return 0;
	for (size_t i = 0; i < page->times.nr_processes; i++)
		if (!most || nr_waits(&page->times.processes[i].times) > nr_waits(&most->times))
			most = &page->times.processes[i];
	if (!most)
		return 0;
	snprintf(f.number, sizeof(f.number), "%u", most->tgid);
	return findings_add(&page->findings, &f, "very many waits: %s (%s in a second), %s of them of %s (pid %u)",
			    text_count(a, all), text_count(b, rate), text_percent(c, nr_waits(&most->times), all, 1),
			    word_cut(name, most->comm[0] ? most->comm : "[no name]"), most->tgid);
}

int find_waits(struct page *page)
{
	int err;

	if (!page->waits)
		return 0;
	err = find_run_queue(page);
	if (!err)
		err = find_state(page, WAIT_TREE_IO, FINDING_IO_WAIT, MUCH, "I/O wait");
	if (!err)
		err = find_state(page, WAIT_TREE_D, FINDING_D_STATE, MUCH, "D state (waits that no signal ends)");
	if (!err)
		err = find_state(page, WAIT_TREE_STOPPED, FINDING_STOPPED, MUCH_STOPPED, "stopped threads (SIGSTOP, a debugger, frozen)");
	return err ? err : find_switches(page);
}
