/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_chart.h - trees of calls as a flame chart: a lane for each task
 */
#ifndef KFLAME_CMD_TRACE_CHART_H
#define KFLAME_CMD_TRACE_CHART_H

#include "base/hash.h"
#include "base/intern.h"
#include "trace/call_trees.h"
#include "views/chart.h"

#define CHART_CALLS	5000000u	/* most calls of a chart: 120 MB */

/**
 * struct trace_chart - a chart that grows; all zero is an empty one
 * @names:	strings of the chart's frames
 * @left_out:	calls for which there was no room
 */
struct trace_chart {
	struct chart chart;
	struct intern names;
	struct idmap lane_of;
	size_t calls;
	uint64_t left_out;
};

/** trace_chart_add() - adds a tree.  Return: 0 or -ENOMEM */
int trace_chart_add(struct trace_chart *c, const struct call_trees *all, const struct call_tree *tree);

/**
 * trace_chart_write() - draws the chart, once
 * @o:	title and second line
 */
int trace_chart_write(FILE *out, struct trace_chart *c, const struct flame_options *o, struct flame_result *result);

void trace_chart_exit(struct trace_chart *c);

#endif
