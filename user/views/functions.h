/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h - sums up a call tree by function, by file, or by thread
 */
#ifndef KFLAME_VIEWS_FUNCTIONS_H
#define KFLAME_VIEWS_FUNCTIONS_H

#include "stacks/tree.h"

/**
 * struct function - a row of a table
 * @frame:	the function, file or thread; owned by the tree
 * @self:	weight of the stacks that end in it, not counting the frames of a waker
 * @total:	weight of the stacks that contain it; each stack counts once, even with recursion
 * @mostly:	of a process or a thread: its name in most of its samples; otherwise NULL
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
 * @rows:	the rows
 * @nr:		number of rows
 * @made:	storage of frames that the tree does not own; NULL: there are none
 */
struct functions {
	struct function *rows;
	size_t nr;
	struct frame *made;
};

/**
 * functions_collect() - lists all functions and notes of a finished tree, without threads
 * @sort:	column to sort by, largest first; equal rows are sorted by name and file
 *
 * Return: 0 or -ENOMEM.
 */
int functions_collect(struct functions *f, const struct tree *t, enum tree_unit unit,
		      enum functions_sort sort);

/**
 * functions_files() - sums up samples by program, library and kernel module
 *
 * The frame of a row has the file's name as its name, and no file. Its kind is FRAME_KERNEL or FRAME_USER, or
 * FRAME_NOTE for notes.  Functions without a file are in "[kernel]" or "[no file]".
 */
int functions_files(struct functions *f, const struct tree *t, enum tree_unit unit,
		    enum functions_sort sort);

/** functions_comms() - sums up samples by thread name, and gaps, at any level of the tree */
int functions_comms(struct functions *f, const struct tree *t, enum tree_unit unit);

/**
 * functions_threads() - sums up samples by the outermost frames of a finished tree
 *
 * Thread names below these frames get no rows.  The most frequent one becomes .mostly.
 */
int functions_threads(struct functions *f, const struct tree *t, enum tree_unit unit);

/** functions_exit() - frees the contents of @f */
void functions_exit(struct functions *f);

#endif
