/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.h - a call tree whose outermost frames are threads, for formats that have threads
 *
 * In such a tree, each node of depth 1 stands for a thread. It has the name of the thread, and "PID/TID" as its file.
 * Folded stacks and the text of perf script have no threads: their trees are plain.
 */
#ifndef KFLAME_CONVERT_THREADS_H
#define KFLAME_CONVERT_THREADS_H

#include "convert/source.h"

/**
 * struct part - the nodes of all threads, or of one
 * @thread:	the thread's frame; NULL: all threads
 * @base:	nodes of no more depth are no frames of a stack
 * @begin, @end: the nodes
 * @total:	weight of the part
 */
struct part {
	const struct frame *thread;
	uint32_t base;
	uint32_t begin, end;
	struct weight total;
};

/**
 * thread_fn - receives a sample of a profile
 * @frames:	its thread, and then its frames
 *
 * Return: 0, or a negative errno, which ends the walk.
 */
typedef int (*thread_fn)(void *ctx, const struct sample *s, const struct frame *frames, size_t nr);

/** threads_each() - passes all samples of a profile to a callback; may be called again.  Return: as source_each() */
int threads_each(struct source *s, thread_fn fn, void *ctx);

/** threads_tree() - makes a tree as above, not finished.  Return: as source_tree() */
int threads_tree(struct source *s, struct tree **tree);

/** threads_all() - Return: the part with all threads of a finished tree */
struct part threads_all(const struct source *s, const struct tree *t);

/**
 * threads_next() - finds the next thread
 * @p:		the previous one, or what threads_all() returned
 *
 * Return: whether there is one with a weight; none if there is only one thread.
 */
bool threads_next(const struct tree *t, enum tree_unit unit, struct part *p);

/** threads_id() - gets the ids of a part's thread: 0 for all threads */
void threads_id(const struct part *p, unsigned int *pid, unsigned int *tid);

#endif
