/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_flame.h - compares two profiles as a flame graph
 *
 * Widths show DIFF_OTHER, colours show changes.  Paths that DIFF_OTHER lacks have vanished. They are drawn
 * beside the others, below a note, with their old width.
 */
#ifndef KFLAME_VIEWS_DIFF_FLAME_H
#define KFLAME_VIEWS_DIFF_FLAME_H

#include "views/diff.h"
#include "views/flame.h"

/**
 * struct diff_flame - a differential flame graph; diff_flame_exit() frees it
 * @d:		the comparison
 * @width:	the drawn tree; vanished paths are scaled to the size of DIFF_OTHER unless raw
 * @base:	base weight of each node; at the root, vanished paths count twice
 * @tower:	index of the note above the vanished paths; TREE_NONE: no path vanished
 * @note:	name of the note
 * @paint:	for struct flame_options
 */
struct diff_flame {
	const struct diff *d;
	struct tree *width;
	struct tree *base;
	uint32_t tower;
	char note[40];
	struct flame_paint paint;
};

/** diff_flame_make() - makes the graph; @f must not move while it is in use.  Return: 0 or -ENOMEM */
int diff_flame_make(struct diff_flame *f, const struct diff *d);

/** diff_flame_exit() - frees the contents of @f */
void diff_flame_exit(struct diff_flame *f);

/** diff_flame_vanished() - Return: weight of the vanished paths, on the base side */
struct weight diff_flame_vanished(const struct diff_flame *f);

#endif
