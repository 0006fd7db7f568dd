// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collapsed.c - writes folded stacks, as 'kflame fold' does
 */
#include <errno.h>

#include "convert/formats.h"
#include "stacks/folded.h"
#include "stacks/load.h"

struct folding {
	struct tree *tree;
	enum folded_suffixes suffixes;
};

static int add(void *ctx, const struct sample *s)
{
	const struct folding *f = ctx;

	return folded_add(f->tree, f->suffixes, s->frames, s->nr, s->samples, s->ns);
}

int convert_collapsed(FILE *out, struct source *s, enum tree_unit unit)
{
	struct tree *t = tree_create();
	struct weight sum;
	int err;

	if (!t)
		return load_failed(-ENOMEM, "folding stacks");
	err = source_each(s, add, &(struct folding){ t, s->o->kinds ? FOLDED_KINDS : FOLDED_NO_SUFFIX });
	sum = tree_sum(t);
	if (!err && !tree_weight(&sum, unit))
		err = convert_nothing(unit, sum.samples || sum.ns);
	if (!err) {
		err = folded_write(out, t, unit);
		if (err)
			load_failed(err, "writing folded stacks");
	}
	tree_destroy(t);
	return err;
}
