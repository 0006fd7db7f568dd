/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chart.h - samples in order of time as a flame chart: what ran when
 *
 * A lane for each thread or CPU, one below the other; in it frames from left to right as they
 * came, callees below their callers.  What is the same before and after is one frame.
 */
#ifndef KFLAME_VIEWS_CHART_H
#define KFLAME_VIEWS_CHART_H

#include "profile/profile.h"
#include "views/flame.h"

struct filter;

/** struct chart_box - a frame, as long as it was the same */
struct chart_box {
	uint64_t from_ns;	/* since the start of the recording */
	uint64_t to_ns;
	uint32_t frame;		/* index in .frames */
	uint32_t depth;		/* 0: nothing of its lane calls it */
};

/** struct chart_lane - a thread or a CPU */
struct chart_lane {
	char *name;
	struct chart_box *boxes; /* callers before callees, earlier ones before later ones */
	size_t nr, cap;
	uint64_t busy_ns;	/* time that is drawn, or too narrow to be */
	uint32_t rows;
};

/**
 * struct chart - what ran when
 * @lanes:	the process that ran most first, its threads together; or by CPU
 * @from_ns:	where it begins, since the start of the recording
 * @to_ns:	one past its end
 * @too_narrow:	frames that are shorter than was asked for, and not in it
 * @frames:	distinct ones; their strings are the profile's
 * @private:	of chart.c
 */
struct chart {
	struct chart_lane *lanes;
	size_t nr_lanes, cap_lanes;
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t too_narrow;
	struct frame *frames;
	size_t nr_frames, cap_frames;
	struct chart_private *private;
};

/** struct chart_options - what is wanted */
struct chart_options {
	bool by_cpu;		/* lanes are CPUs, not threads */
	bool idle;		/* idle CPUs, too */
	uint64_t shortest_ns;	/* leave out what is shorter: memory and picture stay small */
	struct filter *filter;	/* NULL: all stacks */
};

/**
 * chart_make() - from a profile that was opened with .timeline
 *
 * What it has lives as long as @p.
 *
 * Return: 0 or -ENOMEM; chart_exit() is due in any case.
 */
int chart_make(struct chart *c, const struct profile *p, const struct chart_options *o);

void chart_exit(struct chart *c);

/** chart_shortest() - Return: how long what is just wide enough for @o takes, ns, of @length */
uint64_t chart_shortest(const struct flame_options *o, uint64_t length);

/** chart_write() - draws it; errors of @out are left for the caller to find */
void chart_write(FILE *out, const struct chart *c, const struct flame_options *o,
		 struct flame_result *result);

#endif
