/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * times.h - the samples of a profile in order of time, for formats with a time axis
 */
#ifndef KFLAME_CONVERT_TIMES_H
#define KFLAME_CONVERT_TIMES_H

#include "convert/source.h"

/**
 * struct moment - a sample, or the late time of one
 * @time_ns:	when it was recorded, since the recording began
 * @node:	of the tree of threads.h
 */
struct moment {
	uint64_t time_ns;
	uint64_t weight;
	uint32_t node;
};

/** source_has_times() - Return: whether @s has the time of each of its samples */
bool source_has_times(const struct source *s);

/**
 * moments_read() - lists all samples that have a weight in @unit
 * @t:		the finished tree of threads_tree()
 * @all:	out: the list, to be freed; NULL: @s has no times
 *
 * Return: 0 or a negative errno, after an error message.
 */
int moments_read(struct source *s, const struct tree *t, enum tree_unit unit, struct moment **all, size_t *nr);

#endif
