/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_script_read.h - samples from the text that "perf script" prints
 *
 * The text has no specification; what it looks like is in perf-script(1) and in what perf prints:
 * a line "COMM PID[/TID] [CPU] SECONDS: PERIOD EVENT:", then a line "ADDRESS SYMBOL+OFFSET (FILE)"
 * for each frame, innermost first, then an empty line; where stacks were not recorded, the
 * frame is on the first line.  Nothing in it is trusted.
 */
#ifndef KFLAME_CONVERT_PERF_SCRIPT_READ_H
#define KFLAME_CONVERT_PERF_SCRIPT_READ_H

#include <stdio.h>

#include "stacks/stacks.h"

/* Events of our own texts, whose periods are sums of a whole stack */
#define PERF_SCRIPT_SAMPLES	"samples"
#define PERF_SCRIPT_NS		"nanoseconds"

/**
 * struct perf_script_result - what came of reading
 * @samples:	that were given out
 * @bad:	lines that made no sense, and were skipped
 * @first_bad:	number of the first of them, from 1
 * @others:	samples of other events than the one that was asked for
 */
struct perf_script_result {
	uint64_t samples;
	uint64_t bad;
	uint64_t first_bad;
	uint64_t others;
};

/**
 * perf_script_read() - gives out every sample of a text
 * @in:		read to its end
 * @name:	its name, for messages
 * @event:	the event to read; NULL where there is only one
 * @fn:		gets them: the thread's name is the FRAME_COMM.  A sample of a clock (cpu-clock,
 *		task-clock) stands for its period in nanoseconds, another for no time
 *
 * The first few bad lines are reported on standard error with their numbers.
 *
 * Return: 0, also where lines were bad; -EINVAL where there are several events and none was chosen,
 * after an error message; another negative errno (read error, memory); or what @fn returned.
 */
int perf_script_read(FILE *in, const char *name, const char *event, sample_fn fn, void *ctx,
		     struct perf_script_result *result);

#endif
