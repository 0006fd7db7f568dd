// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_top.c - kflame top: shows what uses the CPU now
 *
 * Recording continues until the user quits.  Old samples lose weight (top/live_window.h). But the stacks and
 * mappings in a profile only become more. So a new session begins when there are too many.
 * A session records either CPU time or waits: the user who looks at one pays nothing for the other.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "browse/browse.h"
#include "cmd/commands.h"
#include "cmd/top_options.h"
#include "record/recorder.h"
#include "stacks/load.h"
#include "stacks/names.h"
#include "stacks/open.h"
#include "top/live_names.h"
#include "top/live_window.h"
#include "views/report_text.h"

#define MOST_COUNTS	200000u	/* about 100 MB with their stacks */
#define MOST_ASPACES	20000u
#define WAITS_NS	6000000000ull	/* least time between refreshes of waits, see struct recorder_watch.gapless */

/* Why a session ends: the user quit, a failure was reported, or another session shall begin */
enum { GO_ON, QUIT, FAILED, RENEW };

struct top {
	const struct top_options *o;
	struct terminal *terminal;	/* NULL: text */
	struct browser browser;
	struct tree *tree;		/* the tree that is shown */
	char title[160];
	struct live_names *names;
	struct live_window window;
	bool waits;			/* the session records waits, not CPU time */
	int why;			/* why the session ended */
};

/* Make a tree of the recent samples.  Return: 0 or a negative errno, after an error message */
static int make_tree(struct top *top, struct recorder *r, struct tree **out)
{
	static const struct naming naming;
	struct profile view = *r->profile;
	struct tree *t = NULL;
	int err = live_names_update(top->names, r->profile, &r->held, &r->maps, top->window.counts,
				    top->window.nr);

	if (!err)
		err = live_names_lend(top->names, &view);
	view.counts = top->window.counts;
	view.nr_counts = top->window.nr;
	view.roots = NULL;
	if (top->waits)
		view.event = view.events;
	view.names = err ? NULL : names_create(&view, &naming);
	if (!view.names)
		return load_failed(-ENOMEM, "naming what was sampled");
	err = load_profile(&view, &t);
	names_destroy(view.names);
	*out = t;
	return err;
}

/* Make a title such as "1,994 samples now, 2 CPUs, idle 12.3%" or "311 waits ended now, 2 CPUs" */
static void make_title(struct top *top, const struct tree *t, const struct recorder *r)
{
	const struct weight sum = tree_sum(t), idle = tree_idle(t);
	char now[TEXT_NUMBER], share[TEXT_NUMBER];

	if (top->waits) {
		snprintf(top->title, sizeof(top->title), "%s waits ended now, %u CPUs",
			 text_count(now, top->window.samples), r->profile->session.nr_cpus);
		return;
	}
	snprintf(top->title, sizeof(top->title), "%s samples now, %u CPUs, idle %s",
		 text_count(now, top->window.samples), r->profile->session.nr_cpus,
		 text_percent(share, tree_weight(&idle, top->o->unit),
			      tree_weight(&sum, top->o->unit), 1));
}

static int print(struct top *top, const struct tree *t)
{
	const enum tree_unit unit = top->waits ? TREE_NS : top->o->unit;
	const struct report_options o = { .unit = unit, .rows = top->o->rows };
	struct report_rows rows = { .which = REPORT_FUNCTION };
	struct functions f;
	int err = functions_collect(&f, t, unit, top->o->sort);

	if (err)
		return load_failed(err, "summing up");
	rows.rows = f.rows;
	rows.nr = o.rows && o.rows < f.nr ? o.rows : f.nr;
	rows.hidden = f.nr - rows.nr;
	rows.whole = tree_weight(&t->nodes[TREE_ROOT].total, unit);
	printf("%s\n\n", top->title);
	report_put_rows(stdout, NULL, &rows, &o);
	functions_exit(&f);
	return 0;
}

/* Show another tree, which @top owns from here on.  Return: GO_ON, QUIT or FAILED */
static int show(struct top *top, struct tree *t)
{
	int err;

	if (!top->terminal) {
		err = print(top, t);
		tree_destroy(t);
		return err ? FAILED : QUIT;
	}
	err = browser_renew(&top->browser, t, top->title);
	tree_destroy(top->tree);
	top->tree = t;
	if (err)
		load_failed(err, "showing what was sampled");
	return err ? FAILED : GO_ON;
}

/* Called when there are new samples */
static int refresh(struct top *top, struct recorder *r)
{
	const struct profile *p = r->profile;
	struct tree *t;

	if (!top->names)
		top->names = live_names_create(r->device);
	if (!top->names || live_window_update(&top->window, p)) {
		load_failed(-ENOMEM, "adding up what was sampled");
		return FAILED;
	}
	if (top->browser.paused && top->terminal)
		return GO_ON;
	if (make_tree(top, r, &t))
		return FAILED;
	make_title(top, t, r);
	if (!top->o->idle)
		tree_drop_idle(t);
	if (tree_finish(t)) {
		tree_destroy(t);
		load_failed(-ENOMEM, "adding up what was sampled");
		return FAILED;
	}
	return show(top, t);
}

static bool fresh(void *ctx, struct recorder *r)
{
	struct top *top = ctx;

	top->why = refresh(top, r);
	if (!top->why && (r->profile->nr_counts > MOST_COUNTS ||
			  r->profile->nr_aspaces > MOST_ASPACES))
		top->why = RENEW;
	return top->why;
}

static bool awake(void *ctx)
{
	struct top *top = ctx;
	int end = top->terminal ? browse_keys(&top->browser, top->terminal) : 0;

	if (end)
		top->why = end < 0 ? FAILED : QUIT;
	else if (top->terminal && top->browser.waits != top->waits)
		top->why = RENEW;
	return top->why;
}

/* Return: a finished tree without samples; NULL, after an error message */
static struct tree *empty_tree(void)
{
	struct tree *t = tree_create();

	if (t && !tree_finish(t))
		return t;
	tree_destroy(t);
	load_failed(-ENOMEM, "beginning");
	return NULL;
}

/* Until the session has waits or samples, show that there are none yet.  Return: as show() */
static int show_nothing(struct top *top)
{
	struct tree *t = empty_tree();

	if (!t)
		return FAILED;
	snprintf(top->title, sizeof(top->title), "%s",
		 top->waits ? "waiting for the first waits to end: 6 seconds" : "waiting for samples");
	return show(top, t);
}

/* Run one session after another.  Return: the exit status */
static int watch(struct top *top)
{
	struct recorder_watch w = {
		.fresh = fresh, .awake = awake, .ctx = top, .fds = { -1, -1 },
	};
	int status;

	if (top->terminal) {
		w.fds[0] = terminal_fd(top->terminal, TERMINAL_KEYS);
		w.fds[1] = terminal_fd(top->terminal, TERMINAL_RESIZED);
	}
	do {
		top->why = GO_ON;
		if (top->terminal && top->browser.waits != top->waits) {
			top->waits = top->browser.waits;
			if (show_nothing(top))
				return 1;
		}
		w.gapless = top->waits;
		w.every_ns = top->waits && top->o->every_ns < WAITS_NS ? WAITS_NS : top->o->every_ns;
		status = recorder_watch(top->waits ? &top->o->waits : &top->o->record, &w);
		live_names_destroy(top->names);
		top->names = NULL;
		live_window_exit(&top->window);
	} while (!status && top->why == RENEW);
	return status ? status : top->why == FAILED;
}

static int run(struct top *top)
{
	struct browser_source s = { .title = "waiting for samples", .has_waits = top->o->has_waits };
	int status;

	if (top->o->once) {
		top->waits = top->o->off_cpu;
		return watch(top);
	}
	top->tree = empty_tree();
	if (!top->tree)
		return 1;
	s.t = top->tree;
	top->terminal = terminal_open();
	if (!top->terminal || browser_init(&top->browser, &s, top->o->unit, top->o->sort))
		return 1;
	if (top->o->off_cpu)
		browser_key(&top->browser, 'o');
	status = watch(top);
	browser_exit(&top->browser);
	return status;
}

/* A store does not change while it is shown: kflame report shows it */
static int top_of_store(const struct top_options *o)
{
	char rows[32];
	const char *argv[16] = { "kflame report", "--store", o->store, "--sort", o->sort == SORT_TOTAL ? "total" : "self" };
	int argc = 5;

	if (o->where) {
		argv[argc++] = "--where";
		argv[argc++] = o->where;
	}
	if (o->last) {
		argv[argc++] = "--last";
		argv[argc++] = o->last;
	}
	if (o->unit == TREE_NS)
		argv[argc++] = "--time";
	if (o->idle)
		argv[argc++] = "--idle";
	if (o->once || !isatty(STDOUT_FILENO)) {
		snprintf(rows, sizeof(rows), "-n%zu", o->rows);
		argv[argc++] = rows;
	} else {
		argv[argc++] = "--tui";
	}
	return cmd_report(argc, (char **)argv);
}

int cmd_top(int argc, char **argv)
{
	struct top_options o;
	struct top top = { .o = &o };
	int status = 1;

	if (!top_options_parse(&o, argc, argv))
		status = o.store ? top_of_store(&o) : run(&top);
	terminal_close(top.terminal);
	tree_destroy(top.tree);
	top_options_exit(&o);
	return close_stdout() ? 1 : status;
}
