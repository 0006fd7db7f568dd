// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * top_options.c - the command line of kflame top
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/message.h"
#include "cmd/command_line.h"
#include "cmd/record_command_line.h"
#include "cmd/top_options.h"
#include "cmd/view_options.h"

#define LONGEST	3600.0	/* longest time between refreshes, in seconds */

enum { OPT_ONCE = 256, OPT_SORT, OPT_SAMPLES, OPT_TIME, OPT_IDLE, OPT_CGROUP, OPT_DEVICE, OPT_OFF_CPU, OPT_STORE, OPT_WHERE,
	OPT_LAST };

static const struct argp_option option_list[] = {
	{ "all-cpus", 'a', NULL, 0, "Everything on all CPUs (the default)", 1 },
	{ "pid", 'p', "PID,...", 0, "These processes and their children", 1 },
	{ "tid", 't', "TID,...", 0, "These threads", 1 },
	{ "cpu", 'C', "LIST", 0, "Only on CPUs such as 0-3,8", 1 },
	{ "cgroup", OPT_CGROUP, "PATH", 0, "This control group and the groups below it", 1 },
	{ "kernel-only", 'K', NULL, 0, "Only in the kernel", 1 },
	{ "user-only", 'U', NULL, 0, "Only in user mode", 1 },
	{ "freq", 'F', "HZ", 0, "Samples a second on each CPU (997)", 2 },
	{ "off-cpu", OPT_OFF_CPU, "sampled", OPTION_ARG_OPTIONAL, "Begin with waits instead of CPU time", 2 },
	{ "call-graph", 'g', "WAY", 0, "User stacks by: auto, dwarf or fp (auto)", 2 },
	{ "device", OPT_DEVICE, "PATH", OPTION_HIDDEN, "Device", 2 },
	{ "delay", 'd', "SECONDS", 0, "Time between refreshes (1)", 3 },
	{ "sort", OPT_SORT, "BY", 0, "Order of functions: self or total (self)", 3 },
	{ "samples", OPT_SAMPLES, NULL, OPTION_HIDDEN, "Shares are of samples (the default)", 3 },
	{ "time", OPT_TIME, NULL, 0, "Shares are of time; shows late time, too", 3 },
	{ "idle", OPT_IDLE, NULL, 0, "Count the idle tasks in", 3 },
	{ "store", OPT_STORE, "DIR", OPTION_HIDDEN, "Show the sum of profiles in a spool directory, once", 3 },
	{ "where", OPT_WHERE, "TEST", OPTION_HIDDEN, "Of the store, only these, such as 'host like \"web%\"'", 3 },
	{ "last", OPT_LAST, "TIME", OPTION_HIDDEN, "Of the store, only the last TIME, such as 1h", 3 },
	{ "once", OPT_ONCE, NULL, 0, "Print one refresh and end", 3 },
	{ "rows", 'n', "ROWS", 0, "Most rows with --once, 0 for all (20)", 3 },
	{ 0 }
};

static void add_word(struct top_options *o, const char *word, struct argp_state *state)
{
	if (grow(&o->words, o->nr_words, &o->cap_words, sizeof(*o->words)))
		argp_failure(state, EXIT_FAILURE, ENOMEM, "%s", word ? word : "");
	o->words[o->nr_words++] = (char *)word;
}

static error_t pass_on(struct top_options *o, const char *option, const char *arg,
		       struct argp_state *state)
{
	add_word(o, option, state);
	if (arg)
		add_word(o, arg, state);
	return 0;
}

static void take_delay(struct top_options *o, const char *arg, struct argp_state *state)
{
	char *end;
	double seconds = strtod(arg, &end);

	if (end == arg || *end || !(seconds >= 0.1 && seconds <= LONGEST))
		argp_error(state, "-d %s: a delay is 0.1 to %.0f seconds", arg, LONGEST);
	o->every_ns = (uint64_t)(seconds * 1e9);
}

static error_t parse_recording(int key, char *arg, struct argp_state *state)
{
	struct top_options *o = state->input;

	switch (key) {
	case 'a':
		return pass_on(o, "-a", NULL, state);
	case 'p':
		return pass_on(o, "-p", arg, state);
	case 't':
		return pass_on(o, "-t", arg, state);
	case 'C':
		return pass_on(o, "-C", arg, state);
	case 'K':
		return pass_on(o, "-K", NULL, state);
	case 'U':
		return pass_on(o, "-U", NULL, state);
	case 'F':
		return pass_on(o, "-F", arg, state);
	case 'g':
		if (strstr(arg, "dump"))
			argp_error(state, "-g %s: there are auto, dwarf and fp; copies of stacks are for kflame record",
				   arg);
		return pass_on(o, "-g", arg, state);
	case OPT_CGROUP:
		return pass_on(o, "--cgroup", arg, state);
	case OPT_DEVICE:
		return pass_on(o, "--device", arg, state);
	case ARGP_KEY_ARG:
		argp_error(state, "'%s': to record a command, use kflame record", arg);
		return EINVAL;
	case ARGP_KEY_END:
		/* Leave room: parse_waits() appends a word */
		add_word(o, NULL, state);
		add_word(o, NULL, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct top_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		add_word(o, state->argv[0], state); /* placeholder for the program name */
		return pass_on(o, "-o", "/dev/null", state);
	case 'd':
		take_delay(o, arg, state);
		return 0;
	case 'n':
		view_rows(&o->rows, arg, state);
		return 0;
	case OPT_SORT:
		view_sort(&o->sort, arg, state);
		return 0;
	case OPT_SAMPLES:
	case OPT_TIME:
		o->unit = key == OPT_TIME ? TREE_NS : TREE_SAMPLES;
		return 0;
	case OPT_IDLE:
		o->idle = true;
		return 0;
	case OPT_ONCE:
		o->once = true;
		return 0;
	case OPT_STORE:
		o->store = arg;
		return 0;
	case OPT_WHERE:
		o->where = arg;
		return 0;
	case OPT_LAST:
		o->last = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!o->store && (o->where || o->last))
			argp_error(state, "%s selects profiles of a store: name it by --store DIR",
				   o->where ? "--where" : "--last");
		return 0;
	case OPT_OFF_CPU:
		if (arg && strcmp(arg, "sampled"))
			argp_error(state, "--off-cpu=%s: there are --off-cpu, which sees each wait, and --off-cpu=sampled", arg);
		o->off_cpu = true;
		o->wait_word = arg ? "--off-cpu=sampled" : "--off-cpu";
		return 0;
	}
	return parse_recording(key, arg, state);
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.doc = "Show what takes the time now, refreshed each second; h lists the keys.",
};

/* Parse the command lines of both recordings.  Return: 0 or a negative errno, after an error message */
static int parse_records(struct top_options *o)
{
	const int nr = (int)o->nr_words - 2;
	int err = record_options_parse(&o->record, nr, o->words);

	o->has_waits = o->off_cpu || !(o->record.config_flags & KFLAME_CF_EXCLUDE_KERNEL);
	if (err || !o->has_waits)
		return err;
	o->words[nr] = (char *)o->wait_word;
	return record_options_parse(&o->waits, nr + 1, o->words);
}

int top_options_parse(struct top_options *o, int argc, char **argv)
{
	int err;

	*o = (struct top_options){ .every_ns = 1000000000, .rows = 20,
				   .once = !isatty(STDOUT_FILENO), .wait_word = "--off-cpu" };
	err = command_line_parse(&argp, argc, argv, 0, o);
	if (err) {
		complain("top: %s", strerror(err));
		return -err;
	}
	return parse_records(o);
}

void top_options_exit(struct top_options *o)
{
	record_options_exit(&o->record);
	record_options_exit(&o->waits);
	free(o->words);
}
