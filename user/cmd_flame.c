// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_flame.c - kflame flame: a profile, or folded stacks, as an SVG
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "naming_options.h"
#include "profile.h"
#include "views/flame.h"
#include "views/load.h"
#include "views/output.h"
#include "views/summary.h"
#include "views/text.h"

struct options {
	const char *input;
	const char *output;
	struct profile_naming naming;
	const char *title;
	struct flame_options flame;
	bool folded;
	bool idle;
};

enum { OPT_FOLDED = 256, OPT_TITLE, OPT_WIDTH, OPT_MIN_WIDTH, OPT_SAMPLES, OPT_TIME,
	OPT_IDLE, OPT_NO_IDLE };

static const struct argp_option option_list[] = {
	{ "input", 'i', "FILE", 0, "Profile to read, - for standard input (kflame.data)", 0 },
	{ "output", 'o', "FILE", 0, "File to write, - for standard output (flame.svg)", 0 },
	{ "folded", OPT_FOLDED, NULL, 0,
	  "The input holds folded stacks; it is standard input if there is no -i", 0 },
	{ "title", OPT_TITLE, "TEXT", 0, "First line of the picture", 0 },
	{ "width", OPT_WIDTH, "PIXELS", 0, "Width without scripts (1200)", 0 },
	{ "min-width", OPT_MIN_WIDTH, "PIXELS", 0, "Leave out narrower frames (0.1)", 0 },
	{ "samples", OPT_SAMPLES, NULL, 0, "Widths are samples (the default)", 0 },
	{ "time", OPT_TIME, NULL, 0, "Widths are time; shows late time, too", 0 },
	{ "idle", OPT_IDLE, NULL, 0, "Draw the idle tasks", 0 },
	{ "no-idle", OPT_NO_IDLE, NULL, 0, "Leave them out (the default)", 0 },
	{ 0 }
};

/* "12.34" in hundredths; no floating point, whose comma depends on the locale */
static bool parse_hundredths(const char *s, unsigned int *value)
{
	unsigned long whole = 0, fraction = 0, unit = 10;
	const char *p = s;

	for (; *p >= '0' && *p <= '9' && whole < 1000000; p++)
		whole = whole * 10 + (unsigned long)(*p - '0');
	if (p == s)
		return false;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++, unit /= 10)
			fraction += unit * (unsigned long)(*p - '0');
	*value = (unsigned int)(whole * 100 + fraction);
	return !*p && whole <= FLAME_MAX_WIDTH;
}

static error_t parse_number(int key, const char *arg, struct argp_state *state)
{
	struct flame_options *f = &((struct options *)state->input)->flame;
	unsigned int x;

	if (!parse_hundredths(arg, &x))
		argp_error(state, "'%s' is not a number of pixels from 0 to %u", arg,
			   FLAME_MAX_WIDTH);
	else if (key == OPT_MIN_WIDTH)
		f->min_width = x;
	else if (x < FLAME_MIN_WIDTH * 100)
		argp_error(state, "--width is %u to %u pixels", FLAME_MIN_WIDTH, FLAME_MAX_WIDTH);
	else
		f->width = x / 100;
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->naming;
		return 0;
	case 'i':
		o->input = arg;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPT_FOLDED:
		o->folded = true;
		return 0;
	case OPT_TITLE:
		o->title = arg;
		return 0;
	case OPT_WIDTH:
	case OPT_MIN_WIDTH:
		return parse_number(key, arg, state);
	case OPT_SAMPLES:
		o->flame.unit = TREE_SAMPLES;
		return 0;
	case OPT_TIME:
		o->flame.unit = TREE_NS;
		return 0;
	case OPT_IDLE:
		o->idle = true;
		return 0;
	case OPT_NO_IDLE:
		o->idle = false;
		return 0;
	case ARGP_KEY_ARG:
		/* "kflame flame --folded -": the dash that pipelines are used to */
		if (strcmp(arg, "-") || o->input)
			return ARGP_ERR_UNKNOWN;
		o->input = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.children = naming_children,
	.doc = "Draw a profile as a flame graph: one SVG file that any browser opens, "
	       "with zoom (click), search (Ctrl-F) and tooltips.",
};

/* What a picture is made of */
#define LATE_NOTE	80

struct source {
	struct tree *tree;
	char *title;
	char *line;		/* what was recorded */
	struct weight all;
	struct weight idle;
	uint64_t late_ns;
	int status;		/* what to exit with when all went well */
};

static void release(struct source *s)
{
	tree_destroy(s->tree);
	free(s->title);
	free(s->line);
}

static char *profile_title(const struct profile *p)
{
	const char *command = profile_host(p, "command");
	const char *host = profile_host(p, "host");
	char *title;

	if (asprintf(&title, "%s%s%s", host ? host : "Flame graph", command ? ": " : "",
		     command ? command : "") < 0)
		return NULL;
	return title;
}

static int from_profile(struct source *s, const char *path, const struct profile_naming *naming)
{
	struct profile *p = profile_open(path, naming);
	struct summary sum;
	int err;

	if (!p)
		return -EINVAL;
	err = load_profile(p, &s->tree);
	if (!err) {
		summary_make(&sum, p, s->tree);
		s->all = sum.counted;
		s->idle = sum.idle;
		s->late_ns = sum.late_ns;
		s->status = profile_status(p);
		s->title = profile_title(p);
		s->line = summary_line(&sum);
	}
	profile_free(p);
	return err;
}

static int from_folded(struct source *s, const char *path)
{
	char buf[TEXT_NUMBER];
	int err = load_folded(path, &s->tree);

	if (err)
		return err;
	s->all = tree_sum(s->tree);
	s->idle = tree_idle(s->tree);
	s->title = strdup("Flame graph");
	if (asprintf(&s->line, "%s samples", text_count(buf, s->all.samples)) < 0)
		s->line = NULL;
	return 0;
}

/* What is said after the line: late time is no samples, so samples do not show it */
static void late_note(char note[LATE_NOTE], const struct source *s, enum tree_unit unit)
{
	char buf[TEXT_NUMBER];

	note[0] = '\0';
	if (unit == TREE_SAMPLES && s->late_ns && s->late_ns >= s->all.ns / 100)
		snprintf(note, LATE_NOTE, "; %s of the time came late (--time draws it)",
			 text_percent(buf, s->late_ns, s->all.ns, 1));
}

/* Second line of the picture; takes the idle stacks out if it says so */
static char *subtitle(struct source *s, const struct options *o)
{
	char late[LATE_NOTE];
	uint64_t all = tree_weight(&s->all, o->flame.unit);
	uint64_t idle = tree_weight(&s->idle, o->flame.unit);
	const char *unit = o->flame.unit == TREE_NS ? "; widths are time" : "";
	char buf[TEXT_NUMBER];
	char *line;
	int len;

	late_note(late, s, o->flame.unit);
	text_percent(buf, idle, all, 1);
	if (idle == all && idle && !o->idle) {
		len = asprintf(&line, "%s%s; all of it idle%s", s->line, unit, late);
	} else if (idle && !o->idle) {
		tree_drop_idle(s->tree);
		len = asprintf(&line, "%s%s; idle %s not drawn (--idle draws it)%s",
			       s->line, unit, buf, late);
	} else {
		len = asprintf(&line, "%s%s%s", s->line, unit, late);
	}
	return len < 0 ? NULL : line;
}

static int write_picture(struct source *s, struct options *o, const char *path)
{
	struct flame_result result;
	char buf[TEXT_NUMBER];
	struct output out;
	int err;

	err = output_open(&out, path);
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

static int draw(struct source *s, struct options *o)
{
	char *second;
	int err = -ENOMEM;

	if (!s->title || !s->line)
		return load_failed(err, "drawing the flame graph");
	if (!tree_weight(&s->all, o->flame.unit)) {
		if (s->all.samples)
			complain("the input holds no times; draw samples: leave out --time");
		else
			complain("there are no samples in the input, so there is nothing to "
				 "draw; record for longer, or with fewer filters");
		return -ENODATA;
	}
	second = subtitle(s, o);
	o->flame.title = o->title ? o->title : s->title;
	o->flame.subtitle = second;
	if (second && !flame_prune(s->tree, &o->flame) && !tree_finish(s->tree))
		err = write_picture(s, o, o->output ? o->output : "flame.svg");
	else
		load_failed(err, "drawing the flame graph");
	free(second);
	return err;
}

int cmd_flame(int argc, char **argv)
{
	struct options o = {
		.flame = { .unit = TREE_SAMPLES, .width = 1200, .min_width = 10 },
	};
	struct source s = { 0 };
	int err;

	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_FAILURE;
	err = o.folded ? from_folded(&s, o.input) : from_profile(&s, o.input, &o.naming);
	if (!err)
		err = draw(&s, &o);
	release(&s);
	return err ? EXIT_FAILURE : s.status;
}
