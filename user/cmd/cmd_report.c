// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_report.c - kflame report: shows what was recorded, with tables and call trees
 */
#include <errno.h>
#include <stdlib.h>

#include "browse/browse.h"
#include "cmd/commands.h"
#include "cmd/named_output.h"
#include "cmd/report_options.h"
#include "stacks/load.h"
#include "stacks/open.h"
#include "views/butterfly.h"
#include "views/groups.h"
#include "views/latency.h"
#include "views/locks.h"
#include "views/path_id.h"
#include "views/report.h"
#include "views/report_parts.h"
#include "views/runq.h"

/* Context of an interactive report, for callbacks of the browser */
struct looked_at {
	const struct report *r;
	const struct report_command *c;
};

/* The tables leave out idle stacks, unless there are no others */
static bool leaves_out_idle(const struct summary *s, const struct report_command *c)
{
	uint64_t idle = tree_weight(&s->idle, c->report.unit);
	uint64_t all = tree_weight(&s->counted, c->report.unit);

	return idle && idle != all && !c->idle;
}

/* Check the name of a function or of a path before anything is written, and report an error */
static int check_names(const struct report *r)
{
	struct butterfly b;
	struct tree *t;
	int err;

	if (r->o.at) {
		err = path_at(r->t, r->o.at, &t);
		tree_destroy(t);
		return err;
	}
	if (!r->o.function)
		return 0;
	err = butterfly_find(&b, r->t, r->o.function);
	if (!err)
		butterfly_exit(&b);
	return err;
}

static int prepare(struct report *r, struct tree *t, const struct report_command *c)
{
	int err;

	summary_make(&r->summary, r->p, t);
	r->without_idle = leaves_out_idle(&r->summary, c);
	if (r->without_idle)
		tree_drop_idle(t);
	err = tree_finish(t);
	if (!err)
		err = check_names(r);
	return err;
}

static int print(struct report *r, const struct report_command *c)
{
	const char *no_color = getenv("NO_COLOR");
	struct output out;
	int err = named_output_open(&out, c->output, NULL, frames_have_addresses(r->t->frames, r->t->nr_frames));

	if (err)
		return err;
	r->o.color = out.is_terminal && !(no_color && *no_color);
	err = c->json ? report_json(out.file, r) : report_text(out.file, r);
	if (!err)
		return output_close(&out);
	output_abandon(&out);
	return load_failed(err, "summing up the profile");
}

static int annotate_it(struct report *r, struct annotation *a, const struct report_command *c)
{
	const struct annotate_options o = {
		.function = c->annotate, .naming = &c->naming, .filter = c->filter,
		.without_idle = r->without_idle,
	};
	int err;

	if (!c->annotate)
		return 0;
	err = annotate(a, r->p, r->t, &o);
	if (!err)
		r->annotation = a;
	return err;
}

/* The tables of waits that a report may have */
struct wait_tables {
	struct wait_table runq, locks, spins;
};

static int wait_tables_make(struct report *r, struct wait_tables *w, const struct report_command *c)
{
	int err = 0;

	if (c->runq) {
		r->runq = &w->runq;
		r->runq_by = r->o.runq;
		if (r->runq_by == NR_REPORT_TABLES)
			r->runq_by = groups_missing(r->p, STACK_ROOT_TID) ? REPORT_PID : REPORT_TID;
		err = runq_make(&w->runq, r->p, c->filter, report_table_root(r->runq_by));
	}
	if (!err && c->locks && (r->p->wall || profile_shows_waits(r->p))) {
		r->locks = &w->locks;
		err = locks_make(&w->locks, r->p, c->filter);
	}
	if (!err && c->locks && !profile_shows_waits(r->p)) {
		r->spins = &w->spins;
		err = locks_make_spins(&w->spins, r->p, c->filter);
	}
	return err ? load_failed(err, "adding up waits") : 0;
}

/* Annotate a function for the browser, which names it by a frame of the tree */
static int annotate_frame(void *ctx, const struct frame *f, struct annotation *out)
{
	const struct looked_at *l = ctx;
	const struct annotate_options o = {
		.frame = f, .naming = &l->c->naming, .filter = l->c->filter,
		.without_idle = l->r->without_idle,
	};

	return annotate(out, l->r->p, l->r->t, &o);
}

static int look_at(struct report *r, const struct report_command *c)
{
	struct looked_at l = { r, c };
	char *title = summary_line(&r->summary);
	const struct browser_source s = {
		.t = r->t, .title = title, .ctx = &l,
		/* With --lines, each line of a function is a separate frame: no annotation */
		.annotate = c->naming.lines ? NULL : annotate_frame,
	};
	int err = browse(&s, c->report.unit, c->report.sort);

	free(title);
	return err;
}

static int report(const struct profile *p, struct report_command *c)
{
	struct report r = { .p = p };
	struct annotation a = { 0 };
	struct wait_tables w = { .runq.rows = NULL };
	struct tree *t;
	int err;

	c->report.unit = load_unit(p, c->report.unit);
	if (c->by_default && profile_has_labels(p))
		c->report.tables |= 1u << REPORT_LABEL;
	r.o = c->report;
	r.o.one_event = c->naming.event;
	err = load_check_unit(p, c->report.unit);
	if (!err)
		err = load_profile_filtered(p, c->filter, &t);
	if (err)
		return err;
	r.t = t;
	r.is_filtered = filter_is_on(c->filter);
	if (r.is_filtered)
		r.dropped = filter_dropped(c->filter);
	err = prepare(&r, t, c);
	if (!err)
		err = annotate_it(&r, &a, c);
	if (!err)
		err = wait_tables_make(&r, &w, c);
	if (!err)
		err = c->tui ? look_at(&r, c) : print(&r, c);
	else if (err < 0 && err != -ENOENT && err != -EINVAL)
		load_failed(err, "summing up the profile");
	wait_table_exit(&w.runq);
	wait_table_exit(&w.locks);
	wait_table_exit(&w.spins);
	annotation_exit(&a);
	tree_destroy(t);
	return err;
}

/* The table of --function */
static int function_by(const struct profile *p, struct report_command *c)
{
	struct output out;
	int err;

	c->function.unit = load_unit(p, c->report.unit);
	c->function.rows = c->report.rows;
	c->function.idle = c->idle;
	err = load_check_unit(p, c->function.unit);
	if (!err)
		err = named_output_open(&out, c->output, NULL, false);
	if (err)
		return err;
	err = function_by_write(out.file, p, &c->function, c->json);
	if (!err)
		return output_close(&out);
	output_abandon(&out);
	return err == -ENOENT ? err : load_failed(err, "summing up the profile");
}

int cmd_report(int argc, char **argv)
{
	struct report_command c;
	struct profile *p;
	int status = EXIT_FAILURE, err;

	if (report_parse(&c, argc, argv))
		return EXIT_FAILURE;
	p = open_profile(c.input, &c.naming);
	if (p) {
		err = c.latency ? latency_use(p, c.input ? c.input : "kflame.data", c.filter) : 0;
		if (!err)
			err = c.function.function ? function_by(p, &c) : report(p, &c);
		status = err > 0 ? err : err ? EXIT_FAILURE : profile_status(p);
	}
	profile_destroy(p);
	filter_destroy(c.filter);
	return status;
}
