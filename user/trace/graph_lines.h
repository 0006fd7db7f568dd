/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graph_lines.h - one line of the tracer function_graph
 *
 * With the options that trace_session.c sets, a line is
 *
 *	TIME |  CPU)  TASK-PID    |   0.521 us    |    function();
 *
 * The task's name is up to seven bytes that any user chose, with newlines and bars.  So a line is recognized by what
 * seven bytes cannot imitate: the time and the CPU at its begin, and the width of the field with the duration.
 */
#ifndef KFLAME_TRACE_GRAPH_LINES_H
#define KFLAME_TRACE_GRAPH_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAPH_COMM	16u
#define GRAPH_LONGEST	4096u	/* bytes of a line with all newlines in the name of its task */

/**
 * enum graph_kind - what a line says
 * @GRAPH_OTHER:	nothing: a comment, or the mark of a task switch or an interrupt
 * @GRAPH_PART:		the begin of a line: the name of the task has a newline
 * @GRAPH_LEAF:		a call of a function that called no other one
 * @GRAPH_ENTRY:	a function was called
 * @GRAPH_EXIT:		a function returned
 * @GRAPH_LOST:		events were lost
 */
enum graph_kind {
	GRAPH_OTHER,
	GRAPH_PART,
	GRAPH_LEAF,
	GRAPH_ENTRY,
	GRAPH_EXIT,
	GRAPH_LOST,
};

/**
 * struct graph_line - a line
 * @time_ns:		of the call, or of the return
 * @duration_ns:	of GRAPH_LEAF and GRAPH_EXIT
 * @depth:		callees have a larger one than their callers
 * @name:		in the text, without an end; @len is 0 if GRAPH_EXIT has no name
 * @lost:		events that were lost; 0 if the kernel does not know how many
 */
struct graph_line {
	enum graph_kind kind;
	uint64_t time_ns;
	uint64_t duration_ns;
	uint64_t lost;
	uint32_t cpu;
	int32_t pid;
	uint32_t depth;
	const char *name;
	size_t len;
	char comm[GRAPH_COMM];
};

/**
 * graph_line_parse() - reads a line
 * @text:	the line without its last newline; after GRAPH_PART, with the next line added
 *
 * Return: its kind.
 */
enum graph_kind graph_line_parse(struct graph_line *l, const char *text, size_t len);

/** lost_events_parse() - reads "CPU:3 [LOST 123 EVENTS]".  Return: whether it is that; @lost as in the struct */
bool lost_events_parse(const char *text, size_t len, uint64_t *lost);

/** trace_time_parse() - reads "63.452590" up to @end.  Return: the first byte behind it; NULL if it is none */
const char *trace_time_parse(const char *at, const char *end, uint64_t *ns);

#endif
