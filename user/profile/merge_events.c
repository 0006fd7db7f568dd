// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge_events.c - merges the events of profiles, and their accounting
 *
 * Events are the same if their names are.  The id of an event in the sum is 1 plus its index among those that are
 * not the timer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/merge.h"
#include "profile/private.h"

static struct profile_event *find(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].id && !strcmp(p->events[i].name, name))
			return &p->events[i];
	return NULL;
}

uint32_t merge_event_id(const struct merge *m, const struct profile *p, uint32_t id)
{
	return id ? find(m->sum, profile_find_event(p, id)->name)->id : 0;
}

/* Adds up the accounting of all CPUs of all inputs: CPU ~0 is the sum */
static int add_books(struct profile_event *to, const struct profile_event *e)
{
	for (size_t i = 0; i < e->nr_cpus; i++) {
		const struct kflame_cpu none = { .cpu = UINT32_MAX };
		int err = to->nr_cpus ? 0 : profile_add_cpu(&to->cpus, &to->nr_cpus, &to->cap_cpus, &none);

		if (err)
			return err;
		merge_add_books(&to->cpus[0], &e->cpus[i]);
	}
	return 0;
}

static int add_histograms(struct merge *m, uint32_t id, const struct profile_event *e)
{
	for (uint32_t group = 0; group < KFLAME_NR_GROUPS && histogram_is_there(e); group++) {
		struct histogram **sum = &m->histograms[id - 1][group];

		if (!*sum)
			*sum = calloc(1, sizeof(**sum));
		if (!*sum)
			return -ENOMEM;
		histogram_add(*sum, e, group);
	}
	return 0;
}

static int add_event(struct merge *m, const struct profile_event *e)
{
	struct profile_event *to = find(m->sum, e->name);
	int err;

	if (!to) {
		/* One place is for the timer. */
		if (m->sum->nr_events >= KFLAME_MAX_EVENTS - 1)
			return -E2BIG;
		records_event(&m->r, e, (uint32_t)m->sum->nr_events + 1);
		err = merge_take(m);
		to = find(m->sum, e->name);
		if (err || !to)
			return err ? err : -ENOMEM;
	}
	if (to->unit != e->unit || to->arg != e->arg)
		return -EDOM;
	err = add_books(to, e);
	return err ? err : add_histograms(m, to->id, e);
}

int merge_events_add(struct merge *m, const struct profile *p)
{
	int err = 0;

	for (size_t i = 0; !err && i < p->nr_events; i++) {
		m->has_timer |= !p->events[i].id;
		if (p->events[i].id)
			err = add_event(m, &p->events[i]);
	}
	return err;
}

static void put_histogram(struct records *r, const struct histogram *sum, uint32_t id, uint32_t group)
{
	struct kflame_rec_event_histogram rec = {
		.rec.type = KFLAME_REC_EVENT_HISTOGRAM, .event = id, .group = group, .cpu = UINT32_MAX,
		.weight = sum->weight, .longest = sum->longest,
	};
	struct kflame_bucket bucket[KFLAME_BUCKETS];

	for (uint32_t b = 0; b < KFLAME_BUCKETS; b++)
		if (sum->count[b])
			bucket[rec.nr++] = (struct kflame_bucket){ .count = sum->count[b], .bucket = b };
	if (rec.nr)
		records_add(r, &rec, sizeof(rec), bucket, rec.nr * sizeof(*bucket));
}

int merge_events_finish(struct merge *m)
{
	struct profile *p = m->sum;
	struct profile_event timer;
	int err;

	for (uint32_t id = 1; id <= KFLAME_MAX_EVENTS; id++)
		for (uint32_t group = 0; group < KFLAME_NR_GROUPS; group++)
			if (m->histograms[id - 1][group])
				put_histogram(&m->r, m->histograms[id - 1][group], id, group);
	err = merge_take(m);
	if (err || !(m->has_timer || !p->nr_events))
		return err;
	if (!p->nr_events)
		return profile_add_timer(p);
	/* The timer comes first: views show the first event. */
	timer = (struct profile_event){
		.kind = KFLAME_EVENT_TIMER, .unit = KFLAME_UNIT_NS, .name = "cpu-clock",
	};
	records_event(&m->r, &timer, 0);
	err = merge_take(m);
	if (err)
		return err;
	timer = p->events[p->nr_events - 1];
	memmove(&p->events[1], &p->events[0], (p->nr_events - 1) * sizeof(timer));
	p->events[0] = timer;
	return 0;
}
