// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_process.c - the page of one process: ran, waited for a CPU, slept, was interrupted
 */
#include <string.h>

#include "base/text.h"
#include "page/page_process.h"
#include "page/page_text.h"
#include "page/words.h"

static void put_who(FILE *out, const struct page *page, const struct process_times *row)
{
	const struct profile *p = page->p;
	const struct profile_aspace *as = row->aspace < p->nr_aspaces ? &p->aspaces[row->aspace] : NULL;
	const char *cgroup = as ? profile_cgroup(p, as->rec.cgroup_id) : NULL;
	char buf[TEXT_NUMBER], name[WORD_BYTES];

	fprintf(out, "\nprocess  %u %s", page->o.pid, word_cut(name, row->comm[0] ? row->comm : "[no name]"));
	if (as && as->reported && as->rec.owner)
		fprintf(out, ", of user %u", as->rec.owner - 1);
	if (as && as->reported && as->rec.start_time_ns >= p->session.start_ns && as->rec.start_time_ns)
		fprintf(out, ", began %s after the start of the recording", text_seconds(buf, as->rec.start_time_ns - p->session.start_ns));
	putc('\n', out);
	if (!cgroup)
		return;
	fputs("cgroup   ", out);
	text_put(out, cgroup);
	putc('\n', out);
}

static void put_ran(FILE *out, const struct page *page, const struct times *t)
{
	const uint64_t ran = times_ran(t);
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	if (!page->timer)
		return;
	fprintf(out, "ran      %s, %s of one CPU", text_ms(a, ran), text_percent(b, ran, page_duration(page), 1));
	if (ran)
		fprintf(out, ": user %s", text_ms(a, t->ns[TIME_USER]));
	if (ran)
		fprintf(out, ", kernel %s", text_ms(a, t->ns[TIME_KERNEL]));
	if (t->ns[TIME_GUEST])
		fprintf(out, ", as a virtual machine %s", text_ms(a, t->ns[TIME_GUEST]));
	putc('\n', out);
	fprintf(out, "interrupted  %s by softirqs", text_ms(a, t->ns[TIME_INTERRUPT]));
	fprintf(out, ", late %s (interrupts off, or the CPU stolen)\n", text_ms(a, t->late_ns));
	fputs("CPUs    ", out);
	for (size_t i = 0; i < page->times.nr_cpus && i < 2 * PAGE_ROWS; i++)
		fprintf(out, " %u: %s%s", page->times.cpus[i].cpu, text_percent(a, times_ran(&page->times.cpus[i].times), ran, 1),
			i + 1 < page->times.nr_cpus ? "," : "");
	fputs(page->times.nr_cpus > 2 * PAGE_ROWS ? " ...\n" : "\n", out);
}

static void put_waited(FILE *out, const struct page *page, const struct times *t)
{
	const uint64_t waits = t->samples[TIME_RUNNABLE] + t->samples[TIME_PREEMPTED];
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	if (!page->waits) {
		fputs("waited   not known: record with --wall\n", out);
		return;
	}
	fprintf(out, "waited for a CPU  %s in %s wait%s", text_ms(a, times_for_cpu(t)), text_count(b, waits),
		text_plural(waits));
	if (waits)
		fprintf(out, ", %s each", text_us(a, times_for_cpu(t) / waits));
	fprintf(out, ": after it was woken %s", text_ms(a, t->ns[TIME_RUNNABLE]));
	fprintf(out, ", preempted %s\n", text_ms(a, t->ns[TIME_PREEMPTED]));
	fprintf(out, "slept    %s", text_ms(a, times_blocked(t)));
	fprintf(out, ": interruptible %s", text_ms(a, t->ns[TIME_INTERRUPTIBLE]));
	fprintf(out, ", I/O %s", text_ms(a, t->ns[TIME_IOWAIT]));
	fprintf(out, ", D state %s", text_ms(a, t->ns[TIME_UNINTERRUPTIBLE]));
	fprintf(out, ", stopped %s", text_ms(a, t->ns[TIME_STOPPED]));
	if (t->still_ns)
		fprintf(out, "; %s of that had not ended", text_ms(a, t->still_ns));
	putc('\n', out);
}

static void put_locks(FILE *out, const struct page *page)
{
	char a[TEXT_NUMBER], b[TEXT_NUMBER], name[WORD_BYTES];

	for (size_t i = 0; i < page->locks.nr && i < PAGE_ROWS; i++) {
		const struct wait_row *row = &page->locks.rows[i];

		fprintf(out, "%s%12s  %s wait%s for a %s in %s", i ? "" : "\nWaits for locks; more: kflame report --locks\n",
			text_ms(a, row->ns), text_count(b, row->waits), text_plural(row->waits), row->lock, word_cut(name, row->frame.name));
		if (row->woken_by)
			fprintf(out, ", woken by %s", word_cut(name, row->woken_by));
		putc('\n', out);
	}
}

static void put_findings(FILE *out, const struct page *page)
{
	for (size_t i = 0; i < page->findings.nr && i < PAGE_ROWS; i++)
		fprintf(out, "%s* %s\n", i ? "" : "\nUnusual:\n", page->findings.all[i].text);
}

void page_put_process(FILE *out, const struct page *page)
{
	/* Of a merged profile, several processes may have one id: the first one ran longest */
	static const struct process_times none = { .aspace = PROFILE_NONE };
	const struct process_times *row = page->times.nr_processes ? &page->times.processes[0] : &none;

	put_who(out, page, row);
	put_ran(out, page, &page->times.all);
	put_waited(out, page, &page->times.all);
	put_findings(out, page);
	fprintf(out, "\nMore of a path: kflame report --root=pid --include='^pid %u$' --at ID\n", page->o.pid);
	if (page->timer)
		page_put_paths(out, "Where it ran", &page->timer->paths);
	page_put_paths(out, "Where it waited, other than asleep", &page->blocked);
	page_put_paths(out, "Where it slept", &page->sleeps);
	put_locks(out, page);
	for (size_t i = 0; i < page->nr_events; i++)
		if (&page->events[i] != page->timer && &page->events[i] != page->waits)
			page_put_paths(out, page->events[i].e->name, &page->events[i].paths);
}
