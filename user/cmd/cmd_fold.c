// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_fold.c - kflame fold: writes a profile as folded stacks
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>

#include "base/message.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/filter_options.h"
#include "cmd/named_output.h"
#include "cmd/naming_options.h"
#include "profile/profile.h"
#include "stacks/folded.h"
#include "stacks/load.h"
#include "stacks/open.h"

struct options {
	const char *input;
	const char *output;
	struct naming naming;
	struct filter *filter;
	enum tree_unit unit;
	enum folded_suffixes suffixes;
	bool no_idle;
};

enum { OPT_TIME = 256, OPT_SAMPLES, OPT_KERNEL, OPT_NO_IDLE, OPT_WALL };

static const struct argp_option option_list[] = {
	{ "input", 'i', "FILE", 0, "Profile to read, - for stdin (kflame.data)", 0 },
	{ "output", 'o', "FILE", 0, "File to write (standard output)", 0 },
	{ "kernel", OPT_KERNEL, NULL, 0, "Append _[k] to the names of kernel functions", 1 },
	{ "kernel-suffix", OPT_KERNEL, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1 },
	{ "samples", OPT_SAMPLES, NULL, OPTION_HIDDEN, "Counts are samples (the default)", 1 },
	{ "time", OPT_TIME, NULL, 0, "Counts are nanoseconds; shows late time, too", 1 },
	{ "no-idle", OPT_NO_IDLE, NULL, 0, "Leave out the idle tasks", 1 },
	{ "wall", OPT_WALL, NULL, 0, "All time of threads: running and waiting (record --wall)", 1 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->filter;
		state->child_inputs[1] = &o->naming;
		state->child_inputs[2] = &o->naming.range;
		return 0;
	case 'i':
		o->input = arg;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPT_KERNEL:
		o->suffixes = FOLDED_KERNEL;
		return 0;
	case OPT_SAMPLES:
		o->unit = TREE_SAMPLES;
		return 0;
	case OPT_TIME:
		o->unit = TREE_NS;
		return 0;
	case OPT_NO_IDLE:
		o->no_idle = true;
		return 0;
	case OPT_WALL:
		naming_use_wall(&o->naming);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is no option; name a profile with -i", arg);
		return EINVAL;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.children = view_children,
	.doc = "Print a profile as folded stacks, one line a distinct stack: "
	       "\"comm;outer;...;inner count\", as FlameGraph's tools read it.",
};

struct folding {
	struct tree *t;
	const struct options *o;
	bool has_addresses;	/* of the kernel */
};

static int take_stack(void *ctx, const struct frame *frames, size_t nr,
		      uint64_t samples, uint64_t ns)
{
	struct folding *f = ctx;

	if (f->o->no_idle && stack_is_idle(frames, nr))
		return 0;
	f->has_addresses |= frames_have_addresses(frames, nr);
	return folded_add(f->t, f->o->suffixes, frames, nr, samples, ns);
}

/* An empty result is valid, but its reason may not be obvious: report it */
static void tell_nothing(const struct tree *t, const struct options *o)
{
	const struct weight sum = tree_sum(t);

	if (sum.samples || sum.ns)
		return;
	if (profile_range_is_set(&o->naming.range))
		complain("there are no samples in that part: look at --from and --to");
	else if (filter_is_on(o->filter))
		complain("no stack is left: look at --include, --exclude and --focus");
}

static int write_out(const struct folding *f)
{
	const struct options *o = f->o;
	struct output out;
	int err;

	tell_nothing(f->t, o);
	err = named_output_open(&out, o->output, NULL, f->has_addresses);
	if (err)
		return err;
	err = folded_write(out.file, f->t, o->unit);
	if (!err)
		return output_close(&out);
	output_abandon(&out);
	load_failed(err, "writing folded stacks");
	return err;
}

static int fold(const struct profile *p, struct options *o)
{
	struct folding f = { .o = o };
	int err;

	o->unit = load_unit(p, o->unit);
	err = load_check_unit(p, o->unit);
	if (err)
		return err;
	f.t = tree_create();
	err = -ENOMEM;
	if (f.t && o->filter) {
		filter_passes_to(o->filter, take_stack, &f);
		err = profile_each_stack(p, filter_stack, o->filter);
	} else if (f.t) {
		err = profile_each_stack(p, take_stack, &f);
	}
	if (err)
		load_failed(err, "folding the stacks of the profile");
	else
		err = write_out(&f);
	tree_destroy(f.t);
	return err;
}

int cmd_fold(int argc, char **argv)
{
	struct options o = { .unit = TREE_BY_EVENT };
	struct profile *p;
	int status = EXIT_FAILURE;

	if (command_line_parse(&argp, argc, argv, 0, &o))
		return EXIT_FAILURE;
	p = open_profile(o.input, &o.naming);
	if (p && !fold(p, &o))
		status = profile_status(p);
	profile_destroy(p);
	filter_destroy(o.filter);
	return status;
}
