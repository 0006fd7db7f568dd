/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_script_read.h - reads samples from the text that "perf script" prints
 *
 * No specification of the text exists. perf-script(1) and the output of perf show its form: a line "COMM
 * PID[/TID] [CPU] SECONDS: PERIOD EVENT:", then a line "ADDRESS SYMBOL+OFFSET (FILE)" for each frame,
 * innermost first, then an empty line. Without stacks, the frame is on the first line.  The text is
 * untrusted.
 */
#ifndef KFLAME_CONVERT_PERF_SCRIPT_READ_H
#define KFLAME_CONVERT_PERF_SCRIPT_READ_H

#include <stdio.h>

#include "stacks/stacks.h"

/* Events in texts that kflame wrote: their period is the sum of a whole stack */
#define PERF_SCRIPT_SAMPLES	"samples"
#define PERF_SCRIPT_NS		"nanoseconds"

/**
 * struct perf_script_result - statistics of reading
 * @samples:	number of samples passed to the callback
 * @bad:	number of unreadable lines, which were skipped
 * @first_bad:	line number of the first one, from 1
 * @others:	number of samples of other events than the chosen one
 */
struct perf_script_result {
	uint64_t samples;
	uint64_t bad;
	uint64_t first_bad;
	uint64_t others;
};

/**
 * perf_script_read() - passes every sample of a text to @fn
 * @in:		read to its end
 * @name:	name of the text, for messages
 * @event:	the event to read; NULL if there is only one
 * @fn:		receives the samples; the thread's name is the FRAME_COMM.  The period of a clock event
 *		(cpu-clock, task-clock) is time in nanoseconds; samples of other events have no time
 *
 * The first bad lines are reported on standard error with their line numbers.
 *
 * Return: 0, even with bad lines; -EINVAL if there are several events and none was chosen, after an
 * error message; another negative errno (read error, memory); or the value that @fn returned.
 */
int perf_script_read(FILE *in, const char *name, const char *event, sample_fn fn, void *ctx,
		     struct perf_script_result *result);

#endif
