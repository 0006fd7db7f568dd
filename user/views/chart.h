/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chart.h - samples in order of time as a flame chart
 *
 * Each thread or CPU has a lane.  Time goes from left to right, and callees are below their callers. If a
 * frame is the same in successive samples, it is one box.
 */
#ifndef KFLAME_VIEWS_CHART_H
#define KFLAME_VIEWS_CHART_H

#include "profile/profile.h"
#include "views/flame.h"

struct filter;

/** struct chart_box - a frame, for as long as it stays on the stack */
struct chart_box {
	uint64_t from_ns;	/* since the start of the recording */
	uint64_t to_ns;
	uint32_t frame;		/* index in .frames */
	uint32_t depth;		/* 0: outermost frame of the lane */
};

/**
 * struct chart_lane - a thread or a CPU
 * @pid, @tid:	of the thread; both 0: a CPU's lane
 * @cpu:	of the last sample
 * @comm:	the thread's name, in the profile
 */
struct chart_lane {
	char *name;
	uint32_t pid, tid, cpu;
	const char *comm;
	struct chart_box *boxes; /* callers before callees, then by time */
	size_t nr, cap;
	uint64_t busy_ns;	/* time of all boxes, including those too narrow to draw */
};

/**
 * struct chart - a flame chart
 * @lanes:	by process, the busiest one first, with its threads together; or by CPU
 * @from_ns:	begin of the chart, since the start of the recording
 * @to_ns:	end of the chart
 * @too_narrow:	how many frames were left out, because they are too short
 * @by_look:	time in which the innermost frame was of each kind; all 0: not known
 * @frames:	distinct frames; their strings belong to the profile
 * @is_fine:	tooltips have durations to the nanosecond
 * @private:	state of chart_make(); NULL if somebody else made the lanes
 */
struct chart {
	struct chart_lane *lanes;
	size_t nr_lanes, cap_lanes;
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t too_narrow;
	uint64_t by_look[LOOK_NR];
	struct frame *frames;
	size_t nr_frames, cap_frames;
	bool is_fine;
	struct chart_private *private;
};

/** struct chart_options - what to draw */
struct chart_options {
	bool by_cpu;		/* one lane for each CPU, not for each thread */
	bool idle;		/* draw idle CPUs, too */
	uint64_t shortest_ns;	/* leave out shorter frames, to limit memory and picture size */
	struct filter *filter;	/* NULL: all stacks */
};

/**
 * chart_make() - makes a chart of a profile that was opened with .timeline
 *
 * The chart must not outlive @p.
 *
 * Return: 0 or -ENOMEM; call chart_exit() in both cases.
 */
int chart_make(struct chart *c, const struct profile *p, const struct chart_options *o);

/** chart_exit() - frees the lanes and the array of frames, also if chart_make() did not make them */
void chart_exit(struct chart *c);

/**
 * chart_shortest() -
 *
 * Return: duration in ns of the narrowest frame that @o draws, if the chart lasts @length ns
 */
uint64_t chart_shortest(const struct flame_options *o, uint64_t length);

/**
 * chart_write() - draws the chart; the caller checks @out for errors
 *
 * Return: 0 or -ENOMEM.
 */
int chart_write(FILE *out, const struct chart *c, const struct flame_options *o, struct flame_result *result);

#endif
