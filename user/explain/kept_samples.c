// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kept_samples.c - keeps samples during a recording
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "explain/kept_samples.h"

static void *copy_of(const void *rec, size_t size)
{
	void *copy = malloc(size);

	if (copy)
		memcpy(copy, rec, size);
	return copy;
}

static void open_copy(struct kept_samples *k, size_t cpu, const struct kflame_rec_ustack *copy)
{
	while (k->nr_open <= cpu) {
		if (grow(&k->open, k->nr_open, &k->cap_open, sizeof(*k->open))) {
			k->failed = true;
			return;
		}
		k->open[k->nr_open++] = NULL;
	}
	/* Its explanation found no room in the ring */
	free(k->open[cpu]);
	k->open[cpu] = copy_of(copy, copy->rec.size);
	k->failed |= !k->open[cpu];
}

static void close_copy(struct kept_samples *k, size_t cpu, const struct kflame_rec_explain *why)
{
	struct kept_sample s = { .copy = cpu < k->nr_open ? k->open[cpu] : NULL };

	if (!s.copy)
		return;
	k->open[cpu] = NULL;
	s.why = copy_of(why, why->rec.size);
	if (!s.why || grow(&k->all, k->nr, &k->cap, sizeof(*k->all))) {
		k->failed = true;
		free(s.copy);
		free(s.why);
		return;
	}
	k->bytes += s.copy->rec.size + s.why->rec.size;
	k->all[k->nr++] = s;
}

void kept_samples_listen(void *ctx, size_t cpu, const struct kflame_rec_ustack *copy,
			 const struct kflame_rec_explain *why)
{
	struct kept_samples *k = ctx;

	if (why)
		close_copy(k, cpu, why);
	else if (k->bytes < KEPT_BYTES)
		open_copy(k, cpu, copy);
}

static int by_time(const void *a, const void *b)
{
	const struct kept_sample *one = a, *other = b;

	return (one->copy->time_ns > other->copy->time_ns) - (one->copy->time_ns < other->copy->time_ns);
}

void kept_samples_sort(struct kept_samples *k)
{
	if (k->nr)
		qsort(k->all, k->nr, sizeof(*k->all), by_time);
}

void kept_samples_exit(struct kept_samples *k)
{
	for (size_t i = 0; i < k->nr; i++) {
		free(k->all[i].copy);
		free(k->all[i].why);
	}
	for (size_t i = 0; i < k->nr_open; i++)
		free(k->open[i]);
	free(k->all);
	free(k->open);
	memset(k, 0, sizeof(*k));
}
