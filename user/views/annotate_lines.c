// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * annotate_lines.c - adds source lines to the instructions of functions
 *
 * To read a file's debug data takes long. So each file is asked once, for the instructions of all functions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/source_lookup.h"
#include "symbols/mapped_file.h"
#include "views/annotate_sums.h"

/* An instruction whose line is wanted */
struct wanted {
	const struct profile_file *file;	/* NULL: the kernel */
	struct annotated_at *at;
};

/* Instructions of one file, and what takes their lines */
struct asking {
	const struct wanted *all;
	uint64_t *offsets;	/* of all different addresses */
	size_t *first;		/* of each: index of its first instruction; the last one is where all end */
	size_t nr;
	struct annotation *owner;	/* of the texts */
	char **texts;		/* by string index, less 1 */
	size_t nr_texts, cap_texts;
};

static uint32_t take_text(void *ctx, const char *text, size_t len)
{
	struct asking *q = ctx;
	const char *kept = annotation_keep(q->owner, strndup(text, len));

	if (!kept || grow(&q->texts, q->nr_texts, &q->cap_texts, sizeof(*q->texts)))
		return 0;
	q->texts[q->nr_texts++] = (char *)kept;
	return (uint32_t)q->nr_texts;
}

/* The line of the innermost inlined function */
static void take_place(void *ctx, size_t i, const struct source_level *levels, size_t nr)
{
	struct asking *q = ctx;

	if (!nr || !levels[0].source)
		return;
	for (size_t k = q->first[i]; k < q->first[i + 1]; k++) {
		q->all[k].at->source = q->texts[levels[0].source - 1];
		q->all[k].at->line = levels[0].line;
	}
}

/* Code that was inlined is in several functions, so an address may be there more than once */
static void add_offsets(struct asking *q, size_t nr)
{
	q->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		if (i && q->all[i].at->offset == q->all[i - 1].at->offset)
			continue;
		q->first[q->nr] = i;
		q->offsets[q->nr++] = q->all[i].at->offset;
	}
	q->first[q->nr] = nr;
}

/* Without debug data, the lines in the profile stay */
static int ask(struct asking *q, const struct naming *naming, const struct vmlinux *v, uint64_t *time_ns)
{
	const struct source_taker taker = { .text = take_text, .place = take_place, .ctx = q };
	enum source_inline wish = naming->inlines == SOURCE_INLINE_NO ? SOURCE_INLINE_AUTO : naming->inlines;
	struct binary *b = NULL;
	int err = 0;

	if (q->all->file)
		err = binary_open(q->all->file, -1, naming->symbols, &b);
	if (b)
		binary_sources(b, q->offsets, q->nr, wish, time_ns, &taker);
	else if (!err && v)
		vmlinux_sources(v, q->offsets, q->nr, wish, time_ns, &taker);
	binary_close(b);
	q->nr_texts = 0;
	return err;
}

static int by_address(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->at->offset < y->at->offset ? -1 : x->at->offset > y->at->offset;
}

/* List the instructions of all functions, or only count them if @to is NULL */
static size_t list(struct wanted *to, const struct annotation *all, size_t nr_all)
{
	size_t nr = 0;

	for (size_t i = 0; i < nr_all; i++)
		for (size_t k = 0; k < all[i].nr_codes; k++)
			for (size_t n = 0; n < all[i].codes[k].nr; n++) {
				if (!all[i].codes[k].all[n].text)
					continue;
				if (to)
					to[nr] = (struct wanted){ all[i].codes[k].file, &all[i].codes[k].all[n] };
				nr++;
			}
	return nr;
}

int annotate_lines(struct annotation *all, size_t nr_all, const struct naming *naming, const struct vmlinux *v,
		   uint64_t *time_ns)
{
	const size_t nr = list(NULL, all, nr_all);
	struct wanted *wanted = calloc(nr + 1, sizeof(*wanted));
	struct asking q = {
		.offsets = calloc(nr + 1, sizeof(*q.offsets)), .first = calloc(nr + 1, sizeof(*q.first)), .owner = all,
	};
	int err = wanted && q.offsets && q.first ? 0 : -ENOMEM;

	if (!err) {
		list(wanted, all, nr_all);
		qsort(wanted, nr, sizeof(*wanted), by_address);
	}
	for (size_t i = 0, end; i < nr && !err; i = end) {
		for (end = i + 1; end < nr && wanted[end].file == wanted[i].file;)
			end++;
		q.all = wanted + i;
		add_offsets(&q, end - i);
		err = ask(&q, naming, v, time_ns);
	}
	free(wanted);
	free(q.offsets);
	free(q.first);
	free(q.texts);
	return err;
}
