/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page.h - one page about a profile: kflame summary
 *
 * page_make() gathers everything, from the views that other commands print.  page_text() and page_json() write it.
 */
#ifndef KFLAME_PAGE_PAGE_H
#define KFLAME_PAGE_PAGE_H

#include <stdio.h>

#include "page/findings.h"
#include "page/heavy_paths.h"
#include "page/times.h"
#include "stacks/filter.h"
#include "stacks/open.h"
#include "views/functions.h"
#include "views/summary.h"
#include "views/wait_table.h"

#define PAGE_ROWS	5	/* of tables */

/**
 * struct page_options - how to make a page
 * @input:	name of the profile, as the user gave it
 * @before:	name of an earlier profile to compare with; NULL: none
 * @naming:	how both were opened
 * @event:	only these events, with commas between them; NULL: all
 * @filter:	only stacks that pass; NULL: all.  Head and trust are of all stacks
 * @pid:	only this process, if @has_pid
 */
struct page_options {
	const char *input;
	const char *before;
	const struct naming *naming;
	const char *event;
	struct filter *filter;
	uint32_t pid;
	bool has_pid;
};

/**
 * struct page_event - one event of the profile
 * @e:		the event
 * @summary:	its figures
 * @passing:	what passes the filter; without one, all
 * @t:		its call tree, without idle stacks; NULL: none
 * @paths:	the heaviest paths of @t
 */
struct page_event {
	const struct profile_event *e;
	struct summary summary;
	struct weight passing;
	struct tree *t;
	struct heavy_paths paths;
};

/**
 * struct page_change - a function that takes more or less time than in the earlier profile
 * @frame:	the function; its strings live as long as the page
 * @before:	its self in the earlier profile
 * @now:	the same in the profile of the page
 */
struct page_change {
	struct frame frame;
	struct weight before;
	struct weight now;
};

/**
 * struct page_changes - the comparison with an earlier profile
 * @line:	summary_line() of the earlier profile
 * @duration_before_ns: how long the earlier recording took
 * @before:	all that is not idle in the earlier profile
 * @now:	the same in the profile of the page
 * @all:	the functions that changed by more than chance, the largest change first
 * @nr:		how many of them are in @all
 * @nr_all:	how many there are
 * @t:		call tree of the earlier profile, which owns strings
 */
struct page_changes {
	char *line;
	uint64_t duration_before_ns;
	struct weight before, now;
	struct page_change all[PAGE_ROWS];
	size_t nr, nr_all;
	struct tree *t;
};

/**
 * struct page - all that is on a page; page_exit() frees it
 * @p:		the profile
 * @selection:	keeps the counts to which tables point
 * @events:	its events, in the order of the stream
 * @main:	the event that the head of the page is about
 * @timer:	samples of CPUs; NULL: none were recorded
 * @waits:	measured waits; NULL: none were recorded
 * @trust:	can it be trusted? Words of views/trust.h
 * @times:	by state, process and CPU
 * @functions:	by self, of @main
 * @blocked:	waits that are not mere sleep: for disks, in state D, stopped, for a CPU
 * @sleeps:	interruptible waits of processes
 * @runq:	waits for a CPU, by process
 * @runq_names:	the same by name of the thread
 * @locks:	waits for locks
 * @spins:	spins for locks
 * @states:	trees of waits in D state, for I/O, and stopped, without those for locks; see find_waits()
 * @findings:	what is unusual
 * @changes:	since an earlier profile
 */
struct page {
	struct profile *p;
	struct selection *selection;
	struct page_options o;
	struct page_event events[PROFILE_MAX_EVENTS];
	size_t nr_events;
	const struct page_event *main, *timer, *waits;
	char *trust;
	struct time_tables times;
	struct functions functions;
	struct tree *blocked_tree, *sleeps_tree;
	struct heavy_paths blocked, sleeps;
	struct wait_table runq, runq_names, locks, spins;
	struct tree *states[3];
	struct findings findings;
	struct page_changes changes;
};

/**
 * page_make() - makes the page of a profile
 * @p:		opened with naming.every_event and naming.cpus, without times; it must outlive the page
 *
 * Errors are reported on standard error.
 *
 * Return: 0; -ENOENT: there is no such process; another negative errno.  Call page_exit() in any case.
 */
int page_make(struct page *page, struct profile *p, const struct page_options *o);

/** page_exit() - frees the contents of @page */
void page_exit(struct page *page);

/** page_is_part() - Return: whether stacks are left out, so that the time of CPUs is not known */
bool page_is_part(const struct page *page);

/** page_duration() - Return: length of the recording, or of its part, in nanoseconds, at least 1 */
uint64_t page_duration(const struct page *page);

/** page_capacity() - Return: time of all CPUs together, at least 1 */
uint64_t page_capacity(const struct page *page);

/**
 * page_text() - writes the page as text
 * @most:	most bytes
 *
 * Lines that do not fit are left out, and counted in the last line.
 *
 * Return: 0 or -ENOMEM.
 */
int page_text(FILE *out, const struct page *page, size_t most);

/** page_json() - writes the page as JSON, see docs/summary.schema.json.  Rows that do not fit are left out.  Return: as page_text() */
int page_json(FILE *out, const struct page *page, size_t most);

#endif
