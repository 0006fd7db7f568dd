/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heatmap.h - when how much ran: a column a second, its fiftieths one above the other
 *
 * As FlameScope has it.  What repeats within a second is a pattern, and a range that is picked
 * in it is what --from and --to take.
 */
#ifndef KFLAME_VIEWS_HEATMAP_H
#define KFLAME_VIEWS_HEATMAP_H

#include "profile/profile.h"
#include "views/flame.h"

struct filter;

/**
 * struct heatmap_options - what is wanted
 * @idle:	idle CPUs count as well
 * @filter:	NULL: all stacks
 * @command:	what draws a part, but for --from and --to; shell words
 */
struct heatmap_options {
	bool idle;
	struct filter *filter;
	const char *command;
};

/**
 * heatmap_write() - draws a profile that was opened with .timeline
 * @o:		title, subtitle and width count
 *
 * Errors of @out are left for the caller to find.
 *
 * Return: 0, -ENOMEM; -ENODATA where the filter leaves nothing: then nothing was written.
 */
int heatmap_write(FILE *out, const struct profile *p, const struct heatmap_options *h,
		  const struct flame_options *o, struct flame_result *result);

#endif
