// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * find_locks.c - waits for locks, and whether the thread that holds one gets no CPU
 */
#include <string.h>

#include "base/text.h"
#include "page/page.h"
#include "page/words.h"

#define MUCH		50000u	/* waits of a lock, in millionths of the length of the recording */
#define MOST_LOCKS	3u
#define HOLDER_SHARE	2u	/* the holder waited for a CPU for 1/2 of the time of the waits for the lock */

/* Threads that wait for work mostly wait for one of these: that is no contention */
static bool is_contention(const struct wait_row *row)
{
	static const char *const others[] = { "futex", "futex (condition)", "futex (semaphore)", "futex (barrier)",
					      "futex (join)", "futex (once)" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(row->lock, others[i]))
			return false;
	return true;
}

/* Return: the row of waits for a CPU of threads with that name; NULL for none */
static const struct wait_row *run_queue_of(const struct page *page, const char *name)
{
	for (size_t i = 0; name && i < page->runq_names.nr; i++)
		if (!strcmp(page->runq_names.rows[i].frame.name, name))
			return &page->runq_names.rows[i];
	return NULL;
}

static int add_inversion(struct page *page, const struct wait_row *row)
{
	const struct wait_row *holder = run_queue_of(page, row->woken_by);
	const struct finding f = { .kind = FINDING_INVERSION, .share = FINDING_NO_SHARE, .ns = row->ns, .count = row->waits,
				   .weight = scale(row->ns, MILLION, page_duration(page)),
				   .command = { "report", "--runq", "--by=comm" } };
	char a[TEXT_NUMBER], b[TEXT_NUMBER], waiter[WORD_BYTES], low[WORD_BYTES], site[WORD_BYTES];

	if (!holder || !strcmp(row->woken_by, row->comm) || holder->ns < row->ns / HOLDER_SHARE)
		return 0;
	return findings_add(&page->findings, &f, "priority inversion? %s waited %s for a %s in %s that %s releases, and %s waited %s for a CPU meanwhile",
			    word_cut(waiter, row->comm), text_ms(a, row->ns), row->lock, word_cut(site, row->frame.name),
			    word_cut(low, row->woken_by), low, text_ms(b, holder->ns));
}

static int add_lock(struct page *page, const struct wait_row *row)
{
	const bool is_sampled = page->waits->e->kind == KFLAME_EVENT_SLEEPERS;
	const struct finding f = { .kind = FINDING_LOCK, .share = FINDING_NO_SHARE, .ns = row->ns, .count = row->waits,
				   .weight = scale(row->ns, MILLION, page_duration(page)),
				   .command = { "report", "--locks", is_sampled ? "--event=off-cpu-sampled" : NULL } };
	char a[TEXT_NUMBER], b[TEXT_NUMBER], waiter[WORD_BYTES], by[WORD_BYTES], site[WORD_BYTES];

	return findings_add(&page->findings, &f, "threads waited %s (%s wait%s) for a %s taken in %s: most of it %s%s%s",
			    text_ms(a, row->ns), text_count(b, row->waits), text_plural(row->waits), row->lock,
			    word_cut(site, row->frame.name), word_cut(waiter, row->comm), row->woken_by ? ", woken by " : "",
			    row->woken_by ? word_cut(by, row->woken_by) : "");
}

int find_locks(struct page *page)
{
	unsigned int found = 0;
	int err = 0;

	for (size_t i = 0; !err && i < page->locks.nr && found < MOST_LOCKS; i++) {
		const struct wait_row *row = &page->locks.rows[i];

		if (!is_contention(row) || scale(row->ns, MILLION, page_duration(page)) < MUCH)
			continue;
		found++;
		err = add_inversion(page, row);
		if (!err)
			err = add_lock(page, row);
	}
	return err;
}
