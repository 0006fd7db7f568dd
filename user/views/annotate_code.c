// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * annotate_code.c - adds instructions to the samples of a function
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/disassembly.h"
#include "stacks/open.h"
#include "symbols/lookup.h"
#include "symbols/machine_code.h"
#include "views/annotate_sums.h"

/* The rows that are being made: instructions, and samples at no instruction */
struct merge {
	struct annotation *a;
	struct annotated_at *all;
	size_t nr, cap;
};

const char *annotation_keep(struct annotation *a, char *text)
{
	if (!text || grow(&a->texts, a->nr_texts, &a->cap_texts, sizeof(*a->texts))) {
		free(text);
		return NULL;
	}
	return a->texts[a->nr_texts++] = text;
}

static int add_row(struct merge *m, const struct annotated_at *row)
{
	int err = grow(&m->all, m->nr, &m->cap, sizeof(*m->all));

	if (!err)
		m->all[m->nr++] = *row;
	return err;
}

static int add_instruction(struct merge *m, const struct instruction *one, uint64_t offset)
{
	struct annotated_at row = { .offset = offset, .bytes = one->bytes };

	row.text = annotation_keep(m->a, strdup(one->text));
	return row.text ? add_row(m, &row) : -ENOMEM;
}

/* Samples at or within the last instruction count there.  A program counter within it gets its own row */
static int add_samples(struct merge *m, const struct annotated_at *at)
{
	struct annotated_at row = *at, *last = m->nr ? &m->all[m->nr - 1] : NULL;
	bool within = last && last->text && at->offset - last->offset < last->bytes;

	if (!within || (at->bytes && at->offset != last->offset)) {
		row.bytes = 0;
		return add_row(m, &row);
	}
	weight_add(&last->self, &at->self);
	weight_add(&last->inlined, &at->inlined);
	weight_add(&last->total, &at->total);
	if (!last->source) {
		last->source = at->source;
		last->line = at->line;
	}
	return 0;
}

/*
 * Both lists are sorted by address.  A row at no instruction would come between the instruction and further
 * samples within it, so it comes after these samples.
 */
static int merge(struct merge *m, const struct annotated_code *c, const struct instruction *code,
		 size_t nr)
{
	size_t next = 0;
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++) {
		uint64_t offset = code[i].address - c->move, end = offset + code[i].bytes;
		size_t first;

		for (; !err && next < c->nr && c->all[next].offset < offset; next++)
			err = add_samples(m, &c->all[next]);
		if (!err)
			err = add_instruction(m, &code[i], offset);
		for (first = next; !err && next < c->nr && c->all[next].offset < end; next++)
			if (!c->all[next].bytes || c->all[next].offset == offset)
				err = add_samples(m, &c->all[next]);
		for (; !err && first < next; first++)
			if (c->all[first].bytes && c->all[first].offset != offset)
				err = add_samples(m, &c->all[first]);
	}
	for (; !err && next < c->nr; next++)
		err = add_samples(m, &c->all[next]);
	return err;
}

/* -------------------------------------------------------------- instructions */

static int read_code(const struct profile *p, const struct naming *naming,
		     const struct vmlinux *v, const struct annotated_code *c, struct code *out)
{
	if (c->kernel && c->symbol)
		return code_of_kernel(p, v, c->symbol, out);
	if (c->file && c->symbol)
		return code_of_file(c->file, naming->symbols, c->symbol->start, c->symbol->end, out);
	*out = (struct code){ .missing = c->file || c->kernel ?
		"where the function begins and ends is not known" :
		"it is in no file: a just-in-time compiler made it" };
	return 0;
}

/* Add the instructions of one range of code to its samples.  Return: 0, -ENOMEM */
static int add_code(struct annotation *a, const struct profile *p,
		    const struct naming *naming, const struct vmlinux *v,
		    struct annotated_code *c)
{
	struct merge m = { .a = a };
	struct instruction *insns = NULL;
	struct code code;
	size_t nr = 0;
	int err = read_code(p, naming, v, c, &code);

	c->missing = code.missing;
	if (err || !code.bytes)
		return err;
	if (c->file)
		c->move = code.address - c->symbol->start;
	err = disassemble(code.machine, code.address, code.bytes, code.len, &insns, &nr,
			  &c->missing);
	code_exit(&code);
	if (err)
		return err == -ENOMEM ? err : 0;
	c->missing = NULL;
	err = merge(&m, c, insns, nr);
	free(insns);
	if (err) {
		free(m.all);
		return err;
	}
	free(c->all);
	c->all = m.all;
	c->nr = m.nr;
	c->cap = m.cap;
	return 0;
}

int annotate_image(const struct annotation *a, const struct profile *p, const struct naming *naming,
		   struct vmlinux **v)
{
	for (size_t i = 0; i < a->nr_codes && !*v; i++)
		if (a->codes[i].kernel)
			return naming_image(p, naming->vmlinux, v);
	return 0;
}

int annotate_instructions(struct annotation *a, const struct profile *p, const struct naming *naming,
			  const struct vmlinux *v)
{
	int err = 0;

	for (size_t i = 0; !err && i < a->nr_codes; i++)
		err = add_code(a, p, naming, v, &a->codes[i]);
	return err;
}
