// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * find_kernel_work.c - what the kernel does unusually much of: page faults, swap, system calls, spins, ...
 */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "page/kernel_work.h"
#include "page/page.h"
#include "page/words.h"

#define LITTLE	20000u	/* millionths of one CPU's time: less is not unusual, however idle the machine is */
#define MUCH_SPIN	30000u	/* millionths of the time that CPUs were not idle */
#define MUCH_OF_CALL	200000u	/* the same */

/* What to say of each kind of work */
static const struct {
	enum finding_kind kind;
	uint64_t much;		/* millionths of the time that CPUs were not idle */
	uint64_t much_waits;	/* the same of waits, of the length of the recording; 0: waits do not matter */
	const char *words;
} works[NR_KERNEL_WORK] = {
	[WORK_PAGE_FAULTS] = { FINDING_PAGE_FAULTS, 100000, 0, "page faults" },
	[WORK_SWAP] = { FINDING_SWAP, 20000, 50000, "swapping (memory is short)" },
	[WORK_RECLAIM] = { FINDING_RECLAIM, 50000, 50000, "the search for free memory (reclaim)" },
	[WORK_COMPACTION] = { FINDING_COMPACTION, 50000, 50000, "compaction of memory" },
	[WORK_PROCESSES] = { FINDING_FORK, 150000, 0, "making and ending processes" },
	[WORK_OTHER_CPUS] = { FINDING_OTHER_CPUS, 50000, 0, "waiting for other CPUs to answer (TLB flushes, IPIs)" },
	[WORK_CONSOLE] = { FINDING_CONSOLE, 30000, 50000, "writing messages to the console" },
};

/* Return: work that is not idle, of the timer */
static uint64_t busy_whole(const struct page *page)
{
	return heavy_paths_whole(&page->timer->paths);
}

static bool is_little(const struct page *page, const struct finding *f)
{
	return scale(f->ns, MILLION, page_duration(page)) < LITTLE;
}

static int add_work(struct page *page, enum kernel_work kind, const struct work_sum *sum)
{
	const struct tree *t = page->timer->t;
	const enum tree_unit unit = page->timer->paths.unit;
	const uint64_t part = tree_weight(&sum->weight, unit), whole = busy_whole(page);
	struct finding f = { .kind = works[kind].kind, .ns = sum->weight.ns, .share = scale(part, MILLION, whole),
			     .weight = scale(sum->weight.ns, MILLION, page_capacity(page)),
			     .command = { "report", "--tree", kernel_work_focus(kind) } };
	char a[TEXT_NUMBER], thread[WORD_BYTES], *where;
	int err;

	if (!sum->node || f.share < works[kind].much || is_little(page, &f))
		return 0;
	err = finding_set_path(&f, page->timer, t, sum->node);
	where = words_inner(t, sum->node, 3);
	if (!err && where)
		err = findings_add(&page->findings, &f, "%s: %s of the CPU time that is not idle, most by %s in %s",
				   works[kind].words, text_percent(a, part, whole, 1),
				   word_cut(thread, words_thread(t, sum->node)), where);
	free(where);
	return where ? err : -ENOMEM;
}

static int add_work_waits(struct page *page, enum kernel_work kind, const struct work_sum *sum)
{
	const struct tree *t = page->blocked_tree;
	const bool is_sampled = page->waits->e->kind == KFLAME_EVENT_SLEEPERS;
	struct finding f = { .kind = works[kind].kind, .ns = sum->weight.ns, .count = sum->weight.samples,
			     .share = FINDING_NO_SHARE, .weight = scale(sum->weight.ns, MILLION, page_duration(page)),
			     .command = { "report", is_sampled ? "--event=off-cpu-sampled" : "--event=off-cpu", "--tree",
					  kernel_work_focus(kind) } };
	char a[TEXT_NUMBER], b[TEXT_NUMBER], thread[WORD_BYTES], *where;
	int err;

	if (!sum->node || !works[kind].much_waits || f.weight < works[kind].much_waits)
		return 0;
	err = finding_set_path(&f, page->waits, t, sum->node);
	where = words_inner(t, sum->node, 3);
	if (!err && where)
		err = findings_add(&page->findings, &f, "%s: threads waited %s for it (%s wait%s), most of it %s in %s",
				   works[kind].words, text_ms(a, f.ns), text_count(b, f.count), text_plural(f.count),
				   word_cut(thread, words_thread(t, sum->node)), where);
	free(where);
	return where ? err : -ENOMEM;
}

static int find_work(struct page *page)
{
	struct work_sum sums[NR_KERNEL_WORK];
	int err = 0;

	if (page->timer)
		err = kernel_work_sum(sums, page->timer->t, page->timer->paths.unit);
	for (unsigned int kind = 0; !err && page->timer && kind < NR_KERNEL_WORK; kind++)
		err = add_work(page, kind, &sums[kind]);
	if (!err && page->waits)
		err = kernel_work_sum(sums, page->blocked_tree, TREE_NS);
	for (unsigned int kind = 0; !err && page->waits && kind < NR_KERNEL_WORK; kind++)
		err = add_work_waits(page, kind, &sums[kind]);
	return err;
}

static int find_system_call(struct page *page)
{
	const struct page_event *e = page->timer;
	struct weight weight;
	uint32_t node;
	const char *call = system_calls_find(e->t, e->paths.unit, &node, &weight);
	const uint64_t part = tree_weight(&weight, e->paths.unit), whole = busy_whole(page);
	struct finding f = { .kind = FINDING_SYSTEM_CALL, .ns = weight.ns, .share = scale(part, MILLION, whole),
			     .weight = scale(weight.ns, MILLION, page_capacity(page)), .command = { "report", "--at", "@" } };
	char a[TEXT_NUMBER], name[WORD_BYTES], thread[WORD_BYTES];
	int err;

	if (!call || f.share < MUCH_OF_CALL || is_little(page, &f))
		return 0;
	err = finding_set_path(&f, e, e->t, node);
	if (err)
		return err;
	return findings_add(&page->findings, &f, "the system call %s takes %s of the CPU time that is not idle, most of it in %s",
			    word_cut(name, call), text_percent(a, part, whole, 1),
			    word_cut(thread, words_thread(e->t, node)));
}

static int find_spins(struct page *page)
{
	const struct wait_table *t = &page->spins;
	const uint64_t whole = heavy_paths_whole(&page->timer->paths);
	struct finding f = { .kind = FINDING_SPIN, .ns = t->ns, .count = t->waits,
			     .share = scale(t->waits, MILLION, whole),
			     .weight = scale(t->ns, MILLION, page_capacity(page)),
			     .command = { "report", "--locks", "--event=cpu-clock" } };
	char a[TEXT_NUMBER], site[WORD_BYTES], spinner[WORD_BYTES];

	if (!t->nr || f.share < MUCH_SPIN || is_little(page, &f))
		return 0;
	return findings_add(&page->findings, &f, "CPUs spin for locks in %s of the time that is not idle: most for a %s taken in %s, by %s",
			    text_percent(a, t->waits, whole, 1), t->rows[0].lock, word_cut(site, t->rows[0].frame.name),
			    word_cut(spinner, t->rows[0].comm));
}

int find_kernel_work(struct page *page)
{
	int err = find_work(page);

	if (!err && page->timer)
		err = find_spins(page);
	return err || !page->timer ? err : find_system_call(page);
}
