// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * formats.c - what several formats share
 */
#include <errno.h>
#include <stdlib.h>

#include "base/message.h"
#include "convert/formats.h"
#include "convert/threads.h"
#include "stacks/load.h"

int convert_nothing(enum tree_unit unit, bool other_unit)
{
	if (!other_unit)
		complain("there are no samples in the input, so there is nothing to convert");
	else if (unit == TREE_NS)
		complain("the input holds no times; convert samples: leave out --time");
	else
		complain("the input holds times only; convert these: --time");
	return -ENODATA;
}

/* @make: source_tree() or threads_tree() */
static int by_tree(FILE *out, struct source *s, enum tree_unit unit, tree_fn write,
		   int (*make)(struct source *s, struct tree **tree))
{
	char *title = source_title(s);
	struct tree *t = NULL;
	struct weight sum;
	int err;

	if (!title)
		return load_failed(-ENOMEM, "converting the call tree");
	err = make(s, &t);
	if (!err) {
		sum = tree_sum(t);
		if (!tree_weight(&sum, unit))
			err = convert_nothing(unit, sum.samples || sum.ns);
	}
	if (!err) {
		err = tree_finish(t);
		if (!err)
			err = write(out, t, unit, title, s);
		if (err)
			load_failed(err, "converting the call tree");
	}
	tree_destroy(t);
	free(title);
	return err;
}

int convert_by_tree(FILE *out, struct source *s, enum tree_unit unit, tree_fn write)
{
	return by_tree(out, s, unit, write, source_tree);
}

int convert_by_threads(FILE *out, struct source *s, enum tree_unit unit, tree_fn write)
{
	return by_tree(out, s, unit, write, threads_tree);
}
