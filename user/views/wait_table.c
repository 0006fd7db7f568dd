// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wait_table.c - makes a table of waits
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "views/wait_table.h"

/* What the waits of one row that share a name add up to */
struct named {
	uint32_t row;
	const char *name;
	uint64_t sum;
};

/* Chooses the name with the largest sum of each row */
struct names {
	struct named *all;
	size_t nr, cap;
	struct index index;
	uint64_t *most;		/* by index of the row: the largest sum so far */
	size_t cap_most;
};

struct making {
	struct wait_table *t;
	const struct profile *p;
	struct filter *filter;
	wait_row_fn fn;
	void *ctx;
	struct index index;	/* of the rows */
	uint32_t *row_of;	/* by index of the count; PROFILE_NONE: no row */
	struct names threads;	/* sums of time */
	struct names wakers;	/* numbers of waits */
};

/* -------------------------------------------------------------------- names */

static bool same_name(const void *ctx, uint32_t i, const void *key)
{
	const struct named *a = &((const struct names *)ctx)->all[i], *b = key;

	return a->row == b->row && !strcmp(a->name, b->name);
}

/* Makes room for the name of row @row, the next one */
static int names_add_row(struct names *n, size_t row)
{
	int err = grow(&n->most, row, &n->cap_most, sizeof(*n->most));

	if (!err)
		n->most[row] = 0;
	return err;
}

/* @chosen: the name of the row with the largest sum; @some->name if that has the largest sum now */
static int names_add(struct names *n, const struct named *some, const char **chosen)
{
	const uint64_t hash = hash_bytes(some->row, some->name, strlen(some->name));
	uint32_t at = index_find(&n->index, hash, same_name, n, some);
	int err = 0;

	if (at == INDEX_NONE) {
		err = grow(&n->all, n->nr, &n->cap, sizeof(*n->all));
		if (err)
			return err;
		at = (uint32_t)n->nr++;
		n->all[at] = (struct named){ .row = some->row, .name = some->name };
		err = index_add(&n->index, hash, at);
	}
	n->all[at].sum += some->sum;
	if (n->all[at].sum > n->most[some->row]) {
		n->most[some->row] = n->all[at].sum;
		*chosen = n->all[at].name;
	}
	return err;
}

static void names_exit(struct names *n)
{
	index_exit(&n->index);
	free(n->all);
	free(n->most);
}

/* --------------------------------------------------------------------- rows */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_row(const void *ctx, uint32_t i, const void *key)
{
	const struct wait_row *a = &((const struct wait_table *)ctx)->rows[i], *b = key;

	return a->frame.kind == b->frame.kind && !strcmp(a->frame.name, b->frame.name) &&
	       same_text(a->frame.file, b->frame.file) && same_text(a->lock, b->lock);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	return text ? hash_bytes(hash, text, strlen(text)) : hash;
}

static int find_row(struct making *m, const struct wait_row *key, uint32_t *at)
{
	struct wait_table *t = m->t;
	uint64_t hash = hash_text(hash_text(key->frame.kind, key->frame.name), key->frame.file);
	int err;

	*at = index_find(&m->index, hash, same_row, t, key);
	if (*at != INDEX_NONE)
		return 0;
	err = names_add_row(&m->threads, t->nr);
	if (!err)
		err = names_add_row(&m->wakers, t->nr);
	if (!err)
		err = grow(&t->rows, t->nr, &t->cap, sizeof(*t->rows));
	if (err)
		return err;
	*at = (uint32_t)t->nr;
	t->rows[t->nr] = (struct wait_row){ .frame = key->frame, .lock = key->lock, .comm = key->comm };
	t->nr++;
	return index_add(&m->index, hash, *at);
}

/* A count_fn.  The sums cannot overflow: those of all counts of an event fit in 64 bits */
static int take_count(void *ctx, size_t count, const struct frame *frames, size_t nr)
{
	struct making *m = ctx;
	const struct profile_count *c = &m->p->counts[count];
	struct wait_row key = { .lock = NULL }, *row;
	uint32_t at;
	int err = filter_accepts(m->filter, frames, nr);

	m->row_of[count] = PROFILE_NONE;
	if (err > 0)
		err = m->fn(m->ctx, c, frames, nr, &key);
	if (err <= 0)
		return err;
	err = find_row(m, &key, &at);
	if (err)
		return err;
	m->row_of[count] = at;
	row = &m->t->rows[at];
	row->waits += c->samples;
	row->ns += c->weight_ns;
	m->t->waits += c->samples;
	m->t->ns += c->weight_ns;
	if (key.comm)
		err = names_add(&m->threads, &(struct named){ at, key.comm, c->weight_ns }, &row->comm);
	if (!err && key.woken_by)
		err = names_add(&m->wakers, &(struct named){ at, key.woken_by, c->samples }, &row->woken_by);
	return err;
}

/* ------------------------------------------------------------------ lengths */

static int by_length(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Return: the length that @percent of the sorted lengths do not exceed; @nr is not 0 */
static uint64_t percentile(const uint64_t *lengths, uint64_t nr, unsigned int percent)
{
	uint64_t rank = (uint64_t)(((unsigned __int128)nr * percent + 99) / 100);

	return lengths[rank ? rank - 1 : 0];
}

static void measure(struct wait_row *row, uint64_t *lengths)
{
	if (!row->timed)
		return;
	qsort(lengths, row->timed, sizeof(*lengths), by_length);
	row->p50_ns = percentile(lengths, row->timed, 50);
	row->p99_ns = percentile(lengths, row->timed, 99);
	row->longest_ns = lengths[row->timed - 1];
}

/* Gathers the lengths of each row's waits, one row after the other, from the samples in order of time */
static int take_lengths(struct making *m)
{
	const struct profile *p = m->p;
	struct wait_table *t = m->t;
	size_t *end = calloc(t->nr + 1, sizeof(*end)), at = 0;
	uint64_t *lengths = calloc(p->nr_timeline + 1, sizeof(*lengths));
	int err = end && lengths ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < p->nr_timeline; i++) {
		const uint32_t row = m->row_of[p->timeline[i].count];

		if (row != PROFILE_NONE)
			t->rows[row].timed++;
	}
	for (size_t i = 0; !err && i < t->nr; i++) {
		end[i] = at;
		at += t->rows[i].timed;
	}
	for (size_t i = 0; !err && i < p->nr_timeline; i++) {
		const uint32_t row = m->row_of[p->timeline[i].count];

		if (row != PROFILE_NONE)
			lengths[end[row]++] = p->timeline[i].weight_ns;
	}
	for (size_t i = 0; !err && i < t->nr; i++) {
		measure(&t->rows[i], lengths + end[i] - t->rows[i].timed);
		t->timed += t->rows[i].timed;
	}
	free(end);
	free(lengths);
	return err;
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* No two rows are equal: sort them in one order only */
static int by_sum(const void *a, const void *b)
{
	const struct wait_row *x = a, *y = b;
	int order;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	order = compare_text(x->frame.name, y->frame.name);
	if (!order)
		order = compare_text(x->frame.file, y->frame.file);
	if (!order)
		order = compare_text(x->lock, y->lock);
	return order ? order : (int)x->frame.kind - (int)y->frame.kind;
}

int wait_table_make(struct wait_table *t, const struct profile *p, struct filter *filter, wait_row_fn fn, void *ctx)
{
	struct making m = { .t = t, .p = p, .filter = filter, .fn = fn, .ctx = ctx };
	int err;

	m.row_of = calloc(p->nr_counts + 1, sizeof(*m.row_of));
	err = m.row_of ? profile_each_count(p, take_count, &m) : -ENOMEM;
	if (!err)
		err = take_lengths(&m);
	if (!err && t->nr)
		qsort(t->rows, t->nr, sizeof(*t->rows), by_sum);
	index_exit(&m.index);
	free(m.row_of);
	names_exit(&m.threads);
	names_exit(&m.wakers);
	return err;
}

void wait_table_exit(struct wait_table *t)
{
	free(t->rows);
	roots_destroy(t->roots);
	*t = (struct wait_table){ .rows = NULL };
}
