/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_options.h - the command line of kflame report
 */
#ifndef KFLAME_CMD_REPORT_OPTIONS_H
#define KFLAME_CMD_REPORT_OPTIONS_H

#include "profile/profile.h"
#include "stacks/filter.h"
#include "stacks/open.h"
#include "views/report.h"

/**
 * struct report_command - what was asked for
 * @input:	NULL: kflame.data
 * @output:	NULL: standard output
 * @naming:	how names are found and shown
 * @filter:	NULL: all stacks; to be freed
 * @report:	what is reported
 * @annotate:	this function is annotated; NULL: none
 * @tui:	to be looked at in a terminal, not printed
 * @idle:	the idle tasks are counted in
 * @json:	not text
 */
struct report_command {
	const char *input;
	const char *output;
	struct naming naming;
	struct filter *filter;
	struct report_options report;
	const char *annotate;
	bool idle;
	bool json;
	bool tui;
};

/**
 * report_parse() - the command line; ends the program where it is wrong, or only asks for help
 *
 * Return: 0, or what command_line_parse() does.
 */
int report_parse(struct report_command *c, int argc, char **argv);

#endif
