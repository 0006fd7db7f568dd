// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_idle.c - stacks of the idle tasks, and how a tree does without them
 */
#include <string.h>

#include "tree.h"

bool frame_is_note(const struct frame *f, const char *name)
{
	return f->kind == FRAME_NOTE && !strcmp(f->name, name);
}

bool stack_is_idle(const struct frame *frames, size_t nr)
{
	return nr > 1 && frame_is_note(&frames[1], "[idle]");
}

/* Whether node @i begins an idle stack: thread name, then the note */
static bool is_idle_note(const struct tree *t, uint32_t i)
{
	return t->nodes[i].depth == 2 &&
	       frame_is_note(&t->frames[t->nodes[i].frame], "[idle]");
}

/* Whether the stacks that end in node @i are idle ones */
static bool is_idle(const struct tree *t, uint32_t i)
{
	while (t->nodes[i].depth > 2)
		i = t->nodes[i].parent;
	return is_idle_note(t, i);
}

struct weight tree_sum(const struct tree *t)
{
	return t->sum;
}

/* Whether there is an idle stack at all: mostly not, and then nobody need look for its nodes */
static bool has_idle(const struct tree *t)
{
	for (uint32_t i = 1; i < t->nr_frames; i++)
		if (frame_is_note(&t->frames[i], "[idle]"))
			return true;
	return false;
}

struct weight tree_idle(const struct tree *t)
{
	struct weight sum = { 0, 0 };

	if (!has_idle(t))
		return sum;
	for (uint32_t i = 1; i < t->nr_nodes; i++) {
		const struct weight *self = &t->nodes[i].self;

		if ((!self->samples && !self->ns) || !is_idle(t, i))
			continue;
		sum.samples += self->samples;
		sum.ns += self->ns;
	}
	return sum;
}

void tree_drop_idle(struct tree *t)
{
	for (uint32_t i = 1; i < t->nr_nodes; i++) {
		struct weight *self = &t->nodes[i].self;

		if ((!self->samples && !self->ns) || !is_idle(t, i))
			continue;
		t->sum.samples -= self->samples;
		t->sum.ns -= self->ns;
		*self = (struct weight){ 0, 0 };
	}
}
