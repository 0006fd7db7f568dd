// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * selection.c - shows the events of a profile one after the other
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/private.h"
#include "profile/selection.h"

/* The accounting of an event by CPU */
struct books_copy {
	struct kflame_cpu *all;
	size_t nr;
};

struct selection {
	struct profile *p;
	struct profile_count *counts;	/* of all events */
	size_t nr_counts, cap_counts;
	struct profile_count **shown;	/* of each event; NULL: it was not shown yet */
	struct books_copy timer;	/* of struct profile */
	struct books_copy *events;	/* of each event */
	uint64_t samples, weight_ns, late_ns;
};

/* Return: a copy, to be freed; NULL if memory is short */
static void *copy_of(const void *from, size_t nr, size_t size)
{
	void *to = calloc(nr + 1, size);

	if (to && nr)
		memcpy(to, from, nr * size);
	return to;
}

static int keep_books(struct books_copy *to, const struct kflame_cpu *cpus, size_t nr)
{
	to->all = copy_of(cpus, nr, sizeof(*cpus));
	to->nr = nr;
	return to->all ? 0 : -ENOMEM;
}

static int put_books(const struct books_copy *from, struct kflame_cpu **cpus, size_t *nr, size_t *cap)
{
	free(*cpus);
	*cpus = copy_of(from->all, from->nr, sizeof(**cpus));
	*nr = *cpus ? from->nr : 0;
	*cap = *cpus ? from->nr + 1 : 0;
	return *cpus ? 0 : -ENOMEM;
}

struct selection *selection_begin(struct profile *p)
{
	struct selection *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (!s)
		return NULL;
	*s = (struct selection){ .p = p, .counts = p->counts, .nr_counts = p->nr_counts, .cap_counts = p->cap_counts,
				 .samples = p->samples, .weight_ns = p->weight_ns, .late_ns = p->late_ns };
	s->shown = calloc(p->nr_events + 1, sizeof(*s->shown));
	s->events = calloc(p->nr_events + 1, sizeof(*s->events));
	if (s->shown && s->events)
		err = keep_books(&s->timer, p->cpus, p->nr_cpus);
	for (size_t i = 0; !err && i < p->nr_events; i++)
		err = keep_books(&s->events[i], p->events[i].cpus, p->events[i].nr_cpus);
	if (!err)
		return s;
	selection_end(s);
	return NULL;
}

static void put_counts_back(struct selection *s)
{
	struct profile *p = s->p;

	p->counts = s->counts;
	p->nr_counts = s->nr_counts;
	p->cap_counts = s->cap_counts;
	p->samples = s->samples;
	p->weight_ns = s->weight_ns;
	p->late_ns = s->late_ns;
	p->event = NULL;
}

static int put_all_books(const struct selection *s)
{
	struct profile *p = s->p;
	int err = put_books(&s->timer, &p->cpus, &p->nr_cpus, &p->cap_cpus);

	for (size_t i = 0; !err && i < p->nr_events; i++) {
		struct profile_event *e = &p->events[i];

		e->is_shown = false;
		err = put_books(&s->events[i], &e->cpus, &e->nr_cpus, &e->cap_cpus);
	}
	return err;
}

int selection_show(struct selection *s, size_t event)
{
	struct profile *p = s->p;
	int err;

	put_counts_back(s);
	err = put_all_books(s);
	if (err)
		return err;
	free(s->shown[event]);
	s->shown[event] = copy_of(s->counts, s->nr_counts, sizeof(*s->counts));
	if (!s->shown[event])
		return -ENOMEM;
	p->counts = s->shown[event];
	p->cap_counts = s->nr_counts + 1;
	return profile_use_one_event(p, event);
}

/* Drops all counts, before some of them are added again */
static size_t begin_again(struct profile *p)
{
	const size_t nr = p->nr_counts;

	p->samples = p->weight_ns = p->late_ns = 0;
	p->nr_counts = 0;
	return nr;
}

static void add_again(struct profile *p, const struct profile_count c)
{
	p->samples += c.samples;
	p->weight_ns += c.weight_ns;
	p->late_ns += c.late_ns;
	p->counts[p->nr_counts++] = c;
}

void selection_only_process(struct selection *s, uint32_t tgid)
{
	const size_t nr = begin_again(s->p);

	for (size_t i = 0; i < nr; i++) {
		const struct profile_count *c = &s->p->counts[i];

		if (c->tgid == tgid && c->context != KFLAME_CTX_IDLE && c->context != KFLAME_CTX_GAP)
			add_again(s->p, *c);
	}
}

void selection_keep(struct selection *s, const bool *keep)
{
	const size_t nr = begin_again(s->p);

	for (size_t i = 0; i < nr; i++)
		if (keep[i])
			add_again(s->p, s->p->counts[i]);
}

void selection_end(struct selection *s)
{
	if (!s)
		return;
	put_counts_back(s);
	for (size_t i = 0; i < s->p->nr_events; i++) {
		if (s->shown)
			free(s->shown[i]);
		if (s->events)
			free(s->events[i].all);
	}
	free(s->shown);
	free(s->events);
	free(s->timer.all);
	free(s);
}
