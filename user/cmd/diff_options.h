/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_options.h - the command line of kflame diff
 */
#ifndef KFLAME_CMD_DIFF_OPTIONS_H
#define KFLAME_CMD_DIFF_OPTIONS_H

#include "profile/profile.h"
#include "stacks/open.h"
#include "views/diff.h"
#include "views/flame.h"

/**
 * struct diff_command - the parsed command line
 * @input:	A and B
 * @against:	which profiles of a store are B; NULL: none
 * @output:	NULL: standard output, or diff.svg
 * @picture:	its appearance; title and subtitle are NULL for the default ones
 * @naming:	how names are found and shown
 * @diff:	how to compare
 * @base:	the input that changes are relative to: 0 for A, 1 for B
 * @folded:	inputs are folded stacks
 * @idle:	count the idle tasks, too
 * @has_idle:	an option chose .idle
 * @flame:	draw a picture
 * @json:	write JSON, not text
 */
struct diff_command {
	const char *input[2];
	const char *against;
	const char *output;
	struct flame_options picture;
	struct naming naming;
	struct diff_options diff;
	int base;
	bool folded;
	bool idle;
	bool has_idle;
	bool flame;
	bool json;
};

/**
 * diff_parse() - parses the command line; an error, or --help, ends the program
 *
 * Return: 0, or what command_line_parse() does.
 */
int diff_parse(struct diff_command *c, int argc, char **argv);

#endif
