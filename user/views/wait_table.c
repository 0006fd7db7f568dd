// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wait_table.c - makes a table of waits
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "views/wait_table.h"

/* Waits of one row that one waker ended */
struct woken {
	uint32_t row;
	const char *by;
	uint64_t waits;
};

struct making {
	struct wait_table *t;
	const struct profile *p;
	struct filter *filter;
	wait_row_fn fn;
	void *ctx;
	struct index index;	/* of the rows */
	uint32_t *row_of;	/* by index of the count; PROFILE_NONE: no row */
	uint64_t *most;		/* by index of the row: the sum of the count whose name is .comm */
	size_t cap_most;
	struct woken *woken;
	size_t nr_woken, cap_woken;
	struct index woken_index;
	uint64_t *most_woken;	/* by index of the row: the waits that .woken_by ended */
	size_t cap_most_woken;
};

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
	err = grow(&m->most, t->nr, &m->cap_most, sizeof(*m->most));
	if (!err)
		err = grow(&m->most_woken, t->nr, &m->cap_most_woken, sizeof(*m->most_woken));
	if (!err)
		err = grow(&t->rows, t->nr, &t->cap, sizeof(*t->rows));
	if (err)
		return err;
	*at = (uint32_t)t->nr;
	t->rows[t->nr] = (struct wait_row){ .frame = key->frame, .lock = key->lock, .comm = key->comm };
	m->most_woken[t->nr] = 0;
	m->most[t->nr++] = 0;
	return index_add(&m->index, hash, *at);
}

static bool same_woken(const void *ctx, uint32_t i, const void *key)
{
	const struct woken *a = &((const struct making *)ctx)->woken[i], *b = key;

	return a->row == b->row && !strcmp(a->by, b->by);
}

/* Adds waits that a waker ended.  The waker with the most waits of a row becomes its .woken_by */
static int add_woken(struct making *m, const struct woken *some)
{
	const uint64_t hash = hash_text(some->row, some->by);
	uint32_t at = index_find(&m->woken_index, hash, same_woken, m, some);
	int err = 0;

	if (at == INDEX_NONE) {
		err = grow(&m->woken, m->nr_woken, &m->cap_woken, sizeof(*m->woken));
		if (err)
			return err;
		at = (uint32_t)m->nr_woken++;
		m->woken[at] = (struct woken){ .row = some->row, .by = some->by };
		err = index_add(&m->woken_index, hash, at);
	}
	m->woken[at].waits += some->waits;
	if (m->woken[at].waits > m->most_woken[some->row]) {
		m->most_woken[some->row] = m->woken[at].waits;
		m->t->rows[some->row].woken_by = m->woken[at].by;
	}
	return err;
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
	if (row->comm && c->weight_ns > m->most[at]) {
		m->most[at] = c->weight_ns;
		row->comm = key.comm;
	}
	return key.woken_by ? add_woken(m, &(struct woken){ at, key.woken_by, c->samples }) : 0;
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
	free(m.most);
	index_exit(&m.woken_index);
	free(m.woken);
	free(m.most_woken);
	return err;
}

void wait_table_exit(struct wait_table *t)
{
	free(t->rows);
	roots_destroy(t->roots);
	*t = (struct wait_table){ .rows = NULL };
}
