/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_script_line.h - takes the lines of "perf script" apart
 */
#ifndef KFLAME_CONVERT_PERF_SCRIPT_LINE_H
#define KFLAME_CONVERT_PERF_SCRIPT_LINE_H

#include "stacks/stacks.h"

/**
 * struct perf_header - the first line of a sample; strings are in the line
 * @comm:	the thread's name; may be empty
 * @event:	"" where the text does not tell it
 * @rest:	what follows: a frame, or a tracepoint's values
 * @period:	0: unknown
 * @wide:	@rest is a number in a column of 16, as perf prints an address
 * @has_time:	it has a time, or a CPU
 * @is_record:	it is no sample, but an event of a task or a mapping: PERF_RECORD_...
 */
struct perf_header {
	char *comm;
	char *event;
	char *rest;
	uint32_t tgid;
	uint32_t tid;
	uint64_t period;
	bool wide;
	bool has_time;
	bool is_record;
};

/** perf_header_parse() - Return: whether @line is one; it is cut into strings then */
bool perf_header_parse(char *line, struct perf_header *h);

/** perf_header_is_branch() - Return: whether what follows the header is a branch, "FROM => TO" */
bool perf_header_is_branch(const struct perf_header *h);

/** perf_header_has_frame() - Return: whether what follows may be a frame, not a tracepoint's text */
bool perf_header_has_frame(const struct perf_header *h);

/** perf_frame_parse() - a frame; strings are in @line, which is cut.  Return: whether it is one */
bool perf_frame_parse(char *line, struct frame *f, struct place *at);

#endif
