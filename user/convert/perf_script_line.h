/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_script_line.h - parses single lines of "perf script"
 */
#ifndef KFLAME_CONVERT_PERF_SCRIPT_LINE_H
#define KFLAME_CONVERT_PERF_SCRIPT_LINE_H

#include "stacks/stacks.h"

/**
 * struct perf_header - the first line of a sample; all strings point into the line
 * @comm:	name of the thread; may be empty
 * @event:	"" if the line has none
 * @rest:	the text after the header: a frame, or the values of a tracepoint
 * @period:	0: unknown
 * @wide:	@rest is a number in a column of 16, as perf prints an address
 * @has_time:	the header has a time or a CPU
 * @is_bare:	the header has a thread and its id only, as any text may have
 * @is_record:	this is no sample, but an event of a task or a mapping: PERF_RECORD_...
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
	bool is_bare;
	bool is_record;
};

/** perf_header_parse() - Return: whether @line is a header; if so, it is split into strings */
bool perf_header_parse(char *line, struct perf_header *h);

/** perf_header_is_branch() - Return: whether the text after the header is a branch, "FROM => TO" */
bool perf_header_is_branch(const struct perf_header *h);

/** perf_header_frame() - Return: the frame in the text after the header; NULL for none */
char *perf_header_frame(const struct perf_header *h);

/** perf_line_is_branch() - Return: whether a line that should be a frame is a branch, "FROM => TO" */
bool perf_line_is_branch(const char *line);

/**
 * perf_line_is_code() - is a line an instruction (-F +brstackinsn), source code (-F +srccode) or a dump (-D)?
 *
 * An instruction looks like a thread's id and an event. So look for code first.
 */
bool perf_line_is_code(const char *line);

/** perf_line_is_extra() - is a line, if no header, one of those that some -F print after a stack? */
bool perf_line_is_extra(const char *line);

/** perf_frame_inlined() - changes a frame into an inlined one; the kernel's keep their kind */
void perf_frame_inlined(struct frame *f, struct place *at);

/**
 * perf_frame_parse() - parses a frame; strings point into @line, which is split.
 *
 * Return: whether it is one
 */
bool perf_frame_parse(char *line, struct frame *f, struct place *at);

#endif
