// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * find_cpus.c - CPUs that are taken away, or busy with one matter: late time, gaps, interrupts, guests, busy processes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "page/page.h"
#include "page/words.h"

/* Millionths of the CPUs' time from which on each is unusual */
#define MUCH_GAP	10000u
#define MUCH_LATE	30000u
#define MUCH_INTERRUPT	200000u	/* of one CPU */
#define MUCH_GUEST	100000u
#define BUSY		900000u	/* of one CPU */
#define BUSY_PROCESSES	3u
#define ONE_CPU		800000u	/* of all interrupts, on a CPU that takes them alone */

static int find_gap(struct page *page)
{
	const uint64_t ns = page->times.all.ns[TIME_GAP];
	const struct finding f = { .kind = FINDING_GAP, .ns = ns, .count = page->times.all.samples[TIME_GAP],
				   .share = scale(ns, MILLION, page_capacity(page)),
				   .weight = scale(ns, MILLION, page_capacity(page)),
				   .command = { "report", "--time", "--by=cpu,comm" } };
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	if (f.share < MUCH_GAP)
		return 0;
	return findings_add(&page->findings, &f, "CPUs were away for %s in gaps of over 100 ms (%s): a hypervisor took them, or interrupts were off",
			    text_ms(a, ns), text_percent(b, ns, page_capacity(page), 1));
}

/* Late time belongs to the code that ran when interrupts were on again: mostly the code that had turned them off */
static int find_late(struct page *page)
{
	const struct tree *t = page->timer->t;
	struct finding f = { .kind = FINDING_LATE, .command = { "report", "--time", "--at", "@" } };
	uint32_t best = 0;
	char a[TEXT_NUMBER], b[TEXT_NUMBER], thread[WORD_BYTES], *where;
	int err;

	for (uint32_t i = 1; i < t->nr_nodes; i++) {
		if (!frame_is_note(&t->frames[t->nodes[i].frame], STACK_LATE))
			continue;
		f.ns += t->nodes[i].total.ns;
		if (!best || t->nodes[i].total.ns > t->nodes[best].total.ns)
			best = i;
	}
	f.share = f.weight = scale(f.ns, MILLION, page_capacity(page));
	if (!best || f.share < MUCH_LATE)
		return 0;
	best = t->nodes[best].parent;
	err = finding_set_path(&f, page->timer, t, best);
	where = words_inner(t, best, 3);
	if (!err && where)
		err = findings_add(&page->findings, &f, "late time: for %s (%s of the CPUs' time) interrupts were off or the CPU was stolen, mostly %s %s in %s",
				   text_ms(a, f.ns), text_percent(b, f.ns, page_capacity(page), 1),
				   t->frames[t->nodes[best].frame].kind == FRAME_KERNEL ? "until" : "from user code:", where,
				   word_cut(thread, words_thread(t, best)));
	free(where);
	return where ? err : -ENOMEM;
}

/* Return: the softirq function with the largest self.  @handlers: the handler with the largest total, such as net_rx_action */
static const char *softirq_function(const struct page *page, bool handlers)
{
	const struct function *best = NULL;

	for (size_t i = 0; i < page->functions.nr; i++) {
		const struct function *row = &page->functions.rows[i];

		if (row->frame->kind != FRAME_SOFTIRQ || (handlers && !strstr(row->frame->name, "_action")))
			continue;
		if (!best || (handlers && row->total.samples > best->total.samples))
			best = row;
	}
	return best ? best->frame->name : "no known function";
}

static int find_interrupts(struct page *page)
{
	const struct time_tables *t = &page->times;
	const struct cpu_times *most = NULL;
	struct finding f = { .kind = FINDING_INTERRUPTS,
			     .command = { "report", "--tree", "--focus=softirq" } };
	char a[TEXT_NUMBER], b[TEXT_NUMBER], handler[WORD_BYTES], function[WORD_BYTES];
	uint64_t all = t->all.ns[TIME_INTERRUPT], of_cpu;

	for (size_t i = 0; i < t->nr_cpus; i++)
		if (!most || t->cpus[i].times.ns[TIME_INTERRUPT] > most->times.ns[TIME_INTERRUPT])
			most = &t->cpus[i];
	of_cpu = most ? times_on_cpus(&most->times) : 0;
	if (!of_cpu || scale(most->times.ns[TIME_INTERRUPT], MILLION, of_cpu) < MUCH_INTERRUPT)
		return 0;
	f.ns = all;
	f.count = most->cpu;
	f.share = scale(most->times.ns[TIME_INTERRUPT], MILLION, of_cpu);
	f.weight = scale(all, MILLION, page_capacity(page));
	word_cut(handler, softirq_function(page, true));
	word_cut(function, softirq_function(page, false));
	if (t->nr_cpus > 1 && scale(most->times.ns[TIME_INTERRUPT], MILLION, all) >= ONE_CPU)
		return findings_add(&page->findings, &f, "softirqs take %s of CPU %u, which has %s of them all: %s, most in %s",
				    text_percent(a, most->times.ns[TIME_INTERRUPT], of_cpu, 1), most->cpu,
				    text_percent(b, most->times.ns[TIME_INTERRUPT], all, 1), handler, function);
	return findings_add(&page->findings, &f, "softirqs take %s of all CPUs' time: %s, most in %s",
			    text_percent(a, all, page_capacity(page), 1), handler, function);
}

static int find_guests(struct page *page)
{
	const uint64_t ns = page->times.all.ns[TIME_GUEST], whole = page_capacity(page);
	const struct process_times *most = NULL;
	struct finding f = { .kind = FINDING_GUEST, .ns = ns, .share = scale(ns, MILLION, whole),
			     .weight = scale(ns, MILLION, whole), .command = { "summary", "--pid", "#" } };
	char a[TEXT_NUMBER], name[WORD_BYTES];

	for (size_t i = 0; i < page->times.nr_processes; i++)
		if (!most || page->times.processes[i].times.ns[TIME_GUEST] > most->times.ns[TIME_GUEST])
			most = &page->times.processes[i];
	if (!most || f.share < MUCH_GUEST)
		return 0;
	snprintf(f.number, sizeof(f.number), "%u", most->tgid);
	return findings_add(&page->findings, &f, "virtual machines run for %s of the CPUs' time, mostly %s (pid %u): record inside it",
			    text_percent(a, ns, whole, 1), word_cut(name, most->comm), most->tgid);
}

static int find_busy(struct page *page)
{
	size_t nr = page->times.nr_processes < BUSY_PROCESSES ? page->times.nr_processes : BUSY_PROCESSES;
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++) {
		const struct process_times *row = &page->times.processes[i];
		const uint64_t ran = times_ran(&row->times), tenths = scale(ran, 10, page_duration(page));
		struct finding f = { .kind = FINDING_BUSY, .ns = ran, .share = scale(ran, MILLION, page_capacity(page)),
				     .weight = scale(ran, MILLION, page_capacity(page)),
				     .command = { "summary", "--pid", "#" } };
		char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], name[WORD_BYTES];

		if (!row->tgid || scale(ran, MILLION, page_duration(page)) < BUSY)
			continue;
		snprintf(f.number, sizeof(f.number), "%u", row->tgid);
		err = findings_add(&page->findings, &f, "%s (pid %u) keeps %s.%u CPUs busy: user %s, kernel %s of its time",
				   word_cut(name, row->comm[0] ? row->comm : "[no name]"), row->tgid,
				   text_count(a, tenths / 10), (unsigned int)(tenths % 10),
				   text_percent(b, row->times.ns[TIME_USER], ran, 1),
				   text_percent(c, row->times.ns[TIME_KERNEL], ran, 1));
	}
	return err;
}

int find_cpus(struct page *page)
{
	int err;

	if (!page->timer)
		return 0;
	err = find_late(page);
	/* Of some stacks, the time of CPUs is not known */
	if (err || page_is_part(page))
		return err;
	err = find_gap(page);
	if (!err)
		err = find_interrupts(page);
	if (!err)
		err = find_guests(page);
	return err ? err : find_busy(page);
}
