// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * annotate.c - the samples of a function by source line and by address
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "stacks/names.h"
#include "stacks/stacks.h"
#include "views/annotate.h"

/* State of the walk through the samples */
struct collect {
	struct annotation *a;
	const struct profile *p;
	const struct annotate_options *o;
	bool passed;		/* the filter accepted the sample */
	size_t from;		/* index of the first accepted frame */
	size_t nr;		/* number of frames */
	size_t code;		/* index of the last code used: likely the next one's, too */
};

/* ------------------------------------------------------------------ samples */

static bool same_file(const struct profile_file *a, const struct profile_file *b)
{
	const struct kflame_rec_file *x = &a->rec, *y = &b->rec;

	/* A file may have several ids in one profile */
	return a == b || (x->build_id_len == y->build_id_len && !strcmp(a->path, b->path) &&
			  !memcmp(x->build_id, y->build_id, x->build_id_len) &&
			  x->bytes == y->bytes && x->mtime_ns == y->mtime_ns);
}

static bool same_symbol(const struct profile_symbol *a, const struct profile_symbol *b)
{
	return a == b || (a && b && a->start == b->start && a->end == b->end);
}

static bool same_code(const struct annotated_code *a, const struct annotated_code *b)
{
	if (a->kernel != b->kernel || !a->file != !b->file)
		return false;
	return same_symbol(a->symbol, b->symbol) && (!a->file || same_file(a->file, b->file));
}

/* Return: the entry for the code that @key describes, added if needed; NULL if memory is short */
static struct annotated_code *code_like(struct collect *c, const struct annotated_code *key)
{
	struct annotation *a = c->a;

	if (c->code < a->nr_codes && same_code(&a->codes[c->code], key))
		return &a->codes[c->code];
	for (c->code = 0; c->code < a->nr_codes; c->code++)
		if (same_code(&a->codes[c->code], key))
			return &a->codes[c->code];
	if (grow(&a->codes, a->nr_codes, &a->cap_codes, sizeof(*a->codes)))
		return NULL;
	a->codes[a->nr_codes] = *key;
	return &a->codes[a->nr_codes++];
}

/* Find which code an address is in, and its offset there */
static struct annotated_code code_of(const struct profile *p, const struct frame *f,
				     const struct place *at, uint64_t *offset)
{
	struct annotated_code key = { .kernel = f->kind == FRAME_KERNEL || f->kind == FRAME_SOFTIRQ };

	*offset = at->address - at->caller;
	if (key.kernel) {
		key.symbol = profile_symbol(&p->ksyms, *offset);
	} else if (at->map && at->map->file != PROFILE_NONE) {
		*offset = at->map->offset + (*offset - at->map->start);
		key.index = at->map->file;
		key.file = &p->files[key.index];
		key.symbol = profile_symbol(&key.file->syms, *offset);
	}
	return key;
}

/* Add to the address of a frame.  A return address is behind the call: the sample belongs to the call */
static int add_at(struct collect *c, const struct frame *f, const struct place *at,
		  const struct annotated_at *w)
{
	struct annotated_at one = *w;
	struct annotated_code key = code_of(c->p, f, at, &one.offset);
	struct annotated_code *code = code_like(c, &key);

	if (!code || grow(&code->all, code->nr, &code->cap, sizeof(*code->all)))
		return -ENOMEM;
	one.source = at->source;
	one.line = at->line;
	/* For now, before instructions are read: 1 if an instruction begins here, 0 within a call */
	one.bytes = !at->caller;
	code->all[code->nr++] = one;
	return 0;
}

static int add_line(struct collect *c, const struct place *at, const struct weight *self,
		    const struct weight *total)
{
	bool has_file = at->map && at->map->file != PROFILE_NONE;
	struct annotation *a = c->a;
	int err = grow(&a->lines, a->nr_lines, &a->cap_lines, sizeof(*a->lines));

	if (err)
		return err;
	a->lines[a->nr_lines++] = (struct annotated_line){
		.source = at->line ? at->source : NULL, .line = at->source ? at->line : 0,
		.file = has_file ? &c->p->files[at->map->file] : NULL,
		.self = *self, .total = *total,
	};
	return 0;
}

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
	err = add_line(c, &s->places[outer], &none, &w);
	if (!err)
		err = add_at(c, &s->frames[outer], &s->places[outer],
			     &(struct annotated_at){ .total = w });
	/* The last frame before the waker that is the function, if there is one */
	if (err || !inner)
		return err;
	inner--;
	if (ends_inlined(s, inner, end))
		err = add_at(c, &s->frames[inner], &s->places[inner],
			     &(struct annotated_at){ .inlined = w });
	if (err || inner + 1 != end)
		return err;
	weight_add(&c->a->self, &w);
	err = add_line(c, &s->places[inner], &w, &none);
	return err ? err : add_at(c, &s->frames[inner], &s->places[inner],
				  &(struct annotated_at){ .self = w });
}

/* --------------------------------------------------------------- sums */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_line(const void *a, const void *b)
{
	const struct annotated_line *x = a, *y = b;
	int d = strcmp(x->source ? x->source : "", y->source ? y->source : "");

	return d ? d : compare(x->line, y->line);
}

bool annotated_same_program(const struct annotated_line *x, const struct annotated_line *y)
{
	return x->file == y->file || (x->file && y->file && same_file(x->file, y->file));
}

static void sum_lines(struct annotation *a)
{
	size_t to = 0;

	if (!a->nr_lines)
		return;
	qsort(a->lines, a->nr_lines, sizeof(*a->lines), by_line);
	for (size_t i = 1; i < a->nr_lines; i++) {
		if (by_line(&a->lines[to], &a->lines[i])) {
			a->lines[++to] = a->lines[i];
			continue;
		}
		if (!annotated_same_program(&a->lines[to], &a->lines[i]))
			a->lines[to].file = NULL;
		weight_add(&a->lines[to].self, &a->lines[i].self);
		weight_add(&a->lines[to].total, &a->lines[i].total);
	}
	a->nr_lines = to + 1;
}

static int by_offset(const void *a, const void *b)
{
	const struct annotated_at *x = a, *y = b;
	int d = compare(x->offset, y->offset);

	return d ? d : compare(x->bytes, y->bytes);
}

static void sum_code(struct annotated_code *c)
{
	size_t to = 0;

	qsort(c->all, c->nr, sizeof(*c->all), by_offset);
	for (size_t i = 0; i < c->nr; i++) {
		weight_add(&c->total, &c->all[i].total);
		if (!i)
			continue;
		if (by_offset(&c->all[to], &c->all[i])) {
			c->all[++to] = c->all[i];
			continue;
		}
		weight_add(&c->all[to].self, &c->all[i].self);
		weight_add(&c->all[to].inlined, &c->all[i].inlined);
		weight_add(&c->all[to].total, &c->all[i].total);
	}
	c->nr = to + 1;
}

static int by_weight(const void *a, const void *b)
{
	const struct annotated_code *x = a, *y = b;
	int d = compare(y->total.samples, x->total.samples);

	if (!d && x->symbol && y->symbol)
		d = compare(x->symbol->start, y->symbol->start);
	return d ? d : (int)x->index - (int)y->index;
}

int annotate(struct annotation *a, const struct profile *p, const struct tree *t,
	     const struct annotate_options *o)
{
	struct collect c = { .a = a, .p = p, .o = o };
	int err;

	*a = (struct annotation){ .owner = p->owner };
	if (o->frame) {
		a->function = *o->frame;
	} else {
		err = annotate_find(t, o->function, &a->function);
		if (err)
			return err;
	}
	err = profile_each_sample(p, take, &c);
	sum_lines(a);
	for (size_t i = 0; i < a->nr_codes; i++)
		sum_code(&a->codes[i]);
	if (a->nr_codes)
		qsort(a->codes, a->nr_codes, sizeof(*a->codes), by_weight);
	if (!err)
		err = annotate_instructions(a, p, o->naming);
	if (err)
		annotation_exit(a);
	return err;
}

void annotation_exit(struct annotation *a)
{
	for (size_t i = 0; i < a->nr_codes; i++)
		free(a->codes[i].all);
	free(a->codes);
	free(a->lines);
	for (size_t i = 0; i < a->nr_texts; i++)
		free(a->texts[i]);
	free(a->texts);
	*a = (struct annotation){ 0 };
}
