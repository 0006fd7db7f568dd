/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_options.h - the command line of kflame trace
 */
#ifndef KFLAME_CMD_TRACE_OPTIONS_H
#define KFLAME_CMD_TRACE_OPTIONS_H

#include "record/options.h"
#include "trace/trace_session.h"

/**
 * struct trace_options - what was asked for
 * @request:	for trace_session_open(); its lists belong to this struct
 * @pids:	processes to trace
 * @duration_ns: 0: until the command ends, or until a signal
 * @output:	picture to write; NULL: none
 * @command:	its words; NULL: none
 */
struct trace_options {
	struct trace_request request;
	struct id_list pids;
	uint64_t duration_ns;
	const char *output;
	char **command;
};

/**
 * trace_options_parse() - parses the command line; an error ends the process, after a message
 * @argv:	must live as long as @o
 *
 * Return: 0 or -ENOMEM, after a message.  Free @o with trace_options_exit().
 */
int trace_options_parse(struct trace_options *o, int argc, char **argv);

void trace_options_exit(struct trace_options *o);

#endif
