// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * naming_options.c - options of every view: how names are found and shown
 */
#include "naming_options.h"

enum { OPT_NO_DEMANGLE = 0x1000, OPT_RESYMBOLIZE };

static const struct argp_option option_list[] = {
	{ "no-demangle", OPT_NO_DEMANGLE, NULL, 0, "Names as symbol tables have them", 0 },
	{ "resymbolize", OPT_RESYMBOLIZE, NULL, 0,
	  "Look user names up once more, where files or debug files are here now", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct profile_naming *n = state->input;
	(void)arg;

	switch (key) {
	case OPT_NO_DEMANGLE:
		n->mangled = true;
		return 0;
	case OPT_RESYMBOLIZE:
		n->again = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = { .options = option_list, .parser = parse_option };

const struct argp_child naming_children[] = { { &argp, 0, NULL, 0 }, { 0 } };
