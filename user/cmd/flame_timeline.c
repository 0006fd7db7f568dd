// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flame_timeline.c - kflame flame --chart and --heatmap: draws a profile over time as an SVG
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "cmd/flame_timeline.h"
#include "cmd/named_output.h"
#include "profile/profile.h"
#include "stacks/filter.h"
#include "stacks/load.h"
#include "stacks/open.h"
#include "views/chart.h"
#include "views/heatmap.h"
#include "views/summary.h"

/* Return: the second line of the picture, to be freed; NULL if memory is short */
static char *subtitle(const struct flame_command *c, const struct profile *p)
{
	struct tree *none = tree_create();
	struct summary sum;
	char *line, *filtered;

	if (c->flame.subtitle || !none) {
		tree_destroy(none);
		return c->flame.subtitle ? strdup(c->flame.subtitle) : NULL;
	}
	summary_make(&sum, p, none);
	tree_destroy(none);
	line = summary_line(&sum);
	/* The weight that the filter leaves out is not known here */
	if (line && filter_is_on(c->filter)) {
		if (asprintf(&filtered, "%s; filtered (--include, --exclude, --focus)", line) < 0)
			filtered = NULL;
		free(line);
		line = filtered;
	}
	return line;
}

static int write_chart(FILE *out, struct flame_command *c, const struct profile *p,
		       struct flame_result *result)
{
	struct chart_options o = {
		.by_cpu = c->naming.by_cpu, .idle = c->idle, .filter = c->filter,
		.shortest_ns = chart_shortest(&c->flame, p->span.is_cut ?
					      p->span.to_ns - p->span.from_ns :
					      p->span.end_ns - p->span.start_ns),
	};
	struct chart chart;
	int err = chart_make(&chart, p, &o);

	if (!err && !chart.nr_lanes && filter_is_on(c->filter))
		err = -ENODATA;
	if (!err)
		err = chart_write(out, &chart, &c->flame, result);
	chart_exit(&chart);
	return err;
}

/* Write a word, quoted for a shell */
static void put_word(FILE *out, const char *word)
{
	putc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			putc(*word, out);
	putc('\'', out);
}

static int write_heatmap(FILE *out, struct flame_command *c, const struct profile *p,
			 struct flame_result *result)
{
	struct heatmap_options o = { .idle = c->idle, .filter = c->filter };
	char *command = NULL;
	size_t size;
	FILE *f = open_memstream(&command, &size);
	int err = -ENOMEM;

	if (!f)
		return err;
	fputs("kflame flame", f);
	if (c->input && strcmp(c->input, "-")) {
		fputs(" -i ", f);
		put_word(f, c->input);
	}
	if (!fclose(f)) {
		o.command = command;
		err = heatmap_write(out, p, &o, &c->flame, result);
	}
	free(command);
	return err;
}

static int write_picture(struct flame_command *c, const struct profile *p)
{
	const char *path = c->output ? c->output : FLAME_OUTPUT;
	struct flame_result result;
	char buf[TEXT_NUMBER];
	struct output out;
	int err;

	err = named_output_open(&out, c->output, FLAME_OUTPUT,
				!c->heatmap && profile_has_addresses(p));
	if (err)
		return err;
	err = c->heatmap ? write_heatmap(out.file, c, p, &result) :
			   write_chart(out.file, c, p, &result);
	if (err) {
		output_abandon(&out);
		if (err != -ENODATA)
			return load_failed(err, "drawing what ran when");
		complain("no stack is left to draw: look at --include, --exclude and --focus");
		return err;
	}
	err = output_close(&out);
	if (!err && strcmp(path, "-"))
		complain("drew %s %s into %s", text_count(buf, result.drawn),
			 c->heatmap ? "cells" : "frames", path);
	return err;
}

static int draw(struct flame_command *c, const struct profile *p)
{
	char *title, *second;
	int err = -ENOMEM;

	if (!p->nr_timeline) {
		complain("there are no samples in that part, so there is nothing to draw: look at --from and --to");
		return -ENODATA;
	}
	flame_command_use_colors(c, profile_shows_waits(p));
	title = summary_title(p);
	second = subtitle(c, p);
	if (!c->flame.title)
		c->flame.title = title;
	c->flame.subtitle = second;
	if (title && second)
		err = write_picture(c, p);
	else
		load_failed(err, "drawing what ran when");
	free(title);
	free(second);
	return err;
}

int flame_timeline(struct flame_command *c, int *status)
{
	struct profile *p = open_profile(c->input, &c->naming);
	int err;

	if (!p)
		return -EINVAL;
	*status = profile_status(p);
	err = draw(c, p);
	profile_destroy(p);
	return err;
}
