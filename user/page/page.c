// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page.c - gathers all that is on a page, one event after the other
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "page/changes.h"
#include "page/page.h"
#include "page/wait_trees.h"
#include "profile/selection.h"
#include "stacks/load.h"
#include "views/locks.h"
#include "views/runq.h"
#include "views/trust.h"

uint64_t page_duration(const struct page *page)
{
	const struct summary *s = &page->main->summary;
	const bool has_timer = page->main->e->kind == KFLAME_EVENT_TIMER;
	/* Of the whole recording, also if the page is about one process */
	const uint64_t mean = has_timer ? s->counted.ns / (s->cpus ? s->cpus : 1) : 0;

	/* A profile that was cut off does not say how long it took */
	if (s->duration_ns)
		return s->duration_ns;
	return mean ? mean : 1;
}

uint64_t page_capacity(const struct page *page)
{
	const uint64_t ns = times_on_cpus(&page->times.all);
	const uint64_t cpus = page->main->summary.cpus ? page->main->summary.cpus : 1;

	/* Of one process, the time of CPUs is not known */
	if (ns && !page->o.has_pid)
		return ns;
	return page_duration(page) < UINT64_MAX / cpus ? page_duration(page) * cpus : UINT64_MAX;
}

/* The event that says most: the timer, or waits */
static size_t main_event(const struct profile *p)
{
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].kind == KFLAME_EVENT_TIMER)
			return i;
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].kind == KFLAME_EVENT_OFFCPU)
			return i;
	return 0;
}

/* Keeps the line of a report's head without its heading and its newline */
static int make_trust(struct page *page, const struct page_event *e)
{
	char *line = NULL;
	size_t size, heading;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return -ENOMEM;
	trust_put(out, page->p, &e->summary);
	if (fclose(out)) {
		free(line);
		return -ENOMEM;
	}
	heading = strcspn(line, " ");
	heading += strspn(line + heading, " ");
	page->trust = strndup(line + heading, strcspn(line + heading, "\n"));
	free(line);
	return page->trust ? 0 : -ENOMEM;
}

/* The tables of CPUs that the page has only of the timer */
static int gather_timer(struct page *page, const struct page_event *e)
{
	int err = time_tables_add(&page->times, page->p);

	page->timer = e;
	return err ? err : locks_make_spins(&page->spins, page->p, NULL);
}

static int gather_waits(struct page *page, const struct page_event *e)
{
	int err = time_tables_add(&page->times, page->p);

	page->waits = e;
	if (!err)
		err = runq_make(&page->runq, page->p, NULL, STACK_ROOT_PID);
	if (!err)
		err = runq_make(&page->runq_names, page->p, NULL, STACK_ROOT_NONE);
	if (!err)
		err = locks_make(&page->locks, page->p, NULL);
	return err ? err : wait_trees_make(page, e->e->kind);
}

/* The tree of the shown event.  Return: 0 or a negative errno, after a message */
static int load_tree(struct page *page, struct page_event *e)
{
	tree_destroy(e->t);
	return load_profile(page->p, &e->t);
}

/* What a page has of each event; the event is shown */
static int gather_event(struct page *page, struct page_event *e)
{
	const enum tree_unit unit = load_unit(page->p, TREE_BY_EVENT);
	int err = load_tree(page, e);

	if (err)
		return err;
	/* The head of the page is about the whole recording, also if the rest is about one process. */
	summary_make(&e->summary, page->p, e->t);
	if (page->main == e)
		err = make_trust(page, e);
	if (!err && page->o.has_pid) {
		selection_only_process(page->selection, page->o.pid);
		err = load_tree(page, e);
	}
	if (err)
		return err;
	tree_drop_idle(e->t);
	err = tree_finish(e->t);
	if (!err)
		err = heavy_paths_find(&e->paths, e->t, unit, e->e->kind, HEAVY_PATHS);
	if (!err && page->main == e)
		err = functions_collect(&page->functions, e->t, unit, SORT_SELF);
	if (!err && e->e->kind == KFLAME_EVENT_TIMER)
		err = gather_timer(page, e);
	else if (!err && !page->waits && profile_shows_waits(page->p))
		err = gather_waits(page, e);
	return err;
}

static int gather(struct page *page)
{
	const struct profile *p = page->p;
	const size_t first = main_event(p);
	int err = 0;

	page->nr_events = p->nr_events;
	page->main = &page->events[first];
	for (size_t i = 0; !err && i < p->nr_events; i++) {
		page->events[i].e = &p->events[i];
		err = selection_show(page->selection, i);
		if (!err)
			err = gather_event(page, &page->events[i]);
	}
	time_tables_sort(&page->times);
	return err;
}

static int find_all(struct page *page)
{
	static int (*const all[])(struct page *page) = {
		find_trust, find_cpus, find_kernel_work, find_locks, find_waits, find_processes, find_faults,
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(all) / sizeof(all[0]); i++)
		err = all[i](page);
	findings_sort(&page->findings);
	return err;
}

static int check_process(const struct page *page)
{
	bool has_samples = false;

	for (size_t i = 0; i < page->nr_events; i++)
		has_samples |= tree_sum(page->events[i].t).samples > 0;
	if (has_samples || !page->o.has_pid)
		return 0;
	complain("%s has no samples of a process %u; 'kflame report --by pid -n 0' lists all", page->o.input, page->o.pid);
	return -ENOENT;
}

int page_make(struct page *page, struct profile *p, const struct page_options *o)
{
	int err = -ENOMEM;

	*page = (struct page){ .p = p, .o = *o };
	page->selection = selection_begin(p);
	if (page->selection)
		err = gather(page);
	if (!err)
		err = check_process(page);
	if (!err && o->before)
		err = changes_make(page);
	if (!err)
		err = find_all(page);
	if (err == -ENOMEM)
		load_failed(err, "summing up the profile");
	return err;
}

void page_exit(struct page *page)
{
	for (size_t i = 0; i < page->nr_events; i++)
		tree_destroy(page->events[i].t);
	free(page->trust);
	time_tables_exit(&page->times);
	functions_exit(&page->functions);
	wait_trees_exit(page);
	wait_table_exit(&page->runq);
	wait_table_exit(&page->runq_names);
	wait_table_exit(&page->locks);
	wait_table_exit(&page->spins);
	findings_exit(&page->findings);
	changes_exit(&page->changes);
	selection_end(page->selection);
}
