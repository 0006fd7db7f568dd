// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * butterfly.c - makes the trees of the callers and the callees of a function
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "stacks/tree_stacks.h"
#include "views/butterfly.h"

#define TOLD_NAMES	8

/* ------------------------------------------------------------------ search */

static bool is_candidate(const struct tree *t, uint32_t frame)
{
	const struct frame *f = &t->frames[frame];

	return frame && f->kind != FRAME_COMM && f->kind != FRAME_ROOT;
}

/* Mark the frames with the name @name.  Return: the name in the tree, NULL for none */
static const char *mark(struct butterfly *b, const char *name)
{
	const char *found = NULL;

	for (uint32_t i = 0; i < b->t->nr_frames; i++) {
		b->is_function[i] = is_candidate(b->t, i) && !strcmp(b->t->frames[i].name, name);
		if (b->is_function[i])
			found = b->t->frames[i].name;
	}
	return found;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Return: distinct names that contain @part, sorted, to be freed; NULL if memory is short */
static const char **names_with(const struct tree *t, const char *part, size_t *nr)
{
	const char **names = malloc(t->nr_frames * sizeof(*names));
	size_t all = 0;

	*nr = 0;
	if (!names)
		return NULL;
	for (uint32_t i = 0; i < t->nr_frames; i++)
		if (is_candidate(t, i) && strstr(t->frames[i].name, part))
			names[all++] = t->frames[i].name;
	qsort(names, all, sizeof(*names), by_text);
	for (size_t i = 0; i < all; i++)
		if (!*nr || strcmp(names[*nr - 1], names[i]))
			names[(*nr)++] = names[i];
	return names;
}

/* Print a name in a message, without control characters */
static void tell_name(const char *name)
{
	char *clean = text_clean(name);

	complain("  %s", clean ? clean : "");
	free(clean);
}

static int find_part(struct butterfly *b, const char *part)
{
	const char **names;
	int err = 0;
	size_t nr;

	names = names_with(b->t, part, &nr);
	if (!names)
		return -ENOMEM;
	if (nr == 1) {
		b->name = mark(b, names[0]);
	} else if (!nr) {
		complain("no function in the profile has '%s' in its name; 'kflame report -n 0' lists them",
			 part);
		err = -ENOENT;
	} else {
		complain("'%s' is in the names of %zu functions; give one of them whole:", part, nr);
		for (size_t i = 0; i < nr && i < TOLD_NAMES; i++)
			tell_name(names[i]);
		err = -EINVAL;
	}
	free(names);
	return err;
}

int butterfly_find(struct butterfly *b, const struct tree *t, const char *name)
{
	int err = 0;

	*b = (struct butterfly){ .t = t, .is_function = calloc(t->nr_frames, sizeof(bool)) };
	if (!b->is_function)
		return -ENOMEM;
	b->name = mark(b, name);
	if (!b->name)
		err = find_part(b, name);
	if (err)
		butterfly_exit(b);
	return err;
}

void butterfly_exit(struct butterfly *b)
{
	free(b->is_function);
	*b = (struct butterfly){ 0 };
}

/* ------------------------------------------------------------------- trees */

static bool at_function(const struct butterfly *b, uint32_t node)
{
	return b->is_function[b->t->nodes[node].frame];
}

/* Adds one stack to @to.  The function is at index @at of @frames */
typedef int (*wing_fn)(struct tree *to, struct frame *frames, size_t nr, size_t at,
		       const struct weight *w);

/* Index of the function in the stack of @node: its innermost or its outermost frame; SIZE_MAX for none */
static size_t place_of(const struct butterfly *b, uint32_t node, bool innermost)
{
	size_t place = SIZE_MAX;

	for (; node != TREE_ROOT; node = b->t->nodes[node].parent) {
		if (!at_function(b, node))
			continue;
		place = b->t->nodes[node].depth - 1;
		if (innermost)
			break;
	}
	return place;
}

static int take_callers(struct tree *to, struct frame *frames, size_t nr, size_t at,
			const struct weight *w)
{
	(void)nr;
	for (size_t i = 0; i < (at + 1) / 2; i++) {
		struct frame swap = frames[i];

		frames[i] = frames[at - i];
		frames[at - i] = swap;
	}
	return tree_add(to, frames, at + 1, w->samples, w->ns);
}

static int take_callees(struct tree *to, struct frame *frames, size_t nr, size_t at,
			const struct weight *w)
{
	return tree_add(to, frames + at, nr - at, w->samples, w->ns);
}

static int make(const struct butterfly *b, bool innermost, wing_fn take, struct tree **out)
{
	struct frame *frames = calloc(TREE_MAX_DEPTH + 1, sizeof(*frames));
	struct tree *to = tree_create();
	int err = frames && to ? 0 : -ENOMEM;

	for (uint32_t i = 1; i < b->t->nr_nodes && !err; i++) {
		const struct weight *self = &b->t->nodes[i].self;
		size_t at;

		if (!self->samples && !self->ns)
			continue;
		at = place_of(b, i, innermost);
		if (at != SIZE_MAX)
			err = take(to, frames, tree_stack(b->t, i, frames), at, self);
	}
	if (!err)
		err = tree_finish(to);
	free(frames);
	if (err) {
		tree_destroy(to);
		to = NULL;
	}
	*out = to;
	return err;
}

int butterfly_callers(const struct butterfly *b, struct tree **out)
{
	return make(b, true, take_callers, out);
}

int butterfly_callees(const struct butterfly *b, struct tree **out)
{
	return make(b, false, take_callees, out);
}
