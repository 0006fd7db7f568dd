/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_lines.h - a call tree as lines of text: selection, order and indentation of its nodes
 *
 * Callers come before callees, and siblings by weight.  If a function has one shown callee and no other
 * weight, the callee is not indented further. So a stack of 1,000 frames stays readable.
 */
#ifndef KFLAME_VIEWS_CALL_LINES_H
#define KFLAME_VIEWS_CALL_LINES_H

#include "stacks/tree.h"

/**
 * struct call_line - one shown node
 * @node:	index in the tree
 * @level:	indentation; 0 for the outermost nodes
 * @chained:	the caller is the line above, at the same level
 * @last:	no sibling follows
 */
struct call_line {
	uint32_t node;
	uint32_t level;
	bool chained;
	bool last;
};

/**
 * struct call_lines - the lines of a tree; call_lines_exit() frees them
 * @all:	in display order, without the root
 * @nr:		number of lines
 * @hidden:	number of nodes with a weight that is too small
 */
struct call_lines {
	struct call_line *all;
	size_t nr;
	uint64_t hidden;
};

/**
 * call_lines_make() - makes the lines of a finished tree
 * @least:	smallest weight of a shown node
 *
 * Return: 0 or -ENOMEM.
 */
int call_lines_make(struct call_lines *l, const struct tree *t, enum tree_unit unit,
		    uint64_t least);

/** call_lines_exit() - frees the contents of @l */
void call_lines_exit(struct call_lines *l);

#endif
