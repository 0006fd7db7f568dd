// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_view.c - kflame view: writes a profile as one HTML file with a viewer
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/named_output.h"
#include "cmd/naming_options.h"
#include "cmd/range_options.h"
#include "html/view_page.h"
#include "profile/profile.h"
#include "stacks/load.h"
#include "stacks/open.h"
#include "views/info.h"
#include "views/summary.h"

#define VIEW_OUTPUT	"profile.html"

struct options {
	const char *input[2];
	int nr_inputs;
	const char *output;
	const char *title;
	struct naming naming;
	enum view_dim root;
	const char *event;
	bool folded;
	bool with_source;
};

/* The document while it is made, and memory to free */
struct making {
	struct view_data d;
	struct view_page page;
	struct view_counts counts;
	struct profile *kept;		/* the page still reads it */
	struct self_annotations source;
	char *title, *line;
	char *accounting;
	size_t accounting_len;
	FILE *accounts;
	int status;
};

enum { OPT_FOLDED = 256, OPT_TITLE, OPT_WITH_SOURCE };

static const struct argp_option option_list[] = {
	{ "output", 'o', "FILE", 0, "File to write, - for stdout (profile.html)", 0 },
	{ "input", 'i', "FILE", OPTION_HIDDEN, "Profile to read, - for stdin (kflame.data)", 0 },
	{ "folded", OPT_FOLDED, NULL, 0, "The inputs hold folded stacks", 0 },
	{ "title", OPT_TITLE, "TEXT", 0, "First line of the page", 0 },
	{ "with-source", OPT_WITH_SOURCE, NULL, 0, "Put source lines and instructions of the heaviest functions into the page", 0 },
	{ 0 }
};

static error_t take_input(struct options *o, char *arg, struct argp_state *state)
{
	if (o->nr_inputs == 2)
		argp_error(state, "'%s': give one profile, or two to compare", arg);
	o->input[o->nr_inputs++] = arg;
	return 0;
}

static void check_inputs(const struct options *o, struct argp_state *state)
{
	if (o->nr_inputs == 2 && !strcmp(o->input[0], "-") && !strcmp(o->input[1], "-"))
		argp_error(state, "only one of the profiles can be standard input");
	if (o->folded)
		naming_refuse(&o->naming, state);
	if (o->with_source && (o->folded || o->nr_inputs == 2))
		argp_error(state, "--with-source needs addresses of one profile: leave out --folded and the second profile");
	if (o->with_source && o->naming.lines)
		argp_error(state, "--lines makes a function of each line, and --with-source shows the lines of a function: leave one of them out");
	if (o->naming.wakers)
		argp_error(state, "the page has no stacks of wakers: use kflame flame --wakers");
}

/* All events and roots are read. Options choose which ones the page shows at first. */
static void take_first(struct options *o)
{
	o->root = view_dim_of(o->naming.root);
	o->event = o->naming.event;
	o->naming.root = STACK_ROOT_NONE;
	o->naming.event = NULL;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->naming;
		state->child_inputs[1] = &o->naming.range;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case 'i':
	case ARGP_KEY_ARG:
		return take_input(o, arg, state);
	case OPT_FOLDED:
		o->folded = true;
		return 0;
	case OPT_TITLE:
		o->title = arg;
		return 0;
	case OPT_WITH_SOURCE:
		o->with_source = true;
		return 0;
	case ARGP_KEY_END:
		check_inputs(o, state);
		take_first(o);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = {
	{ &naming_argp, 0, NULL, 2 }, { &range_argp, 0, NULL, 2 }, { 0 }
};

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.children = children,
	.args_doc = "[PROFILE [PROFILE]]",
	.doc = "Write a profile as one HTML file that any browser opens, without a network: search, zoom, filter, callers and callees, time, comparison.",
};

/* ------------------------------------------------------------------ reading */

static void add_accounting(struct making *m, const struct profile *p, const char *name)
{
	if (!m->accounts)
		return;
	if (m->page.d->values[VIEW_SIDE].nr) {
		text_put(m->accounts, name);
		fputs(":\n", m->accounts);
	}
	/* A part of a recording has no accounting. */
	if (p->span.is_cut)
		fputs("This is a part of a recording. 'kflame info' prints the accounting of the whole.\n", m->accounts);
	else
		info_print(m->accounts, p, false, false);
	putc('\n', m->accounts);
}

/* Describe a recording: its timer, and each other event.  Return: the line, to be freed; NULL without memory */
static char *describe(const struct profile *p, const struct summary *sum)
{
	char *line = NULL, *timer = p->samples ? summary_line(sum) : NULL, buf[TEXT_NUMBER];
	const char *before = timer ? "; " : "";
	size_t len;
	FILE *out = open_memstream(&line, &len);
	bool failed;

	if (!out) {
		free(timer);
		return NULL;
	}
	fputs(timer ? timer : "", out);
	for (size_t i = 0; i < p->nr_events; i++) {
		const struct profile_event *e = &p->events[i];

		if (!e->id || !e->samples)
			continue;
		fprintf(out, "%s%s sample%s of %s", before, text_count(buf, e->samples), text_plural(e->samples), e->name);
		before = "; ";
	}
	free(timer);
	failed = ferror(out);
	if (!fclose(out) && !failed)
		return line;
	free(line);
	return NULL;
}

static int take_texts(struct making *m, const struct profile *p, const struct options *o, const char *name)
{
	struct tree *none = tree_create();
	struct summary sum;

	add_accounting(m, p, name);
	if (!none)
		return -ENOMEM;
	summary_make(&sum, p, none);
	tree_destroy(none);
	if (o->nr_inputs < 2) {
		m->title = profile_host(p, "host") || profile_host(p, "command") ? summary_title(p) : NULL;
		m->line = describe(p, &sum);
	}
	if (p->has_session)
		m->page.period_ns = p->session.period_ns;
	return 0;
}

/* Keep the samples of a profile with times for the document.  Return: whether @p is kept */
static bool keep_times(struct making *m, struct profile *p, const struct options *o, const char *name)
{
	const bool is_cut = profile_range_is_set(&o->naming.range);

	if (!p->nr_timeline || o->nr_inputs > 1)
		return false;
	if (!is_cut && profile_use_timeline(p, name, &o->naming.range))
		return false;
	if (p->span.end_ns - p->span.start_ns > VIEW_LONGEST) {
		complain("%s: its times span more than 52 days, so the page has none; all sums are whole", name);
		return false;
	}
	m->page.timed = p;
	m->page.counts = &m->counts;
	return true;
}

/* Find the code of the heaviest functions */
static int add_source(struct making *m, const struct profile *p, const struct options *o)
{
	if (!o->with_source)
		return 0;
	m->page.source = &m->source;
	return annotate_self(&m->source, p, &o->naming, VIEW_MOST_SOURCE);
}

static int from_profile(struct making *m, const struct options *o, int which, const char *side)
{
	const char *name = o->input[which] ? o->input[which] : "kflame.data";
	struct profile *p = open_profile(o->input[which], &o->naming);
	bool is_kept = false;
	int err;

	if (!p)
		return -EINVAL;
	m->status |= profile_status(p);
	err = take_texts(m, p, o, name);
	if (err)
		load_failed(err, "reading the profile");
	else
		is_kept = keep_times(m, p, o, name);
	if (!err) {
		err = add_source(m, p, o);
		if (err)
			load_failed(err, "reading source lines and instructions");
	}
	if (!err)
		err = view_load_profile(&m->d, p, side, m->source.spot_of, is_kept ? &m->counts : NULL);
	if (is_kept || m->page.source)
		m->kept = p;
	else
		profile_destroy(p);
	return err;
}

static const char *name_of(const char *input)
{
	return strcmp(input, "-") ? input : "standard input";
}

/* Names of the sides of a comparison.  Both files may have the same name. */
static int name_side(char **side, const struct options *o, int which)
{
	*side = NULL;
	if (o->nr_inputs < 2)
		return 0;
	return asprintf(side, "%c: %s", 'A' + which, name_of(o->input[which])) < 0 ? -ENOMEM : 0;
}

/* Choose the event that the page shows at first: the one that the user named, or the timer, or the first one */
static int choose_event(struct making *m, const struct options *o)
{
	const struct view_data *d = &m->d;

	m->page.root = o->root;
	for (uint32_t i = 0; i < d->nr_events; i++) {
		if (o->event ? !strcmp(d->events[i].name, o->event) : d->events[i].is_timer) {
			m->page.event = i;
			return 0;
		}
	}
	if (!o->event)
		return 0;
	complain("there are no samples of an event %s; 'kflame info' lists the events of a profile", o->event);
	return -ENODATA;
}

static int load_all(struct making *m, const struct options *o)
{
	int err = 0;

	for (int i = 0; i < (o->nr_inputs ? o->nr_inputs : 1) && !err; i++) {
		char *side;

		if (name_side(&side, o, i))
			return load_failed(-ENOMEM, "reading the profiles");
		err = o->folded ? view_load_folded(&m->d, o->input[i], side, &m->status) : from_profile(m, o, i, side);
		free(side);
	}
	if (err)
		return err;
	if (!m->d.sum_samples && !m->d.sum_weight) {
		complain("there are no samples in the input, so there is nothing to show; record for longer, or with fewer filters");
		return -ENODATA;
	}
	err = choose_event(m, o);
	if (err)
		return err;
	err = view_data_sort(&m->d);
	return err ? load_failed(err, "sorting the stacks") : 0;
}

/* ------------------------------------------------------------------ writing */

static int make_texts(struct making *m, const struct options *o)
{
	char buf[TEXT_NUMBER];
	int len = 0;

	if (m->accounts && fclose(m->accounts))
		return -ENOMEM;
	m->accounts = NULL;
	if (!m->title)
		m->title = strdup(o->nr_inputs > 1 ? "Comparison" : "Profile");
	if (!m->line && o->nr_inputs > 1)
		len = asprintf(&m->line, "A: %s, B: %s", name_of(o->input[0]), name_of(o->input[1]));
	else if (!m->line)
		len = asprintf(&m->line, "%s sample%s", text_count(buf, m->d.sum_samples),
			       text_plural(m->d.sum_samples));
	if (!m->title || len < 0)
		return -ENOMEM;
	m->page.title = o->title ? o->title : m->title;
	m->page.line = m->line;
	m->page.accounting = m->accounting;
	return 0;
}

static int write_page(struct making *m, const struct options *o)
{
	const char *path = o->output ? o->output : VIEW_OUTPUT;
	char buf[TEXT_NUMBER];
	struct output out;
	int err = make_texts(m, o);

	if (err)
		return load_failed(err, "writing the page");
	err = o->with_source ? secret_output_open(&out, o->output, VIEW_OUTPUT, "code of the recorded programs") :
		named_output_open(&out, o->output, VIEW_OUTPUT, frames_have_addresses(m->d.frames.all, m->d.frames.nr));
	if (err)
		return err;
	err = view_page_write(out.file, &m->page);
	if (err) {
		output_abandon(&out);
		return load_failed(err, "writing the page");
	}
	err = output_close(&out);
	if (!err && strcmp(path, "-"))
		complain("wrote %s path%s into %s", text_count(buf, m->d.nr_paths - 1), text_plural(m->d.nr_paths - 1), path);
	return err;
}

static void release(struct making *m)
{
	if (m->accounts)
		fclose(m->accounts);
	self_annotations_exit(&m->source);
	profile_destroy(m->kept);
	view_data_exit(&m->d);
	free(m->counts.fact);
	free(m->title);
	free(m->line);
	free(m->accounting);
}

int cmd_view(int argc, char **argv)
{
	struct options o = { .naming = { .every_event = true, .times = true, .cpus = true },
			     .root = VIEW_DIMS };
	struct making m = { 0 };
	int err;

	if (command_line_parse(&argp, argc, argv, 0, &o))
		return EXIT_FAILURE;
	m.page.d = &m.d;
	m.page.period_ns = o.folded;	/* a folded sample weighs one */
	err = view_data_init(&m.d);
	if (!err && !o.folded) {
		m.accounts = open_memstream(&m.accounting, &m.accounting_len);
		err = m.accounts ? 0 : -ENOMEM;
	}
	if (err)
		load_failed(err, "reading the profile");
	else
		err = load_all(&m, &o);
	if (!err)
		err = write_page(&m, &o);
	release(&m);
	return err ? EXIT_FAILURE : m.status;
}
