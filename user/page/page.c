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

bool page_is_part(const struct page *page)
{
	return page->o.has_pid || filter_is_on(page->o.filter);
}

uint64_t page_duration(const struct page *page)
{
	const struct summary *s = &page->main->summary;
	const bool has_timer = page->main->e->kind == KFLAME_EVENT_TIMER;
	/* Of the whole recording, also if the page is about one process */
	const uint64_t mean = has_timer ? s->counted.ns / (s->cpus ? s->cpus : 1) : 0;

	if (s->to_ns)
		return s->to_ns - s->from_ns;
	/* A profile that was cut off does not say how long it took */
	if (s->duration_ns)
		return s->duration_ns;
	return mean ? mean : 1;
}

uint64_t page_capacity(const struct page *page)
{
	const uint64_t ns = times_on_cpus(&page->times.all);
	const uint64_t cpus = page->main->summary.cpus ? page->main->summary.cpus : 1;

	if (ns && !page_is_part(page))
		return ns;
	return page_duration(page) < UINT64_MAX / cpus ? page_duration(page) * cpus : UINT64_MAX;
}

/* The event that says most: the timer, or waits */
static struct page_event *main_event(struct page *page)
{
	for (size_t i = 0; i < page->nr_events; i++)
		if (page->events[i].e->kind == KFLAME_EVENT_TIMER)
			return &page->events[i];
	for (size_t i = 0; i < page->nr_events; i++)
		if (page->events[i].e->kind == KFLAME_EVENT_OFFCPU)
			return &page->events[i];
	return &page->events[0];
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
static int load_tree(struct page *page, struct page_event *e, struct filter *filter)
{
	tree_destroy(e->t);
	e->t = NULL;
	return load_profile_filtered(page->p, filter, &e->t);
}

struct passing {
	struct filter *filter;
	bool *keep;
};

/* A count_fn */
static int mark_passing(void *ctx, size_t count, const struct frame *frames, size_t nr)
{
	const struct passing *passing = ctx;
	const int accepts = filter_accepts(passing->filter, frames, nr);

	passing->keep[count] = accepts > 0;
	return accepts < 0 ? accepts : 0;
}

/* Drops the counts that do not pass the filter, so that no part of the page has them */
static int keep_passing(struct page *page, struct page_event *e)
{
	struct passing passing = { page->o.filter, calloc(page->p->nr_counts + 1, sizeof(bool)) };
	int err = passing.keep ? profile_each_count(page->p, mark_passing, &passing) : -ENOMEM;

	if (!err)
		selection_keep(page->selection, passing.keep);
	free(passing.keep);
	e->passing = (struct weight){ page->p->samples, page->p->weight_ns };
	return err;
}

/* The stacks that the page is about */
static int choose_stacks(struct page *page, struct page_event *e)
{
	int err = 0;

	if (page->o.has_pid)
		selection_only_process(page->selection, page->o.pid);
	if (filter_is_on(page->o.filter))
		err = keep_passing(page, e);
	return err ? err : load_tree(page, e, page->o.filter);
}

/* What a page has of each event; the event is shown */
static int gather_event(struct page *page, struct page_event *e)
{
	const enum tree_unit unit = load_unit(page->p, TREE_BY_EVENT);
	int err = load_tree(page, e, NULL);

	if (err)
		return err;
	/* The head of the page is about all stacks, also if the rest is about some of them. */
	summary_make(&e->summary, page->p, e->t);
	e->passing = e->summary.counted;
	if (page->main == e)
		err = make_trust(page, e);
	if (!err && page_is_part(page))
		err = choose_stacks(page, e);
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

static int choose_events(struct page *page)
{
	const struct profile *p = page->p;
	bool chosen[PROFILE_MAX_EVENTS] = { false };
	int err = page->o.event ? profile_name_events(p, page->o.input, page->o.event, chosen) : 0;

	for (size_t i = 0; !err && i < p->nr_events; i++)
		if (chosen[i] || !page->o.event)
			page->events[page->nr_events++].e = &p->events[i];
	page->main = main_event(page);
	return err;
}

static int gather(struct page *page)
{
	int err = choose_events(page);

	for (size_t i = 0; !err && i < page->nr_events; i++) {
		err = selection_show(page->selection, (size_t)(page->events[i].e - page->p->events));
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

static int check_samples(const struct page *page)
{
	bool has_samples = false;

	for (size_t i = 0; i < page->nr_events; i++)
		has_samples |= tree_sum(page->events[i].t).samples > 0;
	if (has_samples || !page_is_part(page))
		return 0;
	if (filter_is_on(page->o.filter))
		complain("%s has no stack that passes --include, --exclude and --focus%s; 'kflame report -n 0' lists all names",
			 page->o.input, page->o.has_pid ? " in that process" : "");
	else
		complain("%s has no samples of a process %u; 'kflame report --by pid -n 0' lists all", page->o.input,
			 page->o.pid);
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
		err = check_samples(page);
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
