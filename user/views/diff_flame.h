/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_flame.h - two profiles compared, as a flame graph
 *
 * Widths are those of DIFF_OTHER, colours are changes.  Paths that vanished are drawn beside it below
 * a note, as wide as they were.
 */
#ifndef KFLAME_VIEWS_DIFF_FLAME_H
#define KFLAME_VIEWS_DIFF_FLAME_H

#include "views/diff.h"
#include "views/flame.h"

/**
 * struct diff_flame - a differential flame graph; diff_flame_exit() frees it
 * @d:		what is compared
 * @width:	what is drawn; vanished paths are scaled to the size of DIFF_OTHER unless raw
 * @base:	what each node of it weighed; of the root, with vanished paths twice
 * @tower:	index of the note that vanished paths are below; TREE_NONE: none vanished
 * @note:	the name of the note
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

/** diff_flame_make() - must not move while it is in use.  Return: 0 or -ENOMEM */
int diff_flame_make(struct diff_flame *f, const struct diff *d);

/** diff_flame_exit() - frees what is in @f */
void diff_flame_exit(struct diff_flame *f);

/** diff_flame_vanished() - Return: what the paths that vanished weighed, on the side of the base */
struct weight diff_flame_vanished(const struct diff_flame *f);

#endif
