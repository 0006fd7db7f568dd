// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge_events.c - merges the events of profiles, and their accounting
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profile/histogram.h"
#include "profile/merge.h"

static uint32_t find(const struct merge_events *events, const char *name)
{
	uint32_t i = 0;

	while (i < events->nr && strcmp(events->all[i]->name, name))
		i++;
	return i;
}

static int add_event(struct merge_events *to, const struct profile_event *e)
{
	const uint32_t i = find(to, e->name);

	/* One place is for the timer. */
	if (i >= KFLAME_MAX_EVENTS - 1)
		return -E2BIG;
	if (i == to->nr)
		to->all[to->nr++] = e;
	if (to->all[i]->unit != e->unit || to->all[i]->arg != e->arg)
		return -EDOM;
	if (__builtin_add_overflow(to->samples[i], e->samples, &to->samples[i]) ||
	    __builtin_add_overflow(to->weight[i], e->weight, &to->weight[i]))
		return -EOVERFLOW;
	return 0;
}

int merge_events_add(struct merge_events *to, const struct profile *p)
{
	int err = 0;

	for (size_t i = 0; !err && i < p->nr_events; i++) {
		to->timer |= !p->events[i].id;
		if (p->events[i].id)
			err = add_event(to, &p->events[i]);
	}
	return err;
}

uint32_t merge_event_id(const struct merge_events *events, const struct profile *p, uint32_t id)
{
	return id ? find(events, profile_find_event(p, id)->name) + 1 : 0;
}

static void put_event(struct merge *m, uint32_t id, uint32_t kind, uint32_t unit, uint32_t arg, const char *name)
{
	struct kflame_rec_event rec = { .rec.type = KFLAME_REC_EVENT, .id = id, .kind = kind, .unit = unit, .arg = arg };

	strcpy((char *)rec.full_name, name);
	if (strlen(name) < sizeof(rec.name))
		strcpy((char *)rec.name, name);
	else
		snprintf((char *)rec.name, sizeof(rec.name), "%.*s~%" PRIu32, (int)sizeof(rec.name) - 4, name, id);
	records_add(&m->r, &rec, sizeof(rec), NULL, 0);
}

/* Adds up the accounting of the event with that name, over all inputs and CPUs: CPU ~0 is the sum */
static void put_books(struct merge *m, const struct merge_input *in, size_t nr, uint32_t id, const char *name)
{
	struct kflame_rec_event_cpu sum = { .rec.type = KFLAME_REC_EVENT_CPU, .event = id, .books.cpu = UINT32_MAX };
	size_t cpus = 0;

	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < in[i].p->nr_events; k++) {
			const struct profile_event *e = &in[i].p->events[k];

			for (size_t c = 0; e->id && !strcmp(e->name, name) && c < e->nr_cpus; c++, cpus++)
				merge_add_books(&sum.books, &e->cpus[c]);
		}
	if (cpus)
		records_add(&m->r, &sum, sizeof(sum), NULL, 0);
}

/* Adds up the histograms of the event with that name, as put_books() adds up its accounting */
static void put_histogram(struct merge *m, const struct merge_input *in, size_t nr, uint32_t id, const char *name,
			  uint32_t group)
{
	struct kflame_rec_event_histogram rec = {
		.rec.type = KFLAME_REC_EVENT_HISTOGRAM, .event = id, .group = group, .cpu = UINT32_MAX,
	};
	struct kflame_bucket bucket[KFLAME_BUCKETS];
	struct histogram sum = { 0 };

	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < in[i].p->nr_events; k++)
			if (in[i].p->events[k].id && !strcmp(in[i].p->events[k].name, name))
				histogram_add(&sum, &in[i].p->events[k], group);
	rec.weight = sum.weight;
	rec.longest = sum.longest;
	for (uint32_t b = 0; b < KFLAME_BUCKETS; b++)
		if (sum.count[b])
			bucket[rec.nr++] = (struct kflame_bucket){ .count = sum.count[b], .bucket = b };
	if (rec.nr)
		records_add(&m->r, &rec, sizeof(rec), bucket, rec.nr * sizeof(*bucket));
}

void merge_put_events(struct merge *m, const struct merge_input *in, size_t nr)
{
	const struct merge_events *events = &m->events;

	if (!events->nr)
		return;
	if (events->timer)
		put_event(m, 0, KFLAME_EVENT_TIMER, KFLAME_UNIT_NS, 0,
			  profile_event_name(KFLAME_EVENT_TIMER));
	for (uint32_t i = 0; i < events->nr; i++) {
		put_event(m, i + 1, events->all[i]->kind, events->all[i]->unit,
			  events->all[i]->arg, events->all[i]->name);
		put_books(m, in, nr, i + 1, events->all[i]->name);
		for (uint32_t group = 0; group < KFLAME_NR_GROUPS; group++)
			put_histogram(m, in, nr, i + 1, events->all[i]->name, group);
	}
}
