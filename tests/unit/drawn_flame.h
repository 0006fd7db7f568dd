/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drawn_flame.h - draws flame graphs, and reads the frames in them
 */
#ifndef KFLAME_TESTS_DRAWN_FLAME_H
#define KFLAME_TESTS_DRAWN_FLAME_H

#include "golden.h"
#include "views/flame.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

/* A frame as it stands in the SVG */
struct drawn {
	uint64_t x, w;
	double px, px_width;
	unsigned int y;
	char label[256];
};

static const struct flame_options plain = {
	.title = "a title", .subtitle = "a subtitle", .unit = TREE_SAMPLES, .width = 1200,
	.row = FLAME_ROW,
};

static inline char *draw(struct tree *t, const struct flame_options *o, struct flame_result *r)
{
	size_t size;
	char *svg;
	FILE *out = open_memstream(&svg, &size);

	assert_non_null(out);
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(flame_write(out, t, o, r), 0);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(strlen(svg), size);
	return svg;
}

static inline double number_after(const char *at, const char *name)
{
	const char *p = strstr(at, name);

	assert_non_null(p);
	return strtod(p + strlen(name), NULL);
}

/* The frames of an SVG, in its order */
static inline struct drawn *parse(const char *svg, size_t *nr)
{
	struct drawn *all = NULL;

	*nr = 0;
	while ((svg = strstr(svg, "data-x=\""))) {
		const char *end = strstr(svg, "</g>"), *text;
		/* sscanf() looks for the end of what it is given, each time */
		char *frame = strndup(svg, (size_t)(end - svg)), *rect;
		struct drawn *d;

		all = reallocarray(all, ++*nr, sizeof(*all));
		assert_true(all && frame);
		d = &all[*nr - 1];
		memset(d, 0, sizeof(*d));
		assert_int_equal(sscanf(frame, "data-x=\"%lu\" data-w=\"%lu\"", &d->x, &d->w), 2);
		rect = strstr(frame, "<rect");
		d->px = number_after(rect, " x=\"");
		d->px_width = number_after(rect, " width=\"");
		d->y = (unsigned int)number_after(rect, " y=\"");
		text = strstr(rect, "<text");
		if (text)
			assert_int_equal(sscanf(strchr(text, '>'), ">%255[^<]", d->label), 1);
		free(frame);
		svg = end;
	}
	return all;
}

static inline struct drawn *draw_frames(struct tree *t, const struct flame_options *o, struct flame_result *r, size_t *nr)
{
	char *svg = draw(t, o, r);
	struct drawn *all = parse(svg, nr);

	free(svg);
	return all;
}

static inline struct tree *new_tree(void)
{
	struct tree *t = tree_create();

	assert_non_null(t);
	return t;
}

/* What the tree looks like is in a file */
static inline void draw_golden(const char *name, struct tree *t, const struct flame_options *o)
{
	struct flame_result r;
	char *svg = draw(t, o, &r);

	cut_assets(svg);
	golden_check(name, svg);
	free(svg);
}

#endif
