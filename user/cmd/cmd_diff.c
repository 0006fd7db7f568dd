// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_diff.c - kflame diff: compares two profiles, or folded stacks
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/diff_options.h"
#include "cmd/named_output.h"
#include "profile/stack_end.h"
#include "stacks/load.h"
#include "stacks/open.h"
#include "views/diff_flame.h"
#include "views/summary.h"
#include "views/trust.h"

/* ------------------------------------------------------------------ reading */

/* On each side: samples with user stacks, those whose outermost frames are missing, and what is counted */
struct ends {
	uint64_t stacks[2], cut[2];
	char counted[2][KFLAME_EVENT_NAME];	/* what is counted or measured; empty: samples of time on a CPU */
};

static int from_profile(struct diff *d, enum diff_side side, const struct diff_command *c,
			struct ends *ends, int *status)
{
	struct naming naming = c->naming;
	struct profile *p;
	struct summary sum;
	int err;

	/* Names of the sides of a store are what selects them. */
	if (naming.store)
		naming.where = d->name[side];
	p = open_profile(d->name[side], &naming);
	if (!p)
		return -EINVAL;
	d->o.unit = load_unit(p, d->o.unit);
	err = p->wall ? load_check_unit(p, d->o.unit) : 0;
	if (!err)
		err = load_profile(p, &d->t[side]);
	if (!err) {
		summary_make(&sum, p, d->t[side]);
		d->line[side] = summary_line(&sum);
		if (sum.what)
			snprintf(ends->counted[side], sizeof(ends->counted[side]), "%s", sum.what);
		else if (summary_is_in_time(&sum))
			snprintf(ends->counted[side], sizeof(ends->counted[side]), "%s", sum.event);
		*status |= profile_status(p);
		trust_count_cut(p, &ends->stacks[side], &ends->cut[side]);
	}
	profile_destroy(p);
	return err;
}

/* Warn about incomplete stacks: a path that begins elsewhere for that reason has not changed */
static void tell_cut(const struct diff *d, const struct ends *e)
{
	char a[TEXT_NUMBER], b[TEXT_NUMBER];
	uint64_t share[2];

	for (int s = 0; s < 2; s++) {
		if (!e->stacks[s])
			return;
		share[s] = scale(e->cut[s], 1000, e->stacks[s]);
	}
	if (share[0] < share[1] + STACKS_CUT_MUCH && share[1] < share[0] + STACKS_CUT_MUCH)
		return;
	complain("%s of the user stacks of %s end early, without their callers, and %s of those of %s: paths that differ by that did not change ('kflame info' says why they end)",
		 text_percent(a, e->cut[0], e->stacks[0], 1), d->name[0],
		 text_percent(b, e->cut[1], e->stacks[1], 1), d->name[1]);
}

static int from_folded(struct diff *d, enum diff_side side, int *status)
{
	char buf[TEXT_NUMBER];
	int err = load_folded(d->name[side], NULL, &d->t[side], status);

	d->o.unit = load_unit(NULL, d->o.unit);
	if (!err && asprintf(&d->line[side], "%s %s",
			     text_count(buf, tree_sum(d->t[side]).samples), diff_counted(d)) < 0)
		d->line[side] = NULL;
	return err;
}

/* Remove the idle stacks, unless there are no others, and report it */
static int leave_out_idle(struct diff *d, enum diff_side side)
{
	struct weight all = tree_sum(d->t[side]), idle = tree_idle(d->t[side]);
	uint64_t part = tree_weight(&idle, d->o.unit), whole = tree_weight(&all, d->o.unit);
	char buf[TEXT_NUMBER], *line;

	if (!part || part == whole)
		return 0;
	tree_drop_idle(d->t[side]);
	if (asprintf(&line, "%s; idle %s left out (--idle)", d->line[side],
		     text_percent(buf, part, whole, 1)) < 0)
		return -ENOMEM;
	free(d->line[side]);
	d->line[side] = line;
	return 0;
}

/* Both sides must count the same.  Return: 0; -EINVAL after a message */
static int use_counted(struct diff *d, const struct ends *e)
{
	const char *a = e->counted[DIFF_BASE], *b = e->counted[DIFF_OTHER];
	const char *timer = profile_event_name(KFLAME_EVENT_TIMER);

	if (!strcmp(a, b)) {
		if (*a)
			d->o.counted = a;
		return 0;
	}
	complain("%s has counts of %s, %s of %s: name one event that both have, with --event", d->name[DIFF_BASE],
		 *a ? a : timer, d->name[DIFF_OTHER], *b ? b : timer);
	return -EINVAL;
}

static int check(const struct diff *d, enum diff_side side)
{
	const struct weight *all = diff_whole(d, side);

	if (tree_weight(all, d->o.unit))
		return 0;
	if (all->samples)
		complain("%s holds no times; compare samples: leave out --time", d->name[side]);
	else
		complain("there are no samples in %s, so there is nothing to compare; record for longer, or with fewer filters",
			 d->name[side]);
	return -ENODATA;
}

static int load(struct diff *d, enum diff_side side, const struct diff_command *c,
		struct ends *ends, int *status)
{
	int err = c->folded ? from_folded(d, side, status) : from_profile(d, side, c, ends, status);

	if (err)
		return err;
	if (!d->line[side])
		err = -ENOMEM;
	if (!err && !c->idle)
		err = leave_out_idle(d, side);
	if (!err)
		err = tree_finish(d->t[side]);
	return err ? load_failed(err, "reading what is compared") : check(d, side);
}

/* ------------------------------------------------------------------ writing */

static char *subtitle(const struct diff *d, const struct diff_flame *f)
{
	struct weight gone = diff_flame_vanished(f);
	char base = d->letter[DIFF_BASE], other = d->letter[DIFF_OTHER], *line;
	char buf[TEXT_NUMBER];

	text_percent(buf, tree_weight(&gone, d->o.unit),
		     tree_weight(diff_whole(d, DIFF_BASE), d->o.unit), 2);
	if (asprintf(&line, "%s that changed since %c; widths are %c's%s; vanished: %s of %c, drawn apart",
		     d->o.raw ? "What" : "Shares", base, other,
		     d->o.unit == TREE_NS ? " time" : "", buf, base) < 0)
		return NULL;
	return line;
}

static char *title(const struct diff *d)
{
	char *line;

	if (asprintf(&line, "%s (%c) since %s (%c)", d->name[DIFF_OTHER], d->letter[DIFF_OTHER],
		     d->name[DIFF_BASE], d->letter[DIFF_BASE]) < 0)
		return NULL;
	return line;
}

static int write_picture(FILE *out, const struct diff *d, const struct diff_command *c)
{
	struct flame_options o = c->picture;
	struct flame_result result;
	char *first, *second;
	struct diff_flame f;
	int err = diff_flame_make(&f, d);

	if (err)
		return err;
	first = title(d);
	second = subtitle(d, &f);
	if (!o.title)
		o.title = first;
	if (!o.subtitle)
		o.subtitle = second;
	o.unit = d->o.unit;
	o.paint = &f.paint;
	err = first && second ? flame_write(out, f.width, &o, &result) : -ENOMEM;
	free(first);
	free(second);
	diff_flame_exit(&f);
	return err;
}

static bool has_addresses(const struct diff *d)
{
	return frames_have_addresses(d->t[0]->frames, d->t[0]->nr_frames) ||
	       frames_have_addresses(d->t[1]->frames, d->t[1]->nr_frames);
}

static int write_out(struct diff *d, const struct diff_command *c)
{
	const char *by_default = c->flame ? "diff.svg" : NULL, *path = c->output ? c->output : by_default;
	const char *no_color = getenv("NO_COLOR");
	struct output out;
	int err = named_output_open(&out, c->output, by_default, has_addresses(d));

	if (err)
		return err;
	d->o.color = out.is_terminal && !(no_color && *no_color);
	if (c->flame)
		err = write_picture(out.file, d, c);
	else
		err = c->json ? diff_json(out.file, d) : diff_text(out.file, d);
	if (err) {
		output_abandon(&out);
		return load_failed(err, "comparing the profiles");
	}
	err = output_close(&out);
	if (!err && c->flame && strcmp(path, "-"))
		complain("drew %s", path);
	return err;
}

static void release(struct diff *d)
{
	diff_tree_exit(&d->paths);
	for (int s = 0; s < 2; s++) {
		tree_destroy(d->t[s]);
		free(d->line[s]);
	}
}

int cmd_diff(int argc, char **argv)
{
	struct diff_command c;
	struct ends ends = { 0 };
	struct diff d = { 0 };
	int status = 0, err = 0;

	if (diff_parse(&c, argc, argv))
		return EXIT_FAILURE;
	d.o = c.diff;
	for (int i = 0; i < 2; i++) {
		enum diff_side side = i == c.base ? DIFF_BASE : DIFF_OTHER;

		d.letter[side] = (char)('A' + i);
		d.name[side] = c.input[i];
	}
	for (int s = 0; s < 2 && !err; s++)
		err = load(&d, (enum diff_side)s, &c, &ends, &status);
	if (!err)
		err = use_counted(&d, &ends);
	if (!err) {
		err = diff_tree_make(&d.paths, d.t[DIFF_BASE], d.t[DIFF_OTHER]);
		if (err)
			load_failed(err, "comparing the profiles");
	}
	if (!err)
		tell_cut(&d, &ends);
	if (!err)
		err = write_out(&d, &c);
	release(&d);
	return err ? EXIT_FAILURE : status;
}
