// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_info.c - kflame info
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>

#include "base/message.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/naming_options.h"
#include "profile/profile.h"
#include "stacks/open.h"
#include "views/info.h"

enum {
	OPT_CPUS = 256,
	OPT_PACKAGES,
	OPT_RAW,
	OPT_SYMBOLS,
};

struct options {
	struct naming naming;
	const char *input;
	bool cpus;
	bool packages;
	bool raw;
};

static const struct argp_option arguments[] = {
	{ "input", 'i', "FILE", 0, "Profile to read, - for stdin (kflame.data)", 0 },
	{ "cpus", OPT_CPUS, NULL, 0, "Print each CPU, however many there are", 0 },
	{ "packages", OPT_PACKAGES, NULL, 0, "Ask which packages have the missing symbols", 0 },
	{ "raw", OPT_RAW, NULL, 0, "Print key=value lines for programs", 0 },
	{ "symbols", OPT_SYMBOLS, "DIR", 0, "Unpacked archive, or copy of the root, to look in first", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'i':
		o->input = arg;
		return 0;
	case OPT_CPUS:
		o->cpus = true;
		return 0;
	case OPT_PACKAGES:
		o->packages = true;
		return 0;
	case OPT_RAW:
		o->raw = true;
		return 0;
	case OPT_SYMBOLS:
		return naming_take_symbols(&o->naming, arg, state);
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is no option; name a profile with -i", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = arguments,
	.parser = parse,
	.doc = "Show what was recorded, and whether every sample is accounted for.",
};

int cmd_info(int argc, char **argv)
{
	struct options o = { .naming.every_event = true };
	unsigned int wrong;
	struct profile *p;
	int status;

	if (command_line_parse(&argp, argc, argv, 0, &o))
		return 2;
	p = open_profile(o.input, &o.naming);
	if (!p)
		return 1;
	wrong = o.raw ? info_print_raw(stdout, p) : info_print(stdout, p, o.cpus, o.packages);
	/* In a profile that was cut off, the accounting need not add up */
	status = wrong ? 1 : profile_status(p);
	profile_destroy(p);
	return close_stdout() ? 1 : status;
}
