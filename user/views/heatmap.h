/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heatmap.h - activity over time: one column for each second, divided into fifty cells
 *
 * The picture is like that of FlameScope.  Activity that repeats within a second becomes a visible pattern. A
 * range that is selected in the picture becomes the arguments of --from and --to.
 */
#ifndef KFLAME_VIEWS_HEATMAP_H
#define KFLAME_VIEWS_HEATMAP_H

#include "profile/profile.h"
#include "views/flame.h"

struct filter;

/**
 * struct heatmap_options - what to draw
 * @idle:	count idle CPUs, too
 * @filter:	NULL: all stacks
 * @command:	shell command that draws a selected range, without --from and --to
 */
struct heatmap_options {
	bool idle;
	struct filter *filter;
	const char *command;
};

/**
 * heatmap_write() - draws a profile that was opened with .timeline
 * @o:		only title, subtitle and width are used
 *
 * The caller checks @out for errors.
 *
 * Return: 0; -ENOMEM; -ENODATA if the filter leaves no sample, and nothing was written.
 */
int heatmap_write(FILE *out, const struct profile *p, const struct heatmap_options *h,
		  const struct flame_options *o, struct flame_result *result);

#endif
