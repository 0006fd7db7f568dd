// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_options.c - the command line of kflame diff
 */
#include <argp.h>
#include <string.h>

#include "cmd/command_line.h"
#include "cmd/diff_options.h"
#include "cmd/naming_options.h"
#include "cmd/picture_options.h"
#include "cmd/range_options.h"
#include "cmd/view_options.h"

enum { OPT_FOLDED = 256, OPT_BASE, OPT_RAW, OPT_SORT, OPT_FLAME, OPT_JSON, OPT_SAMPLES,
	OPT_TIME, OPT_IDLE, OPT_NO_IDLE, OPT_WALL, OPT_AGAINST };

static const struct argp_option option_list[] = {
	{ "output", 'o', "FILE", 0, "File to write; a picture if it ends in .svg", 0 },
	{ "folded", OPT_FOLDED, NULL, 0, "A and B hold folded stacks", 0 },
	{ "base", OPT_BASE, "SIDE", 0, "What changes are relative to: A or B (A)", 1 },
	{ "against", OPT_AGAINST, "TEST", OPTION_HIDDEN, "Of the store, these profiles are B, and those of --where A", 1 },
	{ "raw", OPT_RAW, NULL, 0, "Compare samples, not shares", 1 },
	{ "sort", OPT_SORT, "BY", 0, "What is compared: self or total (self)", 1 },
	{ "rows", 'n', "ROWS", 0, "Most rows of a table, 0 for all (20)", 1 },
	{ "flame", OPT_FLAME, NULL, 0, "Draw a differential flame graph (diff.svg)", 1 },
	{ "json", OPT_JSON, NULL, 0, "The tables as JSON, all rows", 1 },
	{ "samples", OPT_SAMPLES, NULL, OPTION_HIDDEN, "Compare samples (the default)", 1 },
	{ "time", OPT_TIME, NULL, 0, "Compare time; p is still of samples", 1 },
	{ "idle", OPT_IDLE, NULL, 0, "Count the idle tasks in", 1 },
	{ "no-idle", OPT_NO_IDLE, NULL, OPTION_HIDDEN, "Leave them out (the default)", 1 },
	{ "wall", OPT_WALL, NULL, OPTION_HIDDEN, "All time of threads: running and waiting (record --wall)", 1 },
	{ 0 }
};

static void parse_base(struct diff_command *c, const char *arg, struct argp_state *state)
{
	if (strcmp(arg, "A") && strcmp(arg, "B") && strcmp(arg, "a") && strcmp(arg, "b"))
		argp_error(state, "--base is A, the first file, or B, the second one; not '%s'", arg);
	c->base = *arg == 'B' || *arg == 'b';
}

static void finish(struct diff_command *c, struct argp_state *state)
{
	size_t len = c->output ? strlen(c->output) : 0;

	if (c->naming.store) {
		if (c->input[0])
			argp_error(state, "with --store, A and B are parts of the store: leave '%s' away", c->input[0]);
		if (!c->naming.where || !c->against)
			argp_error(state, "with --store, --where selects A, and --against selects B: give both");
		c->input[0] = c->naming.where;
		c->input[1] = c->against;
	} else if (c->against) {
		argp_error(state, "--against selects profiles of a store: name it by --store DIR");
	}
	if (!c->input[1])
		argp_error(state, "two files are compared; name A and B");
	else if (!strcmp(c->input[0], "-") && !strcmp(c->input[1], "-"))
		argp_error(state, "only one of the files can be standard input");
	if (len > 4 && !strcmp(c->output + len - 4, ".svg") && !c->json)
		c->flame = true;
	if (c->flame && c->json)
		argp_error(state, "--json is of the tables; leave out --flame");
	c->diff.counted = c->picture.count_name;
	if (c->diff.counted && !c->folded)
		argp_error(state, "of a profile samples are counted; --count-name is for --folded");
	if (c->folded)
		naming_refuse(&c->naming, state);
	/* All time includes that of idle CPUs */
	if (c->naming.wall && !c->has_idle)
		c->idle = true;
}

static error_t parse_file(struct diff_command *c, char *arg, struct argp_state *state)
{
	if (state->arg_num > 1)
		argp_error(state, "two files are compared, not three: '%s'", arg);
	else
		c->input[state->arg_num] = arg;
	return 0;
}

static error_t parse_how(int key, char *arg, struct argp_state *state)
{
	struct diff_command *c = state->input;

	switch (key) {
	case OPT_BASE:
		parse_base(c, arg, state);
		return 0;
	case OPT_RAW:
		c->diff.raw = true;
		return 0;
	case OPT_SORT:
		view_sort(&c->diff.sort, arg, state);
		return 0;
	case 'n':
		view_rows(&c->diff.rows, arg, state);
		return 0;
	case OPT_SAMPLES:
	case OPT_TIME:
		c->diff.unit = key == OPT_TIME ? TREE_NS : TREE_SAMPLES;
		return 0;
	case OPT_IDLE:
	case OPT_NO_IDLE:
		c->idle = key == OPT_IDLE;
		c->has_idle = true;
		return 0;
	case OPT_AGAINST:
		c->against = arg;
		return 0;
	case OPT_WALL:
		naming_use_wall(&c->naming);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct diff_command *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->picture;
		state->child_inputs[1] = &c->naming;
		state->child_inputs[2] = &c->naming.range;
		return 0;
	case 'o':
		c->output = arg;
		return 0;
	case OPT_FOLDED:
		c->folded = true;
		return 0;
	case OPT_FLAME:
		c->flame = true;
		return 0;
	case OPT_JSON:
		c->json = true;
		return 0;
	case ARGP_KEY_ARG:
		return parse_file(c, arg, state);
	case ARGP_KEY_END:
		finish(c, state);
		return 0;
	}
	return parse_how(key, arg, state);
}

static const struct argp_child children[] = {
	{ &picture_argp, 0, NULL, 2 }, { &naming_argp, 0, NULL, 3 }, { &range_argp, 0, NULL, 3 }, { 0 }
};

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.args_doc = "A B",
	.children = children,
	.doc = "Compare two profiles: what changed, by more than chance?",
};

int diff_parse(struct diff_command *c, int argc, char **argv)
{
	*c = (struct diff_command){
		.diff = { .unit = TREE_BY_EVENT, .sort = SORT_SELF, .rows = 20 },
		.picture = { PICTURE_DEFAULTS },
	};
	return command_line_parse(&argp, argc, argv, 0, c);
}
