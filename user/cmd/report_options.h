/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_options.h - the command line of kflame report
 */
#ifndef KFLAME_CMD_REPORT_OPTIONS_H
#define KFLAME_CMD_REPORT_OPTIONS_H

#include "profile/profile.h"
#include "stacks/filter.h"
#include "stacks/open.h"
#include "views/function_by.h"
#include "views/report.h"

/**
 * struct report_command - the parsed command line
 * @input:	NULL: kflame.data
 * @output:	NULL: standard output
 * @naming:	how names are found and shown
 * @filter:	NULL: all stacks; to be freed
 * @report:	contents of the report
 * @by_default:	no option chose the contents
 * @runq:	show how long threads waited for a CPU
 * @locks:	show how long threads waited for locks
 * @latency:	weigh samples by how many threads ran at once
 * @annotate:	function to annotate; NULL: none
 * @function:	the table of --function; .function is NULL for none
 * @by:		argument of --by; NULL: none
 * @by_unknown:	the first word of it that is no table
 * @tui:	show the profile interactively in a terminal
 * @idle:	count the idle tasks, too
 * @has_idle:	an option chose .idle
 * @json:	write JSON, not text
 */
struct report_command {
	const char *input;
	const char *output;
	struct naming naming;
	struct filter *filter;
	struct report_options report;
	bool by_default;
	bool runq;
	bool locks;
	bool latency;
	const char *annotate;
	struct function_by function;
	const char *by;
	const char *by_unknown;
	bool idle;
	bool has_idle;
	bool json;
	bool tui;
};

/**
 * report_parse() - parses the command line; an error, or --help, ends the program
 *
 * Return: 0, or what command_line_parse() does.
 */
int report_parse(struct report_command *c, int argc, char **argv);

#endif
