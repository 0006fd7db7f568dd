/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_trees.h - text of the tracer function_graph becomes trees of calls, one tree for each outermost call
 *
 * The lines of all CPUs come mixed.  Each task has a tree that grows until its outermost call returns.
 */
#ifndef KFLAME_TRACE_CALL_TREES_H
#define KFLAME_TRACE_CALL_TREES_H

#include "base/hash.h"
#include "base/intern.h"
#include "trace/graph_lines.h"

#define TREE_CALLS	1000000u	/* most calls of a tree */
#define HELD_CALLS	4000000u	/* most calls of all trees that grow: 128 MB */

/**
 * struct call - a call of a function
 * @from_ns:	when it began; 0 if this is not known
 * @duration_ns:	until it returned, with its callees
 * @name:	index in .names of struct call_trees
 * @depth:	0: the outermost call
 * @cpu:	where it began
 * @begin_lost:	it began before the trace, or its begin was lost
 * @end_lost:	it returned after the trace, or its return was lost: the duration is not known
 */
struct call {
	uint64_t from_ns;
	uint64_t duration_ns;
	uint32_t name;
	uint32_t depth;
	uint32_t cpu;
	bool begin_lost;
	bool end_lost;
};

/**
 * struct call_tree - calls of a task, callers before callees
 * @comm:	as it is: any user chose it
 * @left_out:	calls for which there was no room
 */
struct call_tree {
	int32_t pid;
	uint32_t cpu;		/* of idle tasks, which have no pid */
	char comm[GRAPH_COMM];
	struct call *calls;
	size_t nr, cap;
	uint64_t left_out;
};

struct call_trees;

/** call_tree_fn - gets a tree that is complete; the tree is freed after the call.  Return: 0 or a negative errno */
typedef int (*call_tree_fn)(void *ctx, const struct call_trees *all, const struct call_tree *tree);

/** struct growing_tree - the tree of a task, and its calls that have not returned */
struct growing_tree {
	struct call_tree tree;
	struct open_call {
		size_t call;		/* index in .tree.calls */
		uint32_t depth;		/* as in the line */
	} *open;
	size_t nr_open, cap_open;
};

/**
 * struct call_trees - all tasks
 * @lost:	events that the kernel lost
 * @losses:	how often events were lost
 * @left_out:	calls for which there was no room
 * @unreadable:	lines that no known kernel prints
 * @own_pid:	lines of this task are dropped
 */
struct call_trees {
	call_tree_fn done;
	void *ctx;
	struct intern names;
	struct idmap task_of;
	struct growing_tree *tasks;
	size_t nr_tasks, cap_tasks;
	size_t held;
	uint64_t lost, losses, left_out, unreadable;
	int32_t own_pid;
	char line[GRAPH_LONGEST];	/* the begin of the next line */
	size_t line_len;
};

void call_trees_init(struct call_trees *t, call_tree_fn done, void *ctx);

/** call_trees_feed() - takes the next bytes of the text.  Return: 0, -ENOMEM, or what .done() returned */
int call_trees_feed(struct call_trees *t, const char *text, size_t len);

/** call_trees_finish() - reports the trees whose outermost call has not returned.  Return: as call_trees_feed() */
int call_trees_finish(struct call_trees *t);

void call_trees_exit(struct call_trees *t);

#endif
