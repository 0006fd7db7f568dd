/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_lines.h - a call tree as lines of text: which nodes are shown, in which order, how far in
 *
 * Callers come before callees, siblings by weight.  A chain of calls, each all that its caller
 * is shown to do, is indented once: a stack of 1,000 frames stays readable.
 */
#ifndef KFLAME_VIEWS_CALL_LINES_H
#define KFLAME_VIEWS_CALL_LINES_H

#include "stacks/tree.h"

/**
 * struct call_line - a node that is shown
 * @node:	index in the tree
 * @level:	how far it is indented; 0 for the outermost
 * @chained:	stands below its caller, at the same level
 * @last:	no sibling follows
 */
struct call_line {
	uint32_t node;
	uint32_t level;
	bool chained;
	bool last;
};

/**
 * struct call_lines - the lines; call_lines_exit() frees them
 * @all:	in the order in which they are shown; the root is not among them
 * @nr:		how many
 * @hidden:	nodes that weigh something, and less than they must
 */
struct call_lines {
	struct call_line *all;
	size_t nr;
	uint64_t hidden;
};

/**
 * call_lines_make() - the lines of a finished tree
 * @least:	nodes that weigh less are left out
 *
 * Return: 0 or -ENOMEM.
 */
int call_lines_make(struct call_lines *l, const struct tree *t, enum tree_unit unit,
		    uint64_t least);

/** call_lines_exit() - frees what is in @l */
void call_lines_exit(struct call_lines *l);

#endif
