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
 * struct diff_command - what was asked for
 * @input:	A and B
 * @output:	NULL: standard output, or diff.svg
 * @picture:	what it looks like; title and subtitle are NULL if they are to be made up
 * @naming:	how names are found and shown
 * @diff:	how to compare
 * @base:	which input changes are relative to: 0 for A, 1 for B
 * @folded:	inputs are folded stacks
 * @idle:	the idle tasks are counted in
 * @flame:	a picture
 * @json:	not text
 */
struct diff_command {
	const char *input[2];
	const char *output;
	struct flame_options picture;
	struct naming naming;
	struct diff_options diff;
	int base;
	bool folded;
	bool idle;
	bool flame;
	bool json;
};

/**
 * diff_parse() - the command line; ends the program where it is wrong, or only asks for help
 *
 * Return: 0, or what command_line_parse() does.
 */
int diff_parse(struct diff_command *c, int argc, char **argv);

#endif
