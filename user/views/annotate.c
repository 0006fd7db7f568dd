// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * annotate.c - the samples of a function by source line and by address
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "stacks/names.h"
#include "stacks/stacks.h"
#include "views/annotate_sums.h"

#define LINES_NS	(30 * NS_PER_S)

/* State of the walk through the samples */
struct collect {
	struct annotation *a;
	const struct profile *p;
	const struct annotate_options *o;
	bool passed;		/* the filter accepted the sample */
	size_t from;		/* index of the first accepted frame */
	size_t nr;		/* number of frames */
};

/* ------------------------------------------------------------------ samples */

static bool is_it(const struct annotation *a, const struct frame *f)
{
	if (f->kind == FRAME_COMM || f->kind == FRAME_ROOT || f->kind == FRAME_NOTE)
		return false;
	return !strcmp(f->name, a->function.name) && !f->file == !a->function.file &&
	       (!f->file || !strcmp(f->file, a->function.file));
}

static bool is_above(const struct frame *f)
{
	return f->kind == FRAME_COMM || f->kind == FRAME_ROOT;
}

static int pass(void *ctx, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	struct collect *c = ctx;
	size_t dropped = c->nr - nr;

	(void)samples;
	(void)ns;
	c->passed = true;
	/* Frames above the thread's functions are never left out */
	for (c->from = 0; dropped && c->from < nr && is_above(&frames[c->from]); c->from++)
		;
	c->from += dropped;
	return 0;
}

/*
 * A filter works on stacks, not on samples. So it is asked first, and then the sample is added. @c->from
 * is the first frame that the filter keeps.
 */
static int is_wanted(struct collect *c, const struct sample *s)
{
	c->from = 0;
	c->nr = s->nr;
	if (c->o->without_idle && stack_is_idle(s->frames, s->nr))
		return 0;
	if (!filter_is_on(c->o->filter))
		return 1;
	c->passed = false;
	filter_passes_to(c->o->filter, pass, c);
	return filter_stack(c->o->filter, s->frames, s->nr, s->samples, s->ns) ? : c->passed;
}

/* Was everything from frame @i to @end inlined into it, so that the sample is at an instruction of @i? */
static bool ends_inlined(const struct sample *s, size_t i, size_t end)
{
	for (size_t k = i + 1; k < end; k++)
		if (!s->places[k].inlined || s->places[k].address != s->places[i].address)
			return false;
	return i + 1 < end && !s->places[i].caller;
}

/* Return: the first frame from @i on that is the function; @nr if there is none */
static size_t first_of(const struct annotation *a, const struct sample *s, size_t i, size_t nr)
{
	while (i < nr && !is_it(a, &s->frames[i]))
		i++;
	return i;
}

static int take(void *ctx, const struct sample *s)
{
	static const struct weight none;
	const struct weight w = { s->samples, s->ns };
	size_t outer, inner, nr = s->nr, end;
	struct collect *c = ctx;
	int err;

	/* A tree cuts deep stacks: use the same frames, so that the sums agree */
	if (nr > TREE_MAX_DEPTH)
		nr = TREE_MAX_DEPTH - 1;
	outer = first_of(c->a, s, 0, nr);
	if (outer == nr)
		return 0;
	err = is_wanted(c, s);
	if (err <= 0)
		return err;
	outer = first_of(c->a, s, outer > c->from ? outer : c->from, nr);
	if (outer >= nr)
		return 0;
	/* A thread waits where it blocked, and not in the frames of its waker */
	end = frames_before_waker(s->frames, s->nr);
	for (inner = nr < end ? nr : end; inner && !is_it(c->a, &s->frames[inner - 1]);)
		inner--;
	weight_add(&c->a->total, &w);
	err = annotation_add_line(c->a, c->p, &s->places[outer], &none, &w);
	if (!err)
		err = annotation_add_at(c->a, c->p, &s->frames[outer], &s->places[outer],
			     &(struct annotated_at){ .total = w });
	/* The last frame before the waker that is the function, if there is one */
	if (err || !inner)
		return err;
	inner--;
	if (ends_inlined(s, inner, end))
		err = annotation_add_at(c->a, c->p, &s->frames[inner], &s->places[inner],
			     &(struct annotated_at){ .inlined = w });
	if (err || inner + 1 != end)
		return err;
	weight_add(&c->a->self, &w);
	err = annotation_add_line(c->a, c->p, &s->places[inner], &w, &none);
	return err ? err : annotation_add_at(c->a, c->p, &s->frames[inner], &s->places[inner],
				  &(struct annotated_at){ .self = w });
}

int annotate(struct annotation *a, const struct profile *p, const struct tree *t,
	     const struct annotate_options *o)
{
	struct collect c = { .a = a, .p = p, .o = o };
	uint64_t time_ns = LINES_NS;
	struct vmlinux *v = NULL;
	int err;

	*a = (struct annotation){ .owner = p->owner, .symbols = o->naming->symbols };
	if (o->frame) {
		a->function = *o->frame;
	} else {
		err = annotate_find(t, o->function, &a->function);
		if (err)
			return err;
	}
	err = profile_each_sample(p, take, &c);
	annotation_sum(a);
	if (!err)
		err = annotate_image(a, p, o->naming, &v);
	if (!err)
		err = annotate_instructions(a, p, o->naming, v);
	if (!err)
		err = annotate_lines(a, 1, o->naming, v, &time_ns);
	vmlinux_close(v);
	if (err)
		annotation_exit(a);
	return err;
}
