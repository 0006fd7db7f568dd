// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_options.c - the command line of kflame trace
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "cmd/command_line.h"
#include "cmd/trace_options.h"

#define MAX_DURATION	(100.0 * 365 * 86400)
#define MAX_DEPTH	1000

enum { OPT_STACK = 256, OPT_DEPTH };

static const struct argp_option option_list[] = {
	{ "graph", 'g', "FUNC", 0, "Show all that this kernel function calls, with times", 0 },
	{ "stack", OPT_STACK, "FUNC", 0, "Show each call of this kernel function, with its callers", 0 },
	{ "without", 'n', "FUNC", 0, "Leave out this function; with -g, also what it calls", 0 },
	{ "depth", OPT_DEPTH, "N", 0, "Show at most N calls of -g below each other", 0 },
	{ "pid", 'p', "PID,...", 0, "Only these processes and their children", 0 },
	{ "duration", 'd', "SECONDS", 0, "Stop after this time", 0 },
	{ "output", 'o', "FILE", 0, "Also draw a flame chart of -g (SVG)", 0 },
	{ 0 }
};

/* There are no more words than arguments, so the lists were allocated before */
static void add_function(struct argp_state *state, struct trace_request *r, int key, const char *name)
{
	bool stacks = key == OPT_STACK;

	if (r->nr && r->stacks != stacks)
		argp_error(state, "-g and --stack are two ways to trace: give one of them");
	r->stacks = stacks;
	r->functions[r->nr++] = name;
}

static void take_pids(struct argp_state *state, const char *text, struct id_list *to)
{
	int err = parse_ids(text, false, to);

	if (err == -ENOMEM)
		argp_failure(state, 1, ENOMEM, "-p");
	else if (err)
		argp_error(state, "-p %s: this is no list of process ids such as 1234,5678", text);
}

static void check(struct argp_state *state, struct trace_options *o)
{
	struct trace_request *r = &o->request;

	if (!r->nr)
		argp_error(state, "name a kernel function: -g FUNC shows what it calls, --stack FUNC who calls it");
	if (o->pids.nr && o->command)
		argp_error(state, "-p and a command are two choices of what to trace: give one of them");
	if (r->stacks && (o->output || r->depth))
		argp_error(state, "%s is for calls with times: give -g FUNC instead of --stack", o->output ? "-o" : "--depth");
	if (o->output && !strcmp(o->output, "-"))
		argp_error(state, "-o -: the calls are on standard output as text: name a file for the picture");
	r->some_tasks = o->pids.nr || o->command;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct trace_options *o = state->input;
	struct trace_request *r = &o->request;

	switch (key) {
	case 'g':
	case OPT_STACK:
		add_function(state, r, key, arg);
		return 0;
	case 'n':
		r->without[r->nr_without++] = arg;
		return 0;
	case OPT_DEPTH:
		r->depth = (unsigned int)command_line_number(state, "--depth", arg, 1, MAX_DEPTH, "a depth is 1 to 1000 calls");
		return 0;
	case 'p':
		take_pids(state, arg, &o->pids);
		return 0;
	case 'd':
		o->duration_ns = (uint64_t)(1e9 * command_line_number(state, "-d", arg, 1e-3, MAX_DURATION,
					    "a duration is a number of seconds, 0.001 and more"));
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		/* The first word that is no option begins the command */
		o->command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		check(state, o);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.args_doc = "[-- COMMAND [ARGUMENT...]]",
	.doc = "Show calls of kernel functions as they happen, by the kernel's own tracer. This needs no module.",
};

int trace_options_parse(struct trace_options *o, int argc, char **argv)
{
	int err = ENOMEM;

	*o = (struct trace_options){
		.request.functions = calloc((size_t)argc, sizeof(char *)),
		.request.without = calloc((size_t)argc, sizeof(char *)),
	};
	if (o->request.functions && o->request.without)
		err = command_line_parse(&argp, argc, argv, ARGP_IN_ORDER, o);
	if (err)
		complain("trace: %s", strerror(err));
	return err ? -err : 0;
}

void trace_options_exit(struct trace_options *o)
{
	free(o->request.functions);
	free(o->request.without);
	free(o->pids.all);
}
