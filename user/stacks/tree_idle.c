// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_idle.c - finds the stacks of idle CPUs in a call tree, and removes them
 */
#include <string.h>

#include "stacks/tree_private.h"

bool frame_is_note(const struct frame *f, const char *name)
{
	return f->kind == FRAME_NOTE && !strcmp(f->name, name);
}

bool stack_is_idle(const struct frame *frames, size_t nr)
{
	return nr > 1 && frame_is_note(&frames[1], "[idle]");
}

/* Do the stacks that end with @span begin with a thread name and the note "[idle]"? */
static bool is_idle(const struct tree *t, uint32_t span)
{
	const struct paths *p = &t->priv->paths;
	const struct span *s = &p->spans[span];
	uint32_t second;

	while (s->depth > 2)
		s = &p->spans[s->parent];
	if (s->depth + s->nr - 1 < 2)
		return false;
	second = p->frames[s->first + 2u - s->depth];
	return frame_is_note(&t->priv->frames.all[second], "[idle]");
}

/* Is there any idle stack?  Mostly not, which saves a search through all spans. */
static bool has_idle(const struct tree *t)
{
	const struct frame_set *f = &t->priv->frames;

	for (uint32_t i = 1; i < f->nr; i++)
		if (frame_is_note(&f->all[i], "[idle]"))
			return true;
	return false;
}

struct weight tree_idle(const struct tree *t)
{
	const struct paths *p = &t->priv->paths;
	struct weight sum = { 0, 0 };

	if (!has_idle(t))
		return sum;
	for (uint32_t i = 1; i < p->nr; i++) {
		const struct weight *self = &p->spans[i].self;

		if ((self->samples || self->ns) && is_idle(t, i))
			weight_add(&sum, self);
	}
	return sum;
}

void tree_drop_idle(struct tree *t)
{
	struct paths *p = &t->priv->paths;

	for (uint32_t i = 1; i < p->nr; i++) {
		struct weight *self = &p->spans[i].self;

		if ((!self->samples && !self->ns) || !is_idle(t, i))
			continue;
		t->sum.samples -= self->samples;
		t->sum.ns -= self->ns;
		*self = (struct weight){ 0, 0 };
	}
}
