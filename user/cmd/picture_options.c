// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * picture_options.c - options of all commands that draw a flame graph: its appearance
 */
#include <stdbool.h>

#include "cmd/picture_options.h"

enum { OPT_TITLE = 0x4000, OPT_SUBTITLE, OPT_WIDTH, OPT_HEIGHT, OPT_MIN_WIDTH, OPT_ICICLE,
	OPT_PERCENT, OPT_COUNT_NAME };

static const struct argp_option option_list[] = {
	{ "title", OPT_TITLE, "TEXT", 0, "First line of the picture", 1 },
	{ "subtitle", OPT_SUBTITLE, "TEXT", OPTION_HIDDEN, "Second line", 1 },
	{ "width", OPT_WIDTH, "PIXELS", OPTION_HIDDEN, "Width without scripts (1200)", 1 },
	{ "height", OPT_HEIGHT, "PIXELS", OPTION_HIDDEN, "Height of a frame (18)", 1 },
	{ "min-width", OPT_MIN_WIDTH, "PIXELS", OPTION_HIDDEN, "Leave out narrower frames (0.1)", 1 },
	{ "icicle", OPT_ICICLE, NULL, 0, "Upside down: callees below callers", 1 },
	{ "inverted", OPT_ICICLE, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1 },
	{ "percent", OPT_PERCENT, NULL, OPTION_HIDDEN, "Labels with the share of all", 1 },
	{ "count-name", OPT_COUNT_NAME, "TEXT", OPTION_HIDDEN, "What is counted, if not samples", 1 },
	{ "countname", OPT_COUNT_NAME, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1 },
	{ 0 }
};

/* Parse "12.34" in hundredths, without floating point: its decimal separator depends on the locale */
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

/* With an explicit minimum width, draw all frames that are wide enough, without a limit */
static struct flame_options with_min_width(struct flame_options o, unsigned int min_width)
{
	o.min_width = min_width;
	o.frames = 0;
	return o;
}

static error_t parse_number(int key, const char *arg, struct argp_state *state)
{
	struct flame_options *f = state->input;
	unsigned int x;

	if (!parse_hundredths(arg, &x))
		argp_error(state, "'%s' is not a number of pixels from 0 to %u", arg,
			   FLAME_MAX_WIDTH);
	else if (key == OPT_MIN_WIDTH)
		*f = with_min_width(*f, x);
	else if (key == OPT_HEIGHT && (x < FLAME_MIN_ROW * 100 || x > FLAME_MAX_ROW * 100))
		argp_error(state, "--height is %u to %u pixels", FLAME_MIN_ROW, FLAME_MAX_ROW);
	else if (key == OPT_HEIGHT)
		f->row = x / 100;
	else if (x < FLAME_MIN_WIDTH * 100)
		argp_error(state, "--width is %u to %u pixels", FLAME_MIN_WIDTH, FLAME_MAX_WIDTH);
	else
		f->width = x / 100;
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct flame_options *f = state->input;

	switch (key) {
	case OPT_TITLE:
		f->title = arg;
		return 0;
	case OPT_SUBTITLE:
		f->subtitle = arg;
		return 0;
	case OPT_WIDTH:
	case OPT_HEIGHT:
	case OPT_MIN_WIDTH:
		return parse_number(key, arg, state);
	case OPT_ICICLE:
		f->icicle = true;
		return 0;
	case OPT_PERCENT:
		f->percent = true;
		return 0;
	case OPT_COUNT_NAME:
		f->count_name = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp picture_argp = { .options = option_list, .parser = parse_option };
