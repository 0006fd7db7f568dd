// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * find_processes.c - many processes that began during the recording, and what started them
 *
 * The profile names no parents.  But a new process has its parent's name until it runs another program: if it was
 * sampled before that, the parent's name is known.  Otherwise, the thread that spends most time in fork() is named.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "page/kernel_work.h"
#include "page/page.h"
#include "page/words.h"

#define MANY		20u	/* processes */
#define MANY_A_SECOND	5u

/* A process that began during the recording */
struct young {
	const char *comm;
	uint64_t ns;
	uint32_t tgid;
};

struct youngs {
	struct young *all;
	size_t nr;
};

/* The name that most young processes have */
struct most {
	const char *comm;
	size_t nr;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct young *)a)->comm, ((const struct young *)b)->comm);
}

static bool is_young(const struct profile *p, const struct process_times *row)
{
	const struct profile_aspace *as = row->aspace < p->nr_aspaces ? &p->aspaces[row->aspace] : NULL;

	return row->tgid && as && as->reported && as->rec.start_time_ns >= p->session.start_ns;
}

static int gather(struct youngs *y, const struct page *page)
{
	const struct time_tables *t = &page->times;

	y->all = calloc(t->nr_processes + 1, sizeof(*y->all));
	for (size_t i = 0; y->all && i < t->nr_processes; i++)
		if (is_young(page->p, &t->processes[i]))
			y->all[y->nr++] = (struct young){ .comm = t->processes[i].comm, .tgid = t->processes[i].tgid,
							  .ns = times_ran(&t->processes[i].times) };
	if (y->nr)
		qsort(y->all, y->nr, sizeof(*y->all), by_name);
	return y->all ? 0 : -ENOMEM;
}

static struct most most_common(const struct youngs *y)
{
	struct most best = { .nr = 0 };

	for (size_t i = 0, first = 0; i < y->nr; i++) {
		if (strcmp(y->all[i].comm, y->all[first].comm))
			first = i;
		if (i - first + 1 > best.nr)
			best = (struct most){ y->all[first].comm, i - first + 1 };
	}
	return best;
}

/* Return: the thread with most of the time in fork(), and the node of that; NULL: there is none */
static const char *forking_thread(const struct page *page, uint32_t *node)
{
	static const char *const forks[] = { "kernel_clone", "_do_fork", "copy_process" };
	const struct tree *t = page->timer ? page->timer->t : NULL;

	*node = 0;
	for (uint32_t i = 1; t && i < t->nr_nodes; i++)
		for (size_t k = 0; k < sizeof(forks) / sizeof(forks[0]); k++)
			if (!strcmp(t->frames[t->nodes[i].frame].name, forks[k]) &&
			    (!*node || t->nodes[i].total.samples > t->nodes[*node].total.samples))
				*node = i;
	return *node ? words_thread(t, *node) : NULL;
}

/* Return: the name that a process called @comm had before it ran its program, if it was sampled then; NULL for none */
static const char *name_before(const struct page *page, const char *comm)
{
	const struct profile *p = page->p;

	for (size_t i = 0; i < page->times.nr_processes; i++) {
		const struct process_times *row = &page->times.processes[i];

		if (strcmp(row->comm, comm) || !is_young(p, row))
			continue;
		for (size_t k = 0; k < p->nr_aspaces; k++) {
			const struct kflame_rec_aspace *as = &p->aspaces[k].rec;

			if (as->tgid == row->tgid && as->comm[0] && strcmp((const char *)as->comm, comm))
				return (const char *)as->comm;
		}
	}
	return NULL;
}

int find_processes(struct page *page)
{
	struct finding f = { .kind = FINDING_PROCESSES, .share = FINDING_NO_SHARE,
			     .command = { "report", "--by=comm,pid" } };
	char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], name[WORD_BYTES], by[WORD_BYTES];
	struct youngs y = { .nr = 0 };
	const char *parent;
	struct most most;
	uint32_t node;
	int err = gather(&y, page);

	for (size_t i = 0; i < y.nr; i++)
		f.ns += y.all[i].ns;
	f.count = y.nr;
	/* Their making costs their parent more than what they run */
	f.weight = scale(f.ns, 2 * MILLION, page_capacity(page));
	if (!err && !page_is_part(page) && !page->p->nr_origins && y.nr >= MANY &&
	    scale(y.nr, 1000000000, page_duration(page)) >= MANY_A_SECOND) {
		most = most_common(&y);
		parent = name_before(page, most.comm);
		if (!parent)
			parent = forking_thread(page, &node);
		err = findings_add(&page->findings, &f, "short-lived processes: at least %s began, %s of them %s, %s%s; they ran for %s",
				   text_count(a, y.nr), text_count(b, most.nr), word_cut(name, most.comm),
				   parent ? "started by " : "their parent is not known",
				   parent ? word_cut(by, parent) : "", text_ms(c, f.ns));
	}
	free(y.all);
	return err;
}
