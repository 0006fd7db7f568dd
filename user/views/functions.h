/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h - a call tree summed up by function, by file, and by thread
 */
#ifndef KFLAME_VIEWS_FUNCTIONS_H
#define KFLAME_VIEWS_FUNCTIONS_H

#include "stacks/tree.h"

/**
 * struct function - a row of a table
 * @frame:	what it is; belongs to the tree
 * @self:	weight of the stacks that end in it
 * @total:	weight of the stacks it is in; one that calls itself counts once
 * @mostly:	of a process or a thread: the name that it had in most samples; else NULL
 */
struct function {
	const struct frame *frame;
	struct weight self;
	struct weight total;
	const struct frame *mostly;
};

enum functions_sort { SORT_SELF, SORT_TOTAL };

/**
 * struct functions - a table; functions_exit() frees it
 * @rows:	its rows
 * @nr:		how many
 * @made:	storage of frames that are not the tree's; NULL: all are
 */
struct functions {
	struct function *rows;
	size_t nr;
	struct frame *made;
};

/**
 * functions_collect() - all functions and notes of a finished tree, without threads
 * @sort:	largest first; what is equal comes by name and file
 *
 * Return: 0 or -ENOMEM.
 */
int functions_collect(struct functions *f, const struct tree *t, enum tree_unit unit,
		      enum functions_sort sort);

/**
 * functions_files() - samples by program, library and kernel module
 *
 * A row's frame is named as the file, and has none; its kind is FRAME_KERNEL, FRAME_USER or, for
 * what is no function, FRAME_NOTE.  What has no file is in "[kernel]" or "[no file]".
 */
int functions_files(struct functions *f, const struct tree *t, enum tree_unit unit,
		    enum functions_sort sort);

/** functions_comms() - threads by name, and gaps, below whatever they are in the tree */
int functions_comms(struct functions *f, const struct tree *t, enum tree_unit unit);

/**
 * functions_threads() - samples by the outermost frames of a finished tree
 *
 * From the names on one .mostly is chosen; they have no rows.
 */
int functions_threads(struct functions *f, const struct tree *t, enum tree_unit unit);

/** functions_exit() - frees what is in @f */
void functions_exit(struct functions *f);

#endif
