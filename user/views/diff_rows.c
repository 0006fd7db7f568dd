// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_rows.c - joins the functions of two profiles into one table
 */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "stacks/frame_set.h"
#include "views/diff.h"
#include "views/significance.h"

#define FINE	1000000000000ull	/* resolution of the sort key: parts of a whole */

static int by_frame(const void *a, const void *b)
{
	const struct frame *x = ((const struct function *)a)->frame;
	const struct frame *y = ((const struct function *)b)->frame;

	return frame_compare(x, y);
}

double diff_p(const struct diff *d, uint64_t base, uint64_t other)
{
	if (d->o.counted)
		return 1;
	if (d->o.raw)
		return significance_of_counts(base, other);
	return significance_of_shares(base, diff_whole(d, DIFF_BASE)->samples, other,
				      diff_whole(d, DIFF_OTHER)->samples);
}

static void put_side(struct diff_row *r, enum diff_side side, const struct function *f)
{
	r->frame = f->frame;
	r->self[side] = f->self;
	r->total[side] = f->total;
}

/* Join two tables, both sorted by frame */
static void join(struct diff_rows *rows, const struct functions *base,
		 const struct functions *other)
{
	size_t i = 0, k = 0;

	while (i < base->nr || k < other->nr) {
		struct diff_row *r = &rows->all[rows->nr++];
		int d = i == base->nr ? 1 : k == other->nr ? -1 :
			by_frame(&base->rows[i], &other->rows[k]);

		if (d <= 0)
			put_side(r, DIFF_BASE, &base->rows[i++]);
		if (d >= 0)
			put_side(r, DIFF_OTHER, &other->rows[k++]);
	}
}

/* Return: how much a row changed, the sort key of the table */
static uint64_t change_of(const struct diff *d, const struct diff_row *r)
{
	uint64_t x[2];

	for (int s = 0; s < 2; s++) {
		x[s] = tree_weight(diff_weight(d, r, s), d->o.unit);
		if (!d->o.raw)
			x[s] = scale(x[s], FINE, tree_weight(diff_whole(d, s), d->o.unit));
	}
	return x[0] > x[1] ? x[0] - x[1] : x[1] - x[0];
}

static int by_change(const void *a, const void *b, void *diff)
{
	const struct diff_row *x = a, *y = b;
	uint64_t dx = change_of(diff, x), dy = change_of(diff, y);

	if (dx != dy)
		return dx > dy ? -1 : 1;
	return by_frame(&(struct function){ .frame = x->frame },
			&(struct function){ .frame = y->frame });
}

/* Compute p of each row, and which ones to trust */
static int test_rows(struct diff_rows *rows, const struct diff *d)
{
	double *p = malloc((rows->nr ? rows->nr : 1) * sizeof(*p)), most;

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < rows->nr; i++) {
		struct diff_row *r = &rows->all[i];

		r->p = diff_p(d, diff_weight(d, r, DIFF_BASE)->samples,
			      diff_weight(d, r, DIFF_OTHER)->samples);
		p[i] = r->p;
	}
	most = significance_many(p, rows->nr);
	for (size_t i = 0; i < rows->nr; i++)
		rows->all[i].trusted = !d->o.counted && rows->all[i].p <= most;
	free(p);
	return 0;
}

/* Remove functions whose compared weight is 0 on both sides */
static void drop_empty(struct diff_rows *rows, const struct diff *d)
{
	size_t nr = 0;

	for (size_t i = 0; i < rows->nr; i++)
		if (tree_weight(diff_weight(d, &rows->all[i], DIFF_BASE), d->o.unit) ||
		    tree_weight(diff_weight(d, &rows->all[i], DIFF_OTHER), d->o.unit))
			rows->all[nr++] = rows->all[i];
	rows->nr = nr;
}

int diff_rows_make(struct diff_rows *rows, const struct diff *d)
{
	struct functions f[2] = { 0 };
	int err = 0;

	*rows = (struct diff_rows){ 0 };
	for (int s = 0; s < 2 && !err; s++)
		err = functions_collect(&f[s], d->t[s], d->o.unit, d->o.sort);
	if (!err)
		rows->all = calloc(f[0].nr + f[1].nr + 1, sizeof(*rows->all));
	if (!err && !rows->all)
		err = -ENOMEM;
	if (!err) {
		for (int s = 0; s < 2; s++)
			qsort(f[s].rows, f[s].nr, sizeof(*f[s].rows), by_frame);
		join(rows, &f[DIFF_BASE], &f[DIFF_OTHER]);
		drop_empty(rows, d);
		err = test_rows(rows, d);
		qsort_r(rows->all, rows->nr, sizeof(*rows->all), by_change, (void *)d);
	}
	functions_exit(&f[0]);
	functions_exit(&f[1]);
	if (err) {
		free(rows->all);
		rows->all = NULL;
	}
	return err;
}
