// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_merge.c - kflame merge: joins the profiles of many machines or runs
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "profile/merge.h"
#include "stacks/load.h"
#include "stacks/open.h"

struct options {
	const char *output;
	char **inputs;
	size_t nr;
	bool any_period;
};

enum { OPT_ANY_PERIOD = 256 };

static const struct argp_option option_list[] = {
	{ "output", 'o', "FILE", 0, "File to write, - for stdout; must be named", 0 },
	{ "any-period", OPT_ANY_PERIOD, NULL, 0,
	  "Accept different rates; only --time is right then", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case OPT_ANY_PERIOD:
		o->any_period = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->inputs = state->argv + state->next;
		o->nr = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!o->nr)
			argp_error(state, "name the profiles to merge");
		if (!o->output)
			argp_error(state, "name the profile to write by -o FILE");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.args_doc = "PROFILE...",
	.doc = "Add up profiles of many machines or runs. Views show each with --root host or "
	       "--root run.",
};

static int write_sum(const struct merge_input *in, size_t nr, const char *path)
{
	struct output out;
	int err = output_open_private(&out, path, NULL, true);

	if (err)
		return err;
	err = merge_write(out.file, in, nr);
	if (!err)
		return output_close(&out);
	output_abandon(&out);
	return load_failed(err, "merging profiles");
}

static uint64_t samples_of(const struct merge_input *in, size_t nr)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += in[i].p->samples;
	return sum;
}

/* Of all other events than the timer */
static uint64_t events_of(const struct merge_input *in, size_t nr)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < in[i].p->nr_events; k++)
			sum += in[i].p->events[k].id ? in[i].p->events[k].samples : 0;
	return sum;
}

static void tell_merged(const struct options *o, const struct merge_input *in)
{
	const uint64_t others = events_of(in, o->nr);
	char text[64] = "";

	if (others)
		snprintf(text, sizeof(text), " and %" PRIu64 " of other events", others);
	complain("merged %zu profile%s, %" PRIu64 " samples%s, into %s", o->nr, o->nr == 1 ? "" : "s",
		 samples_of(in, o->nr), text, o->output);
}

/* Return: the exit status */
static int merge(const struct options *o, struct merge_input *in)
{
	static const struct naming naming = { .every_event = true };
	int status = EXIT_SUCCESS;

	for (size_t i = 0; i < o->nr; i++) {
		in[i].p = open_profile(o->inputs[i], &naming);
		if (!in[i].p)
			return EXIT_FAILURE;
		in[i].name = o->inputs[i];
		if (profile_status(in[i].p))
			status = EXIT_FAILURE;
	}
	if (merge_refuse(in, o->nr, o->any_period) || write_sum(in, o->nr, o->output))
		return EXIT_FAILURE;
	if (strcmp(o->output, "-"))
		tell_merged(o, in);
	return status;
}

int cmd_merge(int argc, char **argv)
{
	struct options o = { 0 };
	struct merge_input *in;
	int status = EXIT_FAILURE;

	if (command_line_parse(&argp, argc, argv, 0, &o))
		return EXIT_FAILURE;
	in = calloc(o.nr, sizeof(*in));
	if (in)
		status = merge(&o, in);
	else
		load_failed(-ENOMEM, "merging profiles");
	for (size_t i = 0; in && i < o.nr; i++)
		profile_destroy((struct profile *)in[i].p);
	free(in);
	return status;
}
