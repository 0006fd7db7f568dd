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
#include "cmd/range_options.h"
#include "profile/merge.h"
#include "stacks/load.h"
#include "stacks/open.h"

struct options {
	const char *output;
	const char *files_from;
	char **inputs;
	size_t nr;
	struct merge_how how;
};

enum { OPT_ANY_PERIOD = 256, OPT_BY_TIME, OPT_NO_RUNS, OPT_FILES_FROM };

static const struct argp_option option_list[] = {
	{ "output", 'o', "FILE", 0, "File to write, - for stdout; must be named", 0 },
	{ "files-from", OPT_FILES_FROM, "FILE", 0, "Add the profiles whose names are in FILE, one a line; - for stdin", 0 },
	{ "by-time", OPT_BY_TIME, "TIME", 0, "Keep windows of TIME, such as 1m, in place of runs", 0 },
	{ "no-runs", OPT_NO_RUNS, NULL, 0, "Add up all runs of a host", 0 },
	{ "any-period", OPT_ANY_PERIOD, NULL, 0,
	  "Accept different rates; only --time is right then", 0 },
	{ 0 }
};

static void take_window(struct options *o, const char *arg, struct argp_state *state)
{
	struct profile_bound b = { 0 };

	if (!range_bound_parse(arg, &b) || b.is_share || !b.ns || b.ns % 1000000000)
		argp_error(state, "--by-time %s: this is no time in whole seconds, such as 10s, 1m or 1h", arg);
	o->how.window_ns = b.ns;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case OPT_ANY_PERIOD:
		o->how.any_period = true;
		return 0;
	case OPT_BY_TIME:
		take_window(o, arg, state);
		return 0;
	case OPT_NO_RUNS:
		o->how.no_runs = true;
		return 0;
	case OPT_FILES_FROM:
		o->files_from = arg;
		return 0;
	case ARGP_KEY_ARGS:
		o->inputs = state->argv + state->next;
		o->nr = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!o->nr && !o->files_from)
			argp_error(state, "name the profiles to merge");
		if (!o->output)
			argp_error(state, "name the profile to write by -o FILE");
		if (o->how.no_runs && o->how.window_ns)
			argp_error(state, "--by-time keeps windows of time as runs, and --no-runs keeps none: choose one");
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

static int write_sum(const struct profile *sum, const char *path)
{
	struct output out;
	int err = output_open_private(&out, path, NULL, true);

	if (err)
		return err;
	err = profile_write(out.file, sum);
	if (!err)
		return output_close(&out);
	output_abandon(&out);
	return load_failed(err, "merging profiles");
}

/* Of all other events than the timer */
static uint64_t events_of(const struct profile *p)
{
	uint64_t sum = 0;

	for (size_t k = 0; k < p->nr_events; k++)
		sum += p->events[k].id ? p->events[k].samples : 0;
	return sum;
}

static void tell_merged(const struct profile *sum, size_t nr, const char *output)
{
	const uint64_t others = events_of(sum);
	char text[64] = "";

	if (others)
		snprintf(text, sizeof(text), " and %" PRIu64 " of other events", others);
	complain("merged %zu profile%s, %" PRIu64 " samples%s, into %s", nr, nr == 1 ? "" : "s", sum->samples, text,
		 output);
}

/* The sum so far */
struct adding {
	struct merge *m;
	size_t nr;
	bool incomplete;	/* of an input a part is missing */
};

/* Opens an input, adds it to the sum, and closes it.  Return: 0 or a negative errno, after a message */
static int add(struct adding *to, const char *name)
{
	static const struct naming naming = { .every_event = true };
	struct profile *p = open_profile(name, &naming);
	int err;

	if (!p)
		return -ENODATA;
	if (profile_status(p))
		to->incomplete = true;
	err = merge_add(to->m, p, name);
	profile_destroy(p);
	to->nr++;
	return err == -ENOMEM ? load_failed(err, "merging profiles") : err;
}

static int add_listed(struct adding *to, const char *path)
{
	FILE *list = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int err = 0;

	if (!list) {
		err = -errno;
		complain("%s cannot be opened: %s", path, strerror(-err));
		return err;
	}
	while (!err && (len = getline(&line, &cap, list)) > 0) {
		if (line[len - 1] == '\n')
			line[--len] = 0;
		if (len)
			err = add(to, line);
	}
	if (!err && ferror(list)) {
		complain("%s cannot be read: %s", path, strerror(errno));
		err = -EIO;
	}
	free(line);
	if (list != stdin)
		fclose(list);
	if (!err && !to->nr) {
		complain("%s names no profiles", path);
		err = -ENODATA;
	}
	return err;
}

/* Return: the exit status */
static int merge(const struct options *o, struct adding *to)
{
	struct profile *sum;
	int err = 0;

	for (size_t i = 0; !err && i < o->nr; i++)
		err = add(to, o->inputs[i]);
	if (!err && o->files_from)
		err = add_listed(to, o->files_from);
	if (err)
		return EXIT_FAILURE;
	sum = merge_finish(to->m);
	to->m = NULL;
	err = sum ? write_sum(sum, o->output) : load_failed(-ENOMEM, "merging profiles");
	if (!err && strcmp(o->output, "-"))
		tell_merged(sum, to->nr, o->output);
	profile_destroy(sum);
	return err || to->incomplete ? EXIT_FAILURE : EXIT_SUCCESS;
}

int cmd_merge(int argc, char **argv)
{
	struct options o = { 0 };
	struct adding to = { 0 };
	int status;

	if (command_line_parse(&argp, argc, argv, 0, &o))
		return EXIT_FAILURE;
	to.m = merge_create(&o.how);
	status = to.m ? merge(&o, &to) : (load_failed(-ENOMEM, "merging profiles"), EXIT_FAILURE);
	merge_destroy(to.m);
	return status;
}
