// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_report.c - kflame report: a profile's summary and its top functions
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "filter_options.h"
#include "profile.h"
#include "roots.h"
#include "views/load.h"
#include "views/output.h"
#include "views/report.h"
#include "views/text.h"

struct options {
	const char *input;
	const char *output;
	struct profile_naming naming;
	struct filter *filter;
	struct report_options report;
	bool idle;
};

enum { OPT_SORT = 256, OPT_SAMPLES, OPT_TIME, OPT_IDLE, OPT_NO_IDLE };

static const struct argp_option option_list[] = {
	{ "input", 'i', "FILE", 0, "Profile to read, - for standard input (kflame.data)", 0 },
	{ "output", 'o', "FILE", 0, "File to write (standard output)", 0 },
	{ "rows", 'n', "ROWS", 0, "Most rows of a table, 0 for all (20)", 0 },
	{ "sort", OPT_SORT, "self|total", 0, "Order of the functions (self)", 0 },
	{ "samples", OPT_SAMPLES, NULL, 0, "Shares are of samples (the default)", 0 },
	{ "time", OPT_TIME, NULL, 0, "Shares are of time; shows late time, too", 0 },
	{ "idle", OPT_IDLE, NULL, 0, "Count the idle tasks in", 0 },
	{ "no-idle", OPT_NO_IDLE, NULL, 0, "Leave them out of the tables (the default)", 0 },
	{ 0 }
};

static void parse_rows(struct options *o, const char *arg, struct argp_state *state)
{
	unsigned long rows;
	char *end;

	errno = 0;
	rows = strtoul(arg, &end, 10);
	if (errno || end == arg || *end || *arg == '-')
		argp_error(state, "'%s' is not a number of rows; 0 stands for all", arg);
	o->report.rows = rows;
}

static void parse_sort(struct options *o, const char *arg, struct argp_state *state)
{
	if (!strcmp(arg, "self"))
		o->report.sort = SORT_SELF;
	else if (!strcmp(arg, "total"))
		o->report.sort = SORT_TOTAL;
	else
		argp_error(state, "--sort is self or total, not '%s'", arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->filter;
		state->child_inputs[1] = &o->naming;
		return 0;
	case 'i':
		o->input = arg;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case 'n':
		parse_rows(o, arg, state);
		return 0;
	case OPT_SORT:
		parse_sort(o, arg, state);
		return 0;
	case OPT_SAMPLES:
		o->report.unit = TREE_SAMPLES;
		return 0;
	case OPT_TIME:
		o->report.unit = TREE_NS;
		return 0;
	case OPT_IDLE:
		o->idle = true;
		return 0;
	case OPT_NO_IDLE:
		o->idle = false;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.children = view_children,
	.doc = "Print what was recorded, the functions that took most of it, and the threads.",
};

/* Idle stacks stay out of the tables, unless there is nothing else */
static bool leaves_out_idle(const struct summary *s, const struct options *o)
{
	uint64_t idle = tree_weight(&s->idle, o->report.unit);
	uint64_t all = tree_weight(&s->counted, o->report.unit);

	return idle && idle != all && !o->idle;
}

/* What the tables leave out; the header is about everything that was recorded */
static void tell_filter(FILE *out, const struct profile *p, const struct options *o)
{
	const struct weight all = { p->samples, p->weight_ns }, dropped = filter_dropped(o->filter);
	char buf[TEXT_NUMBER];

	fprintf(out, "filtered out: %s (--include, --exclude, --focus)\n",
		text_percent(buf, tree_weight(&dropped, o->report.unit),
			     tree_weight(&all, o->report.unit), 1));
}

static int print(FILE *out, const struct profile *p, struct tree *t, const struct options *o)
{
	bool without_idle;
	struct summary s;
	int err;

	summary_make(&s, p, t);
	without_idle = leaves_out_idle(&s, o);
	if (without_idle)
		tree_drop_idle(t);
	err = tree_finish(t);
	if (err)
		return err;
	report_header(out, p, &s, without_idle);
	if (filter_is_on(o->filter))
		tell_filter(out, p, o);
	putc('\n', out);
	return report_tables(out, t, &o->report);
}

static int report(const struct profile *p, struct options *o)
{
	const char *no_color = getenv("NO_COLOR");
	struct output out;
	struct tree *t;
	int err;

	err = load_profile_filtered(p, o->filter, &t);
	if (err)
		return err;
	err = output_open(&out, o->output);
	if (err)
		goto out;
	o->report.color = out.is_terminal && !(no_color && *no_color);
	err = print(out.file, p, t, o);
	if (err) {
		output_abandon(&out);
		load_failed(err, "summing up the profile");
	} else {
		err = output_close(&out);
	}
out:
	tree_destroy(t);
	return err;
}

int cmd_report(int argc, char **argv)
{
	struct options o = {
		.report = { .unit = TREE_SAMPLES, .sort = SORT_SELF, .rows = 20 },
	};
	struct profile *p;
	int status = EXIT_FAILURE, err;

	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_FAILURE;
	o.report.outermost = roots_heading(o.naming.root);
	p = profile_open(o.input, &o.naming);
	if (!p)
		goto out;
	err = report(p, &o);
	status = err ? EXIT_FAILURE : profile_status(p);
	profile_free(p);
out:
	filter_free(o.filter);
	return status;
}
