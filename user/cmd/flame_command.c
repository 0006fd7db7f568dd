// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flame_command.c - the command line of kflame flame
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/message.h"
#include "cmd/command_line.h"
#include "cmd/filter_options.h"
#include "cmd/flame_command.h"
#include "cmd/naming_options.h"
#include "cmd/picture_options.h"
#include "cmd/range_options.h"
#include "stacks/stack_root.h"

enum { OPT_FOLDED = 256, OPT_COLORS, OPT_REVERSE, OPT_SAMPLES, OPT_TIME, OPT_IDLE, OPT_NO_IDLE,
	OPT_CGROUP, OPT_CHART, OPT_HEATMAP, OPT_OFF_CPU, OPT_MIN_BLOCK, OPT_MAX_BLOCK, OPT_WALL,
	OPT_VIEW, OPT_WITH_SOURCE };

static const struct argp_option option_list[] = {
	{ "input", 'i', "FILE", 0, "Profile to read, - for stdin (kflame.data)", 0 },
	{ "output", 'o', "FILE", 0, "Picture to write, - for stdout (flame.svg)", 0 },
	{ "folded", OPT_FOLDED, NULL, 0, "The input holds folded stacks", 0 },
	{ "colors", OPT_COLORS, "BY", 0, "Colours by: kind, wait, file, hot or grey (kind)", 1 },
	{ "chart", OPT_CHART, NULL, 0, "Draw what ran when; see also --heatmap", 1 },
	{ "heatmap", OPT_HEATMAP, NULL, OPTION_HIDDEN, "Draw how much ran when, a column for each second", 1 },
	{ "reverse", OPT_REVERSE, NULL, 0, "Begin with the innermost functions", 1 },
	{ "samples", OPT_SAMPLES, NULL, OPTION_HIDDEN, "Widths are samples (the default)", 1 },
	{ "time", OPT_TIME, NULL, 0, "Widths are time; shows late time, too", 1 },
	{ "idle", OPT_IDLE, NULL, 0, "Draw the idle tasks, too", 1 },
	{ "no-idle", OPT_NO_IDLE, NULL, OPTION_HIDDEN, "Leave them out (the default)", 1 },
	{ "view", OPT_VIEW, NULL, OPTION_HIDDEN, "Write a page to search and filter in, as kflame view does", 1 },
	{ "with-source", OPT_WITH_SOURCE, NULL, OPTION_HIDDEN, "With --view: put source lines and instructions into the page", 1 },
	{ "pid", 'p', "PID,...", 0, "Record these; also -a, -t, --cgroup, -- COMMAND", 3 },
	{ "duration", 'd', "SECONDS", 0, "Record for this time; also -F, -g, --off-cpu", 3 },
	{ "tid", 't', "TID,...", OPTION_HIDDEN, "Record these threads and draw them", 3 },
	{ "all-cpus", 'a', NULL, OPTION_HIDDEN, "Record everything and draw it", 3 },
	{ "cgroup", OPT_CGROUP, "PATH", OPTION_HIDDEN, "Record this control group and draw it", 3 },
	{ "freq", 'F', "HZ", OPTION_HIDDEN, "Samples a second of the recording", 3 },
	{ "call-graph", 'g', "WAY", OPTION_HIDDEN, "Record user stacks by: auto, dwarf, fp, dump", 3 },
	{ "off-cpu", OPT_OFF_CPU, "sampled", OPTION_HIDDEN | OPTION_ARG_OPTIONAL, "Record how long threads wait, and draw it", 3 },
	{ "wall", OPT_WALL, NULL, OPTION_HIDDEN, "Draw all time of threads, running and waiting", 3 },
	{ "min-block", OPT_MIN_BLOCK, "TIME", OPTION_HIDDEN, "Leave out waits that are shorter, such as 1us", 3 },
	{ "max-block", OPT_MAX_BLOCK, "TIME", OPTION_HIDDEN, "Leave out waits that are longer, such as 100ms", 3 },
	{ 0 }
};

static error_t parse_colors(struct flame_command *c, const char *arg, struct argp_state *state)
{
	static const char *const words[] = {
		[PALETTE_LOOK] = "kind", [PALETTE_FILE] = "file",
		[PALETTE_HOT] = "hot", [PALETTE_GREY] = "grey", [PALETTE_WAIT] = "wait",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(arg, words[i])) {
			c->flame.colors = (enum palette)i;
			c->has_colors = true;
			return 0;
		}
	argp_error(state, "--colors is kind, wait, file, hot or grey, not '%s'", arg);
	return EINVAL;
}

static void add_word(struct flame_command *c, char *word, struct argp_state *state)
{
	if (grow(&c->record, c->nr_record, &c->cap_record, sizeof(*c->record)))
		argp_failure(state, EXIT_FAILURE, ENOMEM, "%s", word ? word : "");
	c->record[c->nr_record++] = word;
}

/* Pass an option of kflame record on, with its argument */
static error_t pass_how(struct flame_command *c, const char *option, char *arg,
			struct argp_state *state)
{
	if (!c->record)
		add_word(c, state->name, state);
	if (option)
		add_word(c, (char *)option, state);
	if (arg)
		add_word(c, arg, state);
	return 0;
}

/* The same for an option that says what to record, or how long: without one, nothing is recorded */
static error_t pass_on(struct flame_command *c, const char *option, char *arg,
		       struct argp_state *state)
{
	c->chosen = true;
	return pass_how(c, option, arg, state);
}

/* Parse "-", which pipelines use for standard input, or the command to record */
static error_t parse_word(struct flame_command *c, char *arg, struct argp_state *state)
{
	if (!strcmp(arg, "-") && !c->input) {
		c->input = arg;
		return 0;
	}
	if (state->next < 2 || strcmp(state->argv[state->next - 2], "--"))
		argp_error(state, "'%s': give a file with -i, a command to record after --", arg);
	pass_on(c, "--", arg, state);
	while (state->next < state->argc)
		add_word(c, state->argv[state->next++], state);
	return 0;
}

static void check_timeline(struct flame_command *c, struct argp_state *state)
{
	const char *option = c->chart ? "--chart" : "--heatmap";

	c->naming.timeline = c->chart || c->heatmap;
	if (!c->naming.timeline)
		return;
	if (c->naming.wall && !c->naming.has_root)
		c->naming.root = STACK_ROOT_NONE;
	if (c->chart && c->heatmap)
		argp_error(state, "--chart and --heatmap are two pictures: give one of them");
	c->naming.by_cpu = c->naming.root == STACK_ROOT_CPU;
	if (c->naming.by_cpu)
		c->naming.root = STACK_ROOT_NONE;
	if (c->heatmap && c->naming.by_cpu)
		argp_error(state, "--heatmap adds up all CPUs: --root cpu is for --chart");
	if (c->folded)
		argp_error(state, "folded stacks have no times: %s is for profiles", option);
	if (c->reverse)
		argp_error(state, "%s has no --reverse: leave one of them out", option);
	if (c->naming.root != STACK_ROOT_NONE)
		argp_error(state, "with %s, --root is cpu or left out", option);
}

/* Add an option of kflame record before all others: a command ends the line */
static void insert_word(struct flame_command *c, const char *option, struct argp_state *state)
{
	add_word(c, NULL, state);
	memmove(&c->record[2], &c->record[1], (c->nr_record - 2) * sizeof(*c->record));
	c->record[1] = (char *)option;
}

/* Add what the picture needs of the recording */
static void finish_recording(struct flame_command *c, struct argp_state *state)
{
	if (c->naming.timeline || c->view || profile_range_is_set(&c->naming.range))
		insert_word(c, "--timeline", state);
	if (c->naming.wall)
		insert_word(c, "--wall", state);
	if (c->naming.wakers)
		insert_word(c, "--wakers", state);
	add_word(c, NULL, state);
}

static void finish(struct flame_command *c, struct argp_state *state)
{
	if (c->record && (c->input || c->folded))
		argp_error(state, "-i and --folded draw what is there, -p, -a, --off-cpu and a command record anew: give one of them");
	if (c->record && !c->chosen)
		argp_error(state, "--off-cpu, --min-block and --max-block are for a recording: say what to record, with -p, -a or a command. To draw the waits of a profile, use --event off-cpu");
	check_timeline(c, state);
	if (c->view && (c->folded || c->chart || c->heatmap || c->reverse))
		argp_error(state, "--view writes a page, in which you choose all this: leave out --folded, --chart, --heatmap and --reverse");
	if (c->with_source && !c->view)
		argp_error(state, "--with-source is for a page: add --view");
	if (c->folded) {
		/* Only these folded stacks may have the module's description of files */
		struct naming others = c->naming;

		others.symbols = NULL;
		naming_refuse(&others, state);
	}
	/* All time includes that of idle CPUs */
	if (c->naming.wall && !c->has_idle)
		c->idle = true;
	if (c->record)
		finish_recording(c, state);
}

static error_t parse_recording(int key, char *arg, struct argp_state *state)
{
	struct flame_command *c = state->input;

	switch (key) {
	case 'p':
		return pass_on(c, "-p", arg, state);
	case 't':
		return pass_on(c, "-t", arg, state);
	case 'a':
		return pass_on(c, "-a", NULL, state);
	case OPT_CGROUP:
		return pass_on(c, "--cgroup", arg, state);
	case 'd':
		return pass_on(c, "-d", arg, state);
	case 'F':
		return pass_on(c, "-F", arg, state);
	case 'g':
		return pass_on(c, "-g", arg, state);
	case ARGP_KEY_ARG:
		return parse_word(c, arg, state);
	case OPT_OFF_CPU:
		return pass_how(c, arg ? "--off-cpu=sampled" : "--off-cpu", NULL, state);
	case OPT_MIN_BLOCK:
		return pass_how(c, "--min-block", arg, state);
	case OPT_MAX_BLOCK:
		return pass_how(c, "--max-block", arg, state);
	case ARGP_KEY_END:
		finish(c, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_picture(int key, char *arg, struct argp_state *state)
{
	struct flame_command *c = state->input;

	switch (key) {
	case OPT_COLORS:
		return parse_colors(c, arg, state);
	case OPT_CHART:
		c->chart = true;
		return 0;
	case OPT_HEATMAP:
		c->heatmap = true;
		return 0;
	case OPT_REVERSE:
		c->reverse = true;
		return 0;
	case OPT_VIEW:
		c->view = true;
		return 0;
	case OPT_WITH_SOURCE:
		c->with_source = true;
		return 0;
	}
	return parse_recording(key, arg, state);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct flame_command *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->flame;
		state->child_inputs[1] = &c->filter;
		state->child_inputs[2] = &c->naming;
		state->child_inputs[3] = &c->naming.range;
		return 0;
	case 'i':
		c->input = arg;
		return 0;
	case 'o':
		c->output = arg;
		return 0;
	case OPT_FOLDED:
		c->folded = true;
		return 0;
	case OPT_SAMPLES:
		c->flame.unit = TREE_SAMPLES;
		return 0;
	case OPT_TIME:
		c->flame.unit = TREE_NS;
		return 0;
	case OPT_IDLE:
	case OPT_NO_IDLE:
		c->idle = key == OPT_IDLE;
		c->has_idle = true;
		return 0;
	case OPT_WALL:
		naming_use_wall(&c->naming);
		return 0;
	}
	return parse_picture(key, arg, state);
}

static const struct argp_child children[] = {
	{ &picture_argp, 0, NULL, 1 }, { &filter_argp, 0, NULL, 2 }, { &naming_argp, 0, NULL, 2 },
	{ &range_argp, 0, NULL, 2 }, { 0 }
};

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.children = children,
	.args_doc = "[-- COMMAND [ARGUMENT...]]",
	.doc = "Draw a profile as a flame graph: one SVG file that any browser opens.",
};

int flame_command_parse(struct flame_command *c, int argc, char **argv)
{
	int err;

	*c = (struct flame_command){
		.flame = { PICTURE_DEFAULTS },
	};
	err = command_line_parse(&argp, argc, argv, ARGP_IN_ORDER, c);
	if (!err)
		return 0;
	complain("flame: %s", strerror(err));
	return -err;
}

void flame_command_use_colors(struct flame_command *c, bool waits)
{
	if (waits && !c->has_colors)
		c->flame.colors = PALETTE_WAIT;
}

void flame_command_exit(struct flame_command *c)
{
	filter_destroy(c->filter);
	free(c->record);
}
