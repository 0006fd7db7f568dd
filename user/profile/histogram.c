// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * histogram.c - how many samples of an event had which weight
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/histogram.h"
#include "profile/private.h"

#define EXACT	(1u << KFLAME_BUCKET_BITS)	/* buckets of the smallest weights, and of each power of two */
#define MAX_CPUS	8192

uint64_t histogram_first(uint32_t bucket)
{
	if (bucket < EXACT)
		return bucket;
	return (uint64_t)(EXACT + bucket % EXACT) << (bucket / EXACT - 1);
}

uint64_t histogram_last(uint32_t bucket)
{
	return bucket + 1 < KFLAME_BUCKETS ? histogram_first(bucket + 1) - 1 : UINT64_MAX;
}

static void add(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

void histogram_add(struct histogram *h, const struct profile_event *e, uint32_t group)
{
	for (size_t i = 0; i < e->nr_histograms; i++) {
		const struct profile_histogram *part = &e->histograms[i];

		if (part->group != group)
			continue;
		add(&h->weight, part->weight);
		if (part->longest > h->longest)
			h->longest = part->longest;
		for (uint32_t b = 0; b < part->nr; b++) {
			add(&h->count[part->bucket[b].bucket], part->bucket[b].count);
			add(&h->samples, part->bucket[b].count);
		}
	}
}

uint64_t histogram_percentile(const struct histogram *h, unsigned int percent)
{
	/* The rank of the sample, rounded up */
	const uint64_t rank = h->samples - (uint64_t)((unsigned __int128)h->samples * (100 - percent) / 100);
	uint64_t seen = 0, first, last;
	uint32_t b = 0;

	for (; b < KFLAME_BUCKETS - 1; b++) {
		add(&seen, h->count[b]);
		if (seen >= rank)
			break;
	}
	first = histogram_first(b);
	last = histogram_last(b);
	if (last > h->longest && h->longest >= first)
		last = h->longest;
	return first + (last - first) / 2;
}

bool histogram_is_there(const struct profile_event *e)
{
	return e->nr_histograms;
}

const char *histogram_group_name(uint32_t group)
{
	return group == KFLAME_GROUP_CPU ? "waits for a CPU" : "waits for an event";
}

static int compare(const struct profile_histogram *h, const struct kflame_rec_event_histogram *r)
{
	if (h->group != r->group)
		return h->group < r->group ? -1 : 1;
	return h->cpu < r->cpu ? -1 : h->cpu > r->cpu;
}

static bool is_sane(const struct kflame_rec_event_histogram *r)
{
	if (!r->nr || r->nr > KFLAME_BUCKETS || r->group >= KFLAME_NR_GROUPS ||
	    (r->rec.size - sizeof(*r)) / sizeof(r->bucket[0]) < r->nr)
		return false;
	for (uint32_t i = 0; i < r->nr; i++)
		if (!r->bucket[i].count || r->bucket[i].bucket >= KFLAME_BUCKETS || r->bucket[i].pad ||
		    (i && r->bucket[i].bucket <= r->bucket[i - 1].bucket))
			return false;
	return true;
}

/* Make room for a histogram, in order of group and CPU.  Return: its place; NULL with *err */
static struct profile_histogram *place_of(struct profile_event *e, const struct kflame_rec_event_histogram *r, int *err)
{
	size_t i = e->nr_histograms;

	*err = 0;
	while (i && compare(&e->histograms[i - 1], r) > 0)
		i--;
	if (i && !compare(&e->histograms[i - 1], r))
		return &e->histograms[i - 1];
	*err = e->nr_histograms < MAX_CPUS * KFLAME_NR_GROUPS ?
	       grow(&e->histograms, e->nr_histograms, &e->cap_histograms, sizeof(*e->histograms)) : -EBADMSG;
	if (*err)
		return NULL;
	memmove(&e->histograms[i + 1], &e->histograms[i], (e->nr_histograms - i) * sizeof(*e->histograms));
	e->histograms[i] = (struct profile_histogram){ .group = r->group, .cpu = r->cpu };
	e->nr_histograms++;
	return &e->histograms[i];
}

int profile_take_event_histogram(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_event_histogram *r = (const void *)rec;
	struct profile_event *e = profile_find_event(p, r->event);
	struct profile_histogram *h;
	struct kflame_bucket *bucket;
	int err;

	if (!r->event || !e || !is_sane(r))
		return -EBADMSG;
	bucket = malloc(r->nr * sizeof(*bucket));
	if (!bucket)
		return -ENOMEM;
	h = place_of(e, r, &err);
	if (!h) {
		free(bucket);
		return err;
	}
	memcpy(bucket, r->bucket, r->nr * sizeof(*bucket));
	free(h->bucket);
	h->bucket = bucket;
	h->nr = r->nr;
	h->weight = r->weight;
	h->longest = r->longest;
	return 0;
}

void profile_histograms_exit(struct profile_event *e)
{
	for (size_t i = 0; i < e->nr_histograms; i++)
		free(e->histograms[i].bucket);
	free(e->histograms);
}
