// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter_options.c - options of views: which stacks to show
 */
#include <errno.h>
#include <stdlib.h>

#include "cmd/filter_options.h"
#include "cmd/naming_options.h"
#include "cmd/range_options.h"

enum { OPT_INCLUDE = 0x2000, OPT_EXCLUDE, OPT_FOCUS, OPT_NO_SELF };

/* The name of kflame's own processes, as the outermost frame */
#define ITSELF	"^kflame$"

static const struct argp_option option_list[] = {
	{ "include", OPT_INCLUDE, "REGEX", 0, "Only stacks with a name that matches", 0 },
	{ "exclude", OPT_EXCLUDE, "REGEX", 0, "No stacks with a name that matches", 0 },
	{ "focus", OPT_FOCUS, "REGEX", 0, "Only what matches and what it calls", 0 },
	{ "no-self", OPT_NO_SELF, NULL, OPTION_HIDDEN, "No stacks of kflame's own processes", 0 },
	{ 0 }
};

static error_t add(struct filter **f, enum filter_rule rule, const char *regex,
		   struct argp_state *state)
{
	char why[200];
	int err = -ENOMEM;

	if (!*f)
		*f = filter_create();
	if (*f)
		err = filter_add(*f, rule, regex, why, sizeof(why));
	if (err == -EINVAL)
		argp_error(state, "'%s' is no regular expression: %s", regex, why);
	else if (err)
		argp_failure(state, EXIT_FAILURE, -err, "'%s'", regex);
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case OPT_INCLUDE:
		return add(state->input, FILTER_INCLUDE, arg, state);
	case OPT_EXCLUDE:
		return add(state->input, FILTER_EXCLUDE, arg, state);
	case OPT_FOCUS:
		return add(state->input, FILTER_FOCUS, arg, state);
	case OPT_NO_SELF:
		return add(state->input, FILTER_EXCLUDE, ITSELF, state);
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp filter_argp = { .options = option_list, .parser = parse_option };

const struct argp_child view_children[] = {
	{ &filter_argp, 0, NULL, 2 }, { &naming_argp, 0, NULL, 2 }, { &range_argp, 0, NULL, 2 }, { 0 }
};
