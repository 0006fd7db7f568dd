// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_agent.c - kflame agent: samples all the time, and keeps or sends a profile every minute
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/sender.h"
#include "base/hash.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"

enum { OPT_CHECK = 256, OPT_SEND, OPT_ONCE, OPT_STATUS_FD };

struct options {
	struct agent_options agent;
	size_t cap;
	bool check, send, once;
	int status_fd;
};

static const struct argp_option option_list[] = {
	{ "config", 'c', "FILE", 0, "Configuration file (/etc/kflame/agent.conf)", 0 },
	{ "set", 'o', "KEY=VALUE", 0, "Set KEY to VALUE, instead of the file's value", 0 },
	{ "check", OPT_CHECK, NULL, 0, "Check the configuration and this machine, record nothing", 0 },
	{ "send", OPT_SEND, NULL, 0, "Record nothing, only send the profiles in the spool directory", 0 },
	{ "once", OPT_ONCE, NULL, 0, "With --send: end when all profiles are sent", 0 },
	{ "status-fd", OPT_STATUS_FD, "FD", OPTION_HIDDEN, "Descriptor of shared memory for counters, with --send", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'c':
		o->agent.config = arg;
		return 0;
	case 'o':
		if (grow(&o->agent.settings, o->agent.nr_settings, &o->cap, sizeof(*o->agent.settings)))
			return ENOMEM;
		o->agent.settings[o->agent.nr_settings++] = arg;
		return 0;
	case OPT_CHECK:
		o->check = true;
		return 0;
	case OPT_SEND:
		o->send = true;
		return 0;
	case OPT_ONCE:
		o->once = true;
		return 0;
	case OPT_STATUS_FD:
		o->status_fd = (int)command_line_number(state, "--status-fd", arg, 3, 1 << 20, "a descriptor is 3 or more");
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is no option; there are no arguments", arg);
		return EINVAL;
	case ARGP_KEY_SUCCESS:
		if (o->once && !o->send)
			argp_error(state, "--once is for --send");
		if (o->check && o->send)
			argp_error(state, "--check and --send do not go together");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.doc = "Sample all the time, at a low rate. Write a profile every minute, and send it.",
};

int cmd_agent(int argc, char **argv)
{
	struct options o = { .status_fd = -1 };
	int status = 2;

	if (!command_line_parse(&argp, argc, argv, 0, &o)) {
		if (o.check)
			status = agent_check(&o.agent);
		else if (o.send)
			status = sender_run(&o.agent, o.status_fd, o.once);
		else
			status = agent_run(&o.agent);
	}
	free(o.agent.settings);
	return status;
}
