// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_parts.c - makes the tables and call trees of a report
 */
#include <errno.h>

#include "stacks/stack_root.h"
#include "views/butterfly.h"
#include "views/groups.h"
#include "views/path_id.h"
#include "views/report_parts.h"

/* ------------------------------------------------------------------- tables */

const char *report_table_key(enum report_table which)
{
	static const char *const keys[NR_REPORT_TABLES] = {
		[REPORT_FUNCTION] = "function", [REPORT_FILE] = "file", [REPORT_COMM] = "comm",
		[REPORT_PID] = "pid", [REPORT_TID] = "tid", [REPORT_CGROUP] = "cgroup",
		[REPORT_CONTAINER] = "container", [REPORT_HOST] = "host", [REPORT_RUN] = "run",
		[REPORT_CPU] = "cpu", [REPORT_STATE] = "state", [REPORT_WAKER] = "waker",
		[REPORT_LABEL] = "label",
	};

	return keys[which];
}

enum stack_root report_table_root(enum report_table which)
{
	switch (which) {
	case REPORT_PID:
		return STACK_ROOT_PID;
	case REPORT_TID:
		return STACK_ROOT_TID;
	case REPORT_CGROUP:
		return STACK_ROOT_CGROUP;
	case REPORT_CONTAINER:
		return STACK_ROOT_CONTAINER;
	case REPORT_HOST:
		return STACK_ROOT_HOST;
	case REPORT_RUN:
		return STACK_ROOT_RUN;
	case REPORT_CPU:
		return STACK_ROOT_CPU;
	case REPORT_STATE:
		return STACK_ROOT_STATE;
	case REPORT_WAKER:
		return STACK_ROOT_WAKER;
	case REPORT_LABEL:
		return STACK_ROOT_LABEL;
	default:
		return STACK_ROOT_NONE;
	}
}

/* Return: the smallest weight that the limit accepts */
static uint64_t least_of(uint64_t whole, const struct report_options *o)
{
	return (uint64_t)(((unsigned __int128)whole * o->limit + 9999) / 10000);
}

/* Remove rows with a small total: in a table sorted by self, they can be anywhere */
static size_t keep_heavy(struct functions *f, uint64_t least, const struct report_options *o)
{
	size_t nr = 0;

	for (size_t i = 0; i < f->nr; i++)
		if (tree_weight(&f->rows[i].total, o->unit) >= least)
			f->rows[nr++] = f->rows[i];
	return o->rows && o->rows < nr ? o->rows : nr;
}

static int give_rows(const struct report *r, struct report_rows *rows, struct functions *f,
		     report_rows_fn fn, void *ctx)
{
	rows->whole = tree_weight(&r->t->nodes[TREE_ROOT].total, r->o.unit);
	rows->rows = f->rows;
	rows->nr = keep_heavy(f, least_of(rows->whole, &r->o), &r->o);
	rows->hidden = f->nr - rows->nr;
	return fn(ctx, r, rows);
}

static int of_frames(const struct report *r, struct report_rows *rows, report_rows_fn fn, void *ctx)
{
	struct functions f;
	int err;

	if (rows->which == REPORT_FILE)
		err = functions_files(&f, r->t, r->o.unit, r->o.sort);
	else if (rows->which == REPORT_COMM)
		err = functions_comms(&f, r->t, r->o.unit);
	else
		err = functions_collect(&f, r->t, r->o.unit, r->o.sort);
	if (!err)
		err = give_rows(r, rows, &f, fn, ctx);
	functions_exit(&f);
	return err;
}

/* Tables that are not made of stacks cover the whole recording: a filter makes them unavailable */
static const char *missing(const struct report *r, enum report_table which)
{
	if (r->is_filtered)
		return "it is of all samples, and some are filtered out (--include, --exclude, --focus)";
	if (which == REPORT_CPU && r->p->span.is_cut)
		return "it is of the whole recording, and this is a part of it (--from, --to)";
	if (which == REPORT_CPU)
		return r->p->nr_cpus ? NULL :
			"the profile holds no figures of CPUs; it was not ended as it should";
	return groups_missing(r->p, report_table_root(which));
}

static int of_groups(const struct report *r, struct report_rows *rows, report_rows_fn fn, void *ctx)
{
	struct functions f = { 0 };
	struct tree *t;
	int err;

	rows->missing = missing(r, rows->which);
	if (rows->missing)
		return fn(ctx, r, rows);
	err = groups_tree(r->p, report_table_root(rows->which), &t);
	if (!err && r->without_idle)
		tree_drop_idle(t);
	if (!err)
		err = tree_finish(t);
	if (!err)
		err = functions_threads(&f, t, r->o.unit);
	if (!err)
		err = give_rows(r, rows, &f, fn, ctx);
	functions_exit(&f);
	tree_destroy(t);
	return err;
}

static int of_cpus(const struct report *r, struct report_rows *rows, report_rows_fn fn, void *ctx)
{
	rows->missing = missing(r, REPORT_CPU);
	return fn(ctx, r, rows);
}

int report_each_table(const struct report *r, report_rows_fn fn, void *ctx)
{
	int err = 0;

	for (int i = 0; i < NR_REPORT_TABLES && !err; i++) {
		struct report_rows rows = { .which = (enum report_table)i };

		if (!(r->o.tables & 1u << i))
			continue;
		if (rows.which == REPORT_CPU)
			err = of_cpus(r, &rows, fn, ctx);
		else if (report_table_root(rows.which) != STACK_ROOT_NONE)
			err = of_groups(r, &rows, fn, ctx);
		else
			err = of_frames(r, &rows, fn, ctx);
	}
	return err;
}

/* -------------------------------------------------------------------- trees */

static int give_wing(const struct report *r, struct report_calls *calls,
		     const struct butterfly *b, report_calls_fn fn, void *ctx)
{
	struct tree *t;
	int err;

	if (calls->which == REPORT_CALLERS)
		err = butterfly_callers(b, &t);
	else
		err = butterfly_callees(b, &t);
	calls->t = t;
	calls->function = b->name;
	if (!err)
		err = fn(ctx, r, calls);
	tree_destroy(t);
	return err;
}

/* Make the callers and callees of one function, as requested */
static int of_function(const struct report *r, const char *name, struct report_calls calls,
		       report_calls_fn fn, void *ctx)
{
	struct butterfly b;
	int err = butterfly_find(&b, r->t, name);

	if (err)
		return err;
	for (int i = REPORT_CALLERS; i <= REPORT_CALLEES && !err; i++) {
		calls.which = (enum report_tree)i;
		if (r->o.trees & 1u << i)
			err = give_wing(r, &calls, &b, fn, ctx);
	}
	butterfly_exit(&b);
	return err;
}

/* Make the callers and callees of each function in the table; equal names in several files count once */
static int of_functions(const struct report *r, struct report_calls calls, report_calls_fn fn,
			void *ctx)
{
	struct functions f;
	int err = functions_collect(&f, r->t, r->o.unit, r->o.sort);
	size_t nr;

	if (err)
		return err;
	nr = keep_heavy(&f, calls.least, &r->o);
	for (size_t i = 0; i < nr && !err; i++)
		err = of_function(r, f.rows[i].frame->name, calls, fn, ctx);
	functions_exit(&f);
	return err;
}

/* Calls are hidden by their share of the path, not of the whole: a path may be small */
static int of_path(const struct report *r, struct report_calls calls, report_calls_fn fn, void *ctx)
{
	struct tree *t;
	int err = path_at(r->t, r->o.at, &t);

	if (err)
		return err;
	calls.which = REPORT_AT;
	calls.function = r->o.at;
	calls.t = t;
	calls.least = least_of(tree_weight(&t->nodes[TREE_ROOT].total, r->o.unit), &r->o);
	err = fn(ctx, r, &calls);
	tree_destroy(t);
	return err;
}

int report_each_tree(const struct report *r, report_calls_fn fn, void *ctx)
{
	uint64_t whole = tree_weight(&r->t->nodes[TREE_ROOT].total, r->o.unit);
	struct report_calls calls = { .whole = whole, .least = least_of(whole, &r->o) };
	int err = 0;

	if (r->o.trees & (1u << REPORT_CALLERS | 1u << REPORT_CALLEES))
		err = r->o.function ? of_function(r, r->o.function, calls, fn, ctx)
				    : of_functions(r, calls, fn, ctx);
	if (!err && r->o.trees & 1u << REPORT_TREE) {
		calls.which = REPORT_TREE;
		calls.t = r->t;
		err = fn(ctx, r, &calls);
	}
	if (!err && r->o.trees & 1u << REPORT_AT)
		err = of_path(r, calls, fn, ctx);
	return err;
}
