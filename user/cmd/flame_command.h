/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_command.h - the command line of kflame flame
 */
#ifndef KFLAME_CMD_FLAME_COMMAND_H
#define KFLAME_CMD_FLAME_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"
#include "stacks/filter.h"
#include "stacks/open.h"
#include "views/flame.h"

#define FLAME_OUTPUT	"flame.svg"	/* default path of the picture */

/**
 * struct flame_command - the parsed command line
 * @input:	NULL for none
 * @output:	NULL for none
 * @flame:	title NULL: use that of the profile; subtitle NULL: describe the recording
 * @filter:	NULL for none
 * @has_colors:	an option chooses the colours
 * @has_idle:	an option chooses .idle
 * @chart:	draw a flame chart, over time
 * @heatmap:	draw a heat map, over time
 * @view:	write the page of kflame view
 * @chosen:	an option says what to record, or for how long
 * @record:	command line of "kflame record", without its file; NULL: record nothing. Its
 *		strings belong to argv
 */
struct flame_command {
	const char *input;
	const char *output;
	struct naming naming;
	struct flame_options flame;
	struct filter *filter;
	bool folded;
	bool has_colors;
	bool chart;
	bool heatmap;
	bool view;
	bool with_source;	/* of .view */
	bool idle;
	bool has_idle;
	bool reverse;
	bool chosen;
	char **record;
	size_t nr_record, cap_record;
};

/**
 * flame_command_parse() - parses the command line; argp ends the process after an error
 *
 * Return: 0 or a negative errno, after an error message.  Free with flame_command_exit().
 */
int flame_command_parse(struct flame_command *c, int argc, char **argv);

/** flame_command_use_colors() - chooses the colours of a picture, unless an option did; @waits: it shows waits */
void flame_command_use_colors(struct flame_command *c, bool waits);

void flame_command_exit(struct flame_command *c);

#endif
