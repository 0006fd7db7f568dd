// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * annotate_sums.c - adds up the samples of a function by line and by address
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "views/annotate_sums.h"

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

bool annotated_same_code(const struct annotated_code *a, const struct annotated_code *b)
{
	if (a->kernel != b->kernel || !a->file != !b->file)
		return false;
	return same_symbol(a->symbol, b->symbol) && (!a->file || same_file(a->file, b->file));
}

/* Return: the entry for the code that @key describes, added if needed; NULL if memory is short */
static struct annotated_code *code_like(struct annotation *a, const struct annotated_code *key)
{
	if (a->last_code < a->nr_codes && annotated_same_code(&a->codes[a->last_code], key))
		return &a->codes[a->last_code];
	for (a->last_code = 0; a->last_code < a->nr_codes; a->last_code++)
		if (annotated_same_code(&a->codes[a->last_code], key))
			return &a->codes[a->last_code];
	if (grow(&a->codes, a->nr_codes, &a->cap_codes, sizeof(*a->codes)))
		return NULL;
	a->codes[a->nr_codes] = *key;
	return &a->codes[a->nr_codes++];
}

struct annotated_code annotated_code_at(const struct profile *p, const struct frame *f,
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

int annotation_add_at(struct annotation *a, const struct profile *p, const struct frame *f, const struct place *at,
		      const struct annotated_at *w)
{
	struct annotated_at one = *w;
	struct annotated_code key = annotated_code_at(p, f, at, &one.offset);
	struct annotated_code *code = code_like(a, &key);

	if (!code || grow(&code->all, code->nr, &code->cap, sizeof(*code->all)))
		return -ENOMEM;
	one.source = at->source;
	one.line = at->line;
	/* For now, before instructions are read: 1 if an instruction begins here, 0 within a call */
	one.bytes = !at->caller;
	code->all[code->nr++] = one;
	return 0;
}

int annotation_add_line(struct annotation *a, const struct profile *p, const struct place *at,
			const struct weight *self, const struct weight *total)
{
	bool has_file = at->map && at->map->file != PROFILE_NONE;
	int err = grow(&a->lines, a->nr_lines, &a->cap_lines, sizeof(*a->lines));

	if (err)
		return err;
	a->lines[a->nr_lines++] = (struct annotated_line){
		.source = at->line ? at->source : NULL, .line = at->source ? at->line : 0,
		.file = has_file ? &p->files[at->map->file] : NULL,
		.self = *self, .total = *total,
	};
	return 0;
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

void annotation_sum(struct annotation *a)
{
	sum_lines(a);
	for (size_t i = 0; i < a->nr_codes; i++)
		sum_code(&a->codes[i]);
	if (a->nr_codes)
		qsort(a->codes, a->nr_codes, sizeof(*a->codes), by_weight);
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
