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

#define FLAME_OUTPUT	"flame.svg"	/* where the picture goes by default */

/**
 * struct flame_command - what was asked for
 * @input:	NULL for none
 * @output:	NULL for none
 * @flame:	its title is NULL for what the profile tells, its subtitle for what was recorded
 * @filter:	NULL for none
 * @chart:	what ran when, instead of how much
 * @heatmap:	when how much ran, instead of how much
 * @record:	command line of "kflame record", without its file; NULL where nothing is
 *		to be recorded.  Its strings are of argv
 */
struct flame_command {
	const char *input;
	const char *output;
	struct naming naming;
	struct flame_options flame;
	struct filter *filter;
	bool folded;
	bool chart;
	bool heatmap;
	bool idle;
	bool reverse;
	char **record;
	size_t nr_record, cap_record;
};

/**
 * flame_command_parse() - reads the command line; errors end the process, as argp does it
 *
 * Return: 0 or a negative errno, after an error message.  Free with flame_command_exit().
 */
int flame_command_parse(struct flame_command *c, int argc, char **argv);

void flame_command_exit(struct flame_command *c);

#endif
