// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_summary.c - kflame summary: one page about a profile, for people and for programs
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/filter_options.h"
#include "cmd/named_output.h"
#include "cmd/naming_options.h"
#include "cmd/range_options.h"
#include "page/page.h"
#include "stacks/load.h"
#include "stacks/open.h"

enum { OPT_JSON = 256, OPT_PID, OPT_MAX_BYTES };

#define DEFAULT_BYTES	8192
#define LEAST_BYTES	2048
#define MOST_BYTES	(1 << 30)

struct command {
	struct page_options page;
	struct naming naming;
	const char *output;
	size_t max_bytes;
	bool json;
};

static const struct argp_option option_list[] = {
	{ "input", 'i', "FILE", 0, "Profile to read, - for stdin (kflame.data)", 0 },
	{ "output", 'o', "FILE", 0, "File to write (standard output)", 0 },
	{ "pid", OPT_PID, "PID", 0, "One process, and where it ran, waited and slept", 1 },
	{ "json", OPT_JSON, NULL, 0, "Print it as JSON, for programs", 1 },
	{ "max-bytes", OPT_MAX_BYTES, "BYTES", 0, "Longest output (8192)", 1 },
	{ 0 }
};

/* One profile, or an earlier one and a later one */
static void take_profile(struct command *c, char *arg, struct argp_state *state)
{
	if (state->arg_num > 1 || c->page.before)
		argp_error(state, "a summary is of one profile, or compares two: '%s' is one too many", arg);
	if (c->page.input)
		c->page.before = c->page.input;
	c->page.input = arg;
}

static void finish(struct command *c, struct argp_state *state)
{
	if (c->naming.wakers)
		argp_error(state, "a summary has no stacks of wakers: use kflame report --wakers");
	/* All events are read; the page chooses */
	c->page.event = c->naming.event;
	c->naming.event = NULL;
	if (!c->page.before)
		return;
	if (c->page.has_pid)
		argp_error(state, "--pid is of one profile: name one only");
	if (!strcmp(c->page.before, "-") && !strcmp(c->page.input, "-"))
		argp_error(state, "only one of the profiles can be standard input");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct command *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->page.filter;
		state->child_inputs[1] = &c->naming;
		state->child_inputs[2] = &c->naming.range;
		return 0;
	case 'i':
	case ARGP_KEY_ARG:
		take_profile(c, arg, state);
		return 0;
	case 'o':
		c->output = arg;
		return 0;
	case OPT_PID:
		c->page.pid = (uint32_t)command_line_number(state, "--pid", arg, 1, 1 << 22, "the id of a process");
		c->page.has_pid = true;
		return 0;
	case OPT_JSON:
		c->json = true;
		return 0;
	case OPT_MAX_BYTES:
		c->max_bytes = (size_t)command_line_number(state, "--max-bytes", arg, LEAST_BYTES, MOST_BYTES,
							   "a number of bytes, at least 2048");
		return 0;
	case ARGP_KEY_END:
		finish(c, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &filter_argp, 0, NULL, 2 }, { &naming_rootless_argp, 0, NULL, 2 }, { &range_argp, 0, NULL, 2 }, { 0 }
};

static const struct argp argp = {
	.options = option_list,
	.parser = parse,
	.children = children,
	.args_doc = "[PROFILE [LATER-PROFILE]]",
	.doc = "Print one page: where the time went, and what is unusual. With two profiles also what changed.",
};

static bool has_addresses(const struct page *page)
{
	bool has = false;

	for (size_t i = 0; !has && i < page->nr_events; i++)
		has = frames_have_addresses(page->events[i].t->frames, page->events[i].t->nr_frames);
	return has;
}

static int print(const struct page *page, const struct command *c)
{
	struct output out;
	int err = named_output_open(&out, c->output, NULL, has_addresses(page));

	if (err)
		return err;
	err = c->json ? page_json(out.file, page, c->max_bytes) : page_text(out.file, page, c->max_bytes);
	if (!err)
		return output_close(&out);
	output_abandon(&out);
	return load_failed(err, "summing up the profile");
}

int cmd_summary(int argc, char **argv)
{
	struct command c = { .naming = { .every_event = true, .cpus = true }, .max_bytes = DEFAULT_BYTES };
	int status = EXIT_FAILURE;
	struct profile *p;
	struct page page;

	if (command_line_parse(&argp, argc, argv, 0, &c))
		return EXIT_FAILURE;
	p = open_profile(c.page.input, &c.naming);
	if (!p) {
		filter_destroy(c.page.filter);
		return EXIT_FAILURE;
	}
	/* The times have chosen the samples of the part */
	profile_drop_timeline(p);
	if (!c.page.input)
		c.page.input = "kflame.data";
	c.page.naming = &c.naming;
	if (!page_make(&page, p, &c.page) && !print(&page, &c))
		status = profile_status(p);
	page_exit(&page);
	profile_destroy(p);
	filter_destroy(c.page.filter);
	return status;
}
