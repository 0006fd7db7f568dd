// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_flame.c - kflame flame: draws a profile, or folded stacks, as an SVG
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/flame_command.h"
#include "cmd/flame_timeline.h"
#include "cmd/named_output.h"
#include "cmd/record_command_line.h"
#include "profile/profile.h"
#include "record/recorder.h"
#include "stacks/load.h"
#include "stacks/open.h"
#include "views/summary.h"

/* The data of a picture */
struct source {
	struct tree *tree;
	char *title;
	char *line;		/* description of the recording */
	struct weight all;
	struct weight idle;
	uint64_t late_ns;
	bool in_time;		/* samples have different lengths: see summary_is_in_time() */
	bool waits;		/* it shows waits only */
	char counted[KFLAME_EVENT_NAME];	/* what samples are called, if they are no samples of time; else empty */
	int status;		/* exit status if all goes well */
};

static void release(struct source *s)
{
	tree_destroy(s->tree);
	free(s->title);
	free(s->line);
}

static int from_profile(struct source *s, struct flame_command *o)
{
	struct profile *p = open_profile(o->input, &o->naming);
	struct summary sum;
	int err;

	if (!p)
		return -EINVAL;
	o->flame.unit = load_unit(p, o->flame.unit);
	err = p->wall ? load_check_unit(p, o->flame.unit) : 0;
	if (!err)
		err = load_profile_filtered(p, o->filter, &s->tree);
	if (!err) {
		if (profile_counted(p))
			snprintf(s->counted, sizeof(s->counted), "%s", profile_counted(p));
		summary_make(&sum, p, s->tree);
		s->all = sum.counted;
		s->idle = sum.idle;
		s->late_ns = sum.late_ns;
		s->waits = sum.waits;
		s->in_time = summary_is_in_time(&sum);
		s->status = profile_status(p);
		s->title = summary_title(p);
		s->line = summary_line(&sum);
	}
	profile_destroy(p);
	return err;
}

static int from_folded(struct source *s, struct flame_command *o)
{
	const char *counted = o->flame.count_name ? o->flame.count_name : "samples";
	int err = load_folded_named(o->input, o->naming.symbols, o->filter, &s->tree, &s->status);
	char buf[TEXT_NUMBER];

	if (err)
		return err;
	o->flame.unit = load_unit(NULL, o->flame.unit);
	s->all = tree_sum(s->tree);
	if (o->filter) {
		s->all.samples += filter_dropped(o->filter).samples;
		s->all.ns += filter_dropped(o->filter).ns;
	}
	s->idle = tree_idle(s->tree);
	s->title = strdup("Flame graph");
	if (asprintf(&s->line, "%s %s", text_count(buf, s->all.samples), counted) < 0)
		s->line = NULL;
	return 0;
}

/* Mention late time: it has no samples of its own, so a picture of samples lacks it */
static void tell_late(FILE *out, const struct source *s, enum tree_unit unit)
{
	char buf[TEXT_NUMBER];

	if (unit == TREE_SAMPLES && s->late_ns && s->late_ns >= s->all.ns / 100)
		fprintf(out, "; %s of the time came late (--time draws it)",
			text_percent(buf, s->late_ns, s->all.ns, 1));
}

/* Remove the idle stacks, unless the picture shows them, and mention it */
static void tell_idle(FILE *out, struct source *s, const struct flame_command *o)
{
	const struct weight shown = tree_sum(s->tree);
	uint64_t all = tree_weight(&s->all, o->flame.unit);
	uint64_t idle = tree_weight(&s->idle, o->flame.unit);
	char buf[TEXT_NUMBER];

	if (!idle || o->idle)
		return;
	if (idle == tree_weight(&shown, o->flame.unit)) {
		fputs("; all of it idle", out);
		return;
	}
	tree_drop_idle(s->tree);
	fprintf(out, "; idle %s not drawn (--idle draws it)", text_percent(buf, idle, all, 1));
}

/* Return: the second line of the picture: what was recorded, and which part is drawn */
static char *subtitle(struct source *s, const struct flame_command *o)
{
	uint64_t all = tree_weight(&s->all, o->flame.unit);
	char buf[TEXT_NUMBER];
	struct weight dropped;
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);
	bool failed;

	if (!out)
		return NULL;
	fprintf(out, "%s%s", o->flame.subtitle ? o->flame.subtitle : s->line,
		o->flame.unit == TREE_NS && !s->in_time ? "; widths are time" : "");
	tell_idle(out, s, o);
	if (filter_is_on(o->filter)) {
		dropped = filter_dropped(o->filter);
		fprintf(out, "; %s filtered out",
			text_percent(buf, tree_weight(&dropped, o->flame.unit), all, 1));
	}
	if (o->reverse)
		fputs("; from the innermost function to its callers", out);
	tell_late(out, s, o->flame.unit);
	failed = ferror(out);
	if (!fclose(out) && !failed)
		return line;
	free(line);
	return NULL;
}

static int write_picture(struct source *s, struct flame_command *o)
{
	const char *path = o->output ? o->output : FLAME_OUTPUT;
	struct flame_result result;
	char buf[TEXT_NUMBER];
	struct output out;
	int err;

	err = named_output_open(&out, o->output, FLAME_OUTPUT,
				frames_have_addresses(s->tree->frames, s->tree->nr_frames));
	if (err)
		return err;
	err = flame_write(out.file, s->tree, &o->flame, &result);
	if (err) {
		output_abandon(&out);
		return load_failed(err, "drawing the flame graph");
	}
	err = output_close(&out);
	if (!err && strcmp(path, "-"))
		complain("drew %s frames into %s", text_count(buf, result.drawn), path);
	return err;
}

/* Filter the stacks, and finish the tree for drawing.  Return: 0 or -ENOMEM */
static int prepare(struct source *s, struct flame_command *o)
{
	struct tree *reversed;
	int err = flame_weigh(s->tree, &o->flame);

	if (err)
		return err;
	if (o->reverse) {
		reversed = tree_reverse(s->tree);
		if (!reversed)
			return -ENOMEM;
		tree_destroy(s->tree);
		s->tree = reversed;
	}
	err = flame_prune(s->tree, &o->flame);
	return err ? err : tree_finish(s->tree);
}

/* Return: 0; -ENODATA, after an error message */
static int check_weight(const struct source *s, const struct flame_command *o)
{
	const struct weight shown = tree_sum(s->tree);

	if (tree_weight(&shown, o->flame.unit))
		return 0;
	if (shown.samples)
		complain("the input holds no times; draw samples: leave out --time");
	else if (profile_range_is_set(&o->naming.range))
		complain("there are no samples in that part, so there is nothing to draw: look at --from and --to");
	else if (s->all.samples && filter_is_on(o->filter))
		complain("no stack is left to draw: look at --include, --exclude and --focus");
	else
		complain("there are no samples in the input, so there is nothing to "
			 "draw; record for longer, or with fewer filters");
	return -ENODATA;
}

static int draw(struct source *s, struct flame_command *o)
{
	char *second;
	int err = -ENOMEM;

	if (!s->title || !s->line)
		return load_failed(err, "drawing the flame graph");
	err = check_weight(s, o);
	if (err)
		return err;
	second = subtitle(s, o);
	if (!o->flame.title)
		o->flame.title = s->title;
	if (!o->flame.count_name && *s->counted)
		o->flame.count_name = s->counted;
	o->flame.subtitle = second;
	o->flame.only_time = s->in_time && o->flame.unit == TREE_NS;
	flame_command_use_colors(o, s->waits);
	err = second ? prepare(s, o) : -ENOMEM;
	if (err)
		load_failed(err, "drawing the flame graph");
	else
		err = write_picture(s, o);
	free(second);
	return err;
}

/*
 * Make a recording first, into the file that is drawn afterwards.
 *
 * Return: the exit status, including that of the recorded command; @made: whether there is
 * a profile to draw.
 */
static int record(struct flame_command *c, bool *made)
{
	struct record_options o;
	int status = EXIT_FAILURE;

	*made = false;
	if (!record_options_parse(&o, (int)c->nr_record - 1, c->record)) {
		status = recorder_run(&o, made);
		c->input = o.output;
	}
	record_options_exit(&o);
	return status;
}

/* Write a page in place of a picture.  Return: the exit status */
static int view(const struct flame_command *o)
{
	char name[] = "kflame view", output[] = "-o", source[] = "--with-source", *argv[6] = { name };
	int argc = 1;

	if (o->with_source)
		argv[argc++] = source;

	if (o->output) {
		argv[argc++] = output;
		argv[argc++] = (char *)o->output;
	}
	if (o->input)
		argv[argc++] = (char *)o->input;
	return cmd_view(argc, argv);
}

static int run(struct flame_command *o)
{
	struct source s = { 0 };
	int recorded = 0, err;
	bool made;

	if (o->record) {
		recorded = record(o, &made);
		if (!made)
			return recorded;
	}
	if (o->view) {
		err = view(o);
		return recorded ? recorded : err;
	}
	if (o->chart || o->heatmap) {
		err = flame_timeline(o, &s.status);
		return err ? EXIT_FAILURE : recorded ? recorded : s.status;
	}
	err = o->folded ? from_folded(&s, o) : from_profile(&s, o);
	if (!err)
		err = draw(&s, o);
	release(&s);
	if (err)
		return EXIT_FAILURE;
	return recorded ? recorded : s.status;
}

int cmd_flame(int argc, char **argv)
{
	struct flame_command o;
	int status = EXIT_FAILURE;

	if (!flame_command_parse(&o, argc, argv))
		status = run(&o);
	flame_command_exit(&o);
	return status;
}
