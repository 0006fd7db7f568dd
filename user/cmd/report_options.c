// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_options.c - the command line of kflame report
 */
#include <argp.h>
#include <limits.h>
#include <string.h>

#include "base/parse_percent.h"
#include "cmd/command_line.h"
#include "cmd/filter_options.h"
#include "cmd/naming_options.h"
#include "cmd/report_options.h"
#include "cmd/view_options.h"
#include "stacks/stack_root.h"
#include "views/path_id.h"
#include "views/report_parts.h"

enum { OPT_SORT = 256, OPT_SAMPLES, OPT_TIME, OPT_IDLE, OPT_NO_IDLE, OPT_BY, OPT_CALLERS,
	OPT_CALLEES, OPT_TREE, OPT_LIMIT, OPT_JSON, OPT_ANNOTATE, OPT_TUI, OPT_WALL, OPT_RUNQ,
	OPT_LOCKS, OPT_LATENCY, OPT_HISTOGRAM, OPT_AT, OPT_FUNCTION };

#define LIMIT_NOT_GIVEN	UINT_MAX

static const struct argp_option option_list[] = {
	{ "input", 'i', "FILE", 0, "Profile to read, - for stdin (kflame.data)", 0 },
	{ "output", 'o', "FILE", 0, "File to write (standard output)", 0 },
	{ "by", OPT_BY, "WHAT[,...]", 0,
	  "By: comm, cpu, file, function, pid, tid, cgroup, container, host, label, run, state, waker, all", 1 },
	{ "tree", OPT_TREE, NULL, 0, "The call tree, with threads outermost", 1 },
	{ "callers", OPT_CALLERS, "FUNCTION", OPTION_ARG_OPTIONAL,
	  "Its callers; without FUNCTION, of the top ones", 1 },
	{ "callees", OPT_CALLEES, "FUNCTION", OPTION_ARG_OPTIONAL, "What it calls; without FUNCTION, the top ones", 1 },
	{ "function", OPT_FUNCTION, "FUNCTION", OPTION_HIDDEN, "Its share of each host, or of what --by names", 1 },
	{ "at", OPT_AT, "ID", OPTION_HIDDEN, "The path with this id of kflame summary, and what it calls", 1 },
	{ "annotate", OPT_ANNOTATE, "FUNCTION", 0, "Its source lines and instructions", 1 },
	{ "percent-limit", OPT_LIMIT, "PERCENT", OPTION_HIDDEN, "Leave out smaller totals (0, of trees 0.5)", 1 },
	{ "min-percent", OPT_LIMIT, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1 },
	{ "rows", 'n', "ROWS", 0, "Most rows of a table, 0 for all (20)", 1 },
	{ "sort", OPT_SORT, "BY", OPTION_HIDDEN, "Order of the tables: self or total (self)", 1 },
	{ "samples", OPT_SAMPLES, NULL, OPTION_HIDDEN, "Shares are of samples (the default)", 1 },
	{ "time", OPT_TIME, NULL, 0, "Shares are of time; shows late time, too", 1 },
	{ "idle", OPT_IDLE, NULL, OPTION_HIDDEN, "Count the idle tasks in", 1 },
	{ "no-idle", OPT_NO_IDLE, NULL, OPTION_HIDDEN, "Leave them out of the tables (the default)", 1 },
	{ "wall", OPT_WALL, NULL, OPTION_HIDDEN, "All time of threads: running and waiting (record --wall)", 1 },
	{ "runq", OPT_RUNQ, NULL, OPTION_HIDDEN, "How long each thread waited for a CPU (record --off-cpu)", 1 },
	{ "locks", OPT_LOCKS, NULL, OPTION_HIDDEN, "How long threads waited for locks (record --off-cpu)", 1 },
	{ "histogram", OPT_HISTOGRAM, NULL, OPTION_HIDDEN, "Draw how long waits or calls took, or other weights", 1 },
	{ "latency", OPT_LATENCY, NULL, OPTION_HIDDEN, "Weigh samples by how many threads ran at once (record --timeline)", 1 },
	{ "tui", OPT_TUI, NULL, 0, "Browse the profile in the terminal; h for help", 1 },
	{ "json", OPT_JSON, NULL, 0, "Print all of it as JSON", 1 },
	{ 0 }
};

/* Return: the bits for a word of --by; 0 if it is unknown */
static unsigned int table_of(const char *word, size_t len)
{
	static const struct {
		const char *word;
		unsigned int tables;
	} others[] = {
		{ "process", 1u << REPORT_PID }, { "thread", 1u << REPORT_TID },
		{ "all", (1u << NR_REPORT_TABLES) - 1 },
	};

	for (int i = 0; i < NR_REPORT_TABLES; i++) {
		const char *key = report_table_key((enum report_table)i);

		if (strlen(key) == len && !strncmp(key, word, len))
			return 1u << i;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strlen(others[i].word) == len && !strncmp(others[i].word, word, len))
			return others[i].tables;
	return 0;
}

/* With --function, --by may be a label of recordings: see prepare_function() */
static void parse_by(struct report_command *c, const char *arg)
{
	c->by = arg;
	for (const char *at = arg;; at++) {
		size_t len = strcspn(at, ",");
		unsigned int tables = table_of(at, len);

		if (!tables && !c->by_unknown)
			c->by_unknown = at;
		c->report.tables |= tables;
		at += len;
		if (!*at)
			return;
	}
}

static void set_function(struct report_options *r, const char *name, struct argp_state *state)
{
	if (r->function && strcmp(r->function, name))
		argp_error(state, "callers and callees are of one function at a time, not of '%s' and '%s'",
			   r->function, name);
	r->function = name;
}

static void parse_wing(struct report_options *r, enum report_tree which, const char *arg,
		       struct argp_state *state)
{
	r->trees |= 1u << which;
	if (arg)
		set_function(r, arg, state);
}

/* --function has a table of its own, with one key */
static void prepare_function(struct report_command *c, struct argp_state *state)
{
	struct report_options *r = &c->report;

	if (!c->function.function) {
		if (c->by_unknown)
			argp_error(state, "--by is some of function, file, comm, pid, tid, cgroup, container, host, run, cpu, state, waker, label; not '%.*s'",
				   (int)strcspn(c->by_unknown, ","), c->by_unknown);
		return;
	}
	c->function.key = c->by ? c->by : "host";
	if (strchr(c->function.key, ','))
		argp_error(state, "with --function, --by is one of host, run, comm, or a label such as service");
	if (c->by && !c->by_unknown && strcmp(c->by, "host") && strcmp(c->by, "run") && strcmp(c->by, "comm"))
		argp_error(state, "with --function, --by is host, run, comm, or a label such as service; not '%s'", c->by);
	if (r->trees || r->function || c->annotate || c->runq || c->locks || r->histogram || c->tui || c->filter)
		argp_error(state, "--function shows one table: leave --tree, --callers, --callees, --at, --annotate, --runq, --locks, --histogram, --tui and filters away");
	if (!strcmp(c->function.key, "run"))
		c->naming.runs = true;
	r->tables = 1u << REPORT_FUNCTION;
}

/* The rows of --runq are what --by chooses */
static void choose_runq(struct report_options *r, struct argp_state *state)
{
	r->runq = NR_REPORT_TABLES;
	if (!r->tables)
		return;
	for (int i = 0; i < NR_REPORT_TABLES; i++)
		if (r->tables == 1u << i && i != REPORT_FUNCTION && i != REPORT_FILE && i != REPORT_WAKER &&
		    i != REPORT_LABEL)
			r->runq = (enum report_table)i;
	if (r->runq == NR_REPORT_TABLES)
		argp_error(state, "with --runq, --by is one of comm, cpu, pid, tid, cgroup, container, host, run, state");
	r->tables = 0;
}

static bool may_show_locks(uint32_t kind)
{
	return kind == KFLAME_EVENT_OFFCPU || kind == KFLAME_EVENT_SLEEPERS || kind == KFLAME_EVENT_TIMER;
}

/* Tables of waits are of the event off-cpu, and use times if there are any */
static void prepare_waits(struct report_command *c, struct argp_state *state)
{
	struct naming *n = &c->naming;

	if (!c->runq && !c->locks)
		return;
	if (c->runq && n->event && profile_event_kind(n->event) != KFLAME_EVENT_OFFCPU)
		argp_error(state, "--runq shows the event off-cpu: leave --event away");
	if (n->event && !may_show_locks(profile_event_kind(n->event)))
		argp_error(state, "--locks shows waits of off-cpu or off-cpu-sampled, or spins of cpu-clock: give one of them to --event");
	if (c->tui)
		argp_error(state, "--tui shows functions and calls: leave --runq and --locks away");
	if (c->runq)
		choose_runq(&c->report, state);
	n->cpus = c->report.runq == REPORT_CPU;
	n->times = true;
	if (!n->event && !n->wall)
		n->event = profile_event_name(KFLAME_EVENT_OFFCPU);
}

/* Weights become time of the timer's samples, which need their times */
static void prepare_latency(struct report_command *c, struct argp_state *state)
{
	struct naming *n = &c->naming;

	if (!c->latency)
		return;
	if (n->wall || n->wakers || c->runq || c->locks)
		argp_error(state, "--latency weighs samples of the timer: leave --wall, --wakers, --runq and --locks away");
	if (n->event && profile_event_kind(n->event) != KFLAME_EVENT_TIMER)
		argp_error(state, "--latency weighs samples of the timer: leave --event away");
	if (c->report.unit == TREE_SAMPLES)
		argp_error(state, "--latency shows time: leave --samples away");
	c->report.unit = TREE_NS;
	n->timeline = true;
}

/* A path is of one event, which its id knows */
static void prepare_path(struct report_command *c, struct argp_state *state)
{
	const struct report_options *r = &c->report;
	struct naming *n = &c->naming;

	if (!r->at)
		return;
	if (!path_id_is(r->at))
		argp_error(state, "'%s' is no id of a path; 'kflame summary' prints ids, such as t3f9a12c4d05e", r->at);
	if (r->tables || r->function || r->trees != 1u << REPORT_AT || c->annotate || c->runq || c->locks || c->tui ||
	    n->wall || c->latency)
		argp_error(state, "--at shows one path: leave --by, --tree, --callers, --callees, --annotate, --runq, --locks, --latency, --wall and --tui away");
	if (!n->event && path_id_event(r->at))
		n->event = path_id_event(r->at);
}

/* Choose the contents of the report if no option does */
static void set_defaults(struct report_command *c, struct argp_state *state)
{
	static const enum report_table of_roots[] = {
		[STACK_ROOT_NONE] = REPORT_COMM, [STACK_ROOT_CGROUP] = REPORT_CGROUP,
		[STACK_ROOT_CONTAINER] = REPORT_CONTAINER, [STACK_ROOT_PID] = REPORT_PID,
		[STACK_ROOT_TID] = REPORT_TID, [STACK_ROOT_HOST] = REPORT_HOST,
		[STACK_ROOT_RUN] = REPORT_RUN, [STACK_ROOT_CPU] = REPORT_CPU,
		[STACK_ROOT_STATE] = REPORT_STATE, [STACK_ROOT_WAKER] = REPORT_WAKER,
		[STACK_ROOT_LABEL] = REPORT_LABEL,
	};
	struct report_options *r = &c->report;

	prepare_function(c, state);
	if (r->function && !(r->trees & (1u << REPORT_CALLERS | 1u << REPORT_CALLEES)))
		argp_error(state, "'%s': a profile is named by -i, and of a function --callers or --callees shows something",
			   r->function);
	prepare_path(c, state);
	prepare_waits(c, state);
	prepare_latency(c, state);
	c->naming.runs |= !!(r->tables & 1u << REPORT_RUN);
	if (c->naming.wakers)
		r->tables |= 1u << REPORT_WAKER;
	if (r->histogram && (c->tui || profile_range_is_set(&c->naming.range)))
		argp_error(state, "--histogram is of the whole recording: leave --from, --to and --tui away");
	c->by_default = !r->tables && !r->trees && !c->annotate && !c->runq && !c->locks && !r->histogram;
	if (c->by_default)
		r->tables = 1u << REPORT_FUNCTION | 1u << of_roots[c->naming.root];
	if (c->tui && (c->json || c->output || c->annotate || r->function))
		argp_error(state, "--tui shows all in the terminal: leave -o, --json, --annotate and FUNCTION away");
	/* All time includes that of idle CPUs */
	if (c->naming.wall && !c->has_idle)
		c->idle = true;
	/* An annotation needs whole functions, not one frame for each line */
	if (c->annotate)
		c->naming.lines = false;
	if (r->limit == LIMIT_NOT_GIVEN)
		r->limit = r->trees ? REPORT_DEFAULT_LIMIT : 0;
}

static error_t parse_report(int key, char *arg, struct argp_state *state)
{
	struct report_options *r = &((struct report_command *)state->input)->report;

	switch (key) {
	case OPT_HISTOGRAM:
		r->histogram = true;
		return 0;
	case 'n':
		view_rows(&r->rows, arg, state);
		return 0;
	case OPT_SORT:
		view_sort(&r->sort, arg, state);
		return 0;
	case OPT_SAMPLES:
	case OPT_TIME:
		r->unit = key == OPT_TIME ? TREE_NS : TREE_SAMPLES;
		return 0;
	case OPT_BY:
		parse_by(state->input, arg);
		return 0;
	case OPT_FUNCTION:
		((struct report_command *)state->input)->function.function = arg;
		return 0;
	case OPT_TREE:
		r->trees |= 1u << REPORT_TREE;
		return 0;
	case OPT_CALLERS:
		parse_wing(r, REPORT_CALLERS, arg, state);
		return 0;
	case OPT_CALLEES:
		parse_wing(r, REPORT_CALLEES, arg, state);
		return 0;
	case OPT_AT:
		r->at = arg;
		r->trees |= 1u << REPORT_AT;
		return 0;
	case OPT_LIMIT:
		if (!percent_parse(arg, &r->limit))
			argp_error(state, "'%s' is not a percentage from 0 to 100", arg);
		return 0;
	case ARGP_KEY_ARG:
		set_function(r, arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct report_command *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->filter;
		state->child_inputs[1] = &c->naming;
		state->child_inputs[2] = &c->naming.range;
		return 0;
	case 'i':
		c->input = arg;
		return 0;
	case 'o':
		c->output = arg;
		return 0;
	case OPT_IDLE:
	case OPT_NO_IDLE:
		c->idle = key == OPT_IDLE;
		c->has_idle = true;
		return 0;
	case OPT_WALL:
		naming_use_wall(&c->naming);
		return 0;
	case OPT_RUNQ:
		c->runq = true;
		return 0;
	case OPT_LOCKS:
		c->locks = true;
		return 0;
	case OPT_LATENCY:
		c->latency = true;
		return 0;
	case OPT_JSON:
		c->json = true;
		return 0;
	case OPT_TUI:
		c->tui = true;
		return 0;
	case OPT_ANNOTATE:
		c->annotate = arg;
		return 0;
	case ARGP_KEY_END:
		set_defaults(c, state);
		return 0;
	}
	return parse_report(key, arg, state);
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.args_doc = "[FUNCTION]",
	.children = view_children,
	.doc = "Print what was recorded, and what took most of it.",
};

int report_parse(struct report_command *c, int argc, char **argv)
{
	*c = (struct report_command){
		.report = { .unit = TREE_BY_EVENT, .sort = SORT_SELF, .rows = 20,
			    .limit = LIMIT_NOT_GIVEN },
	};
	return command_line_parse(&argp, argc, argv, 0, c);
}
