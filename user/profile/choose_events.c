// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * choose_events.c - which of a profile's events a view shows
 *
 * Counts of several events are in one profile, with weights in different units.  A view shows one event, or
 * several that count the same.  These become one, .joint: the others are dropped, so that views need no code
 * for that.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "profile/private.h"

/* Names of events, for a message.  @only: of those that are shown.  Return: false if they do not fit */
static bool list_events(const struct profile *p, bool only, char *text, size_t size)
{
	size_t len = 0;

	text[0] = 0;
	for (size_t i = 0; i < p->nr_events && len < size; i++)
		if (p->events[i].is_shown || !only)
			len += (size_t)snprintf(text + len, size - len, "%s%s", len ? ", " : "", p->events[i].name);
	return len < size;
}

static struct profile_event *find(const struct profile *p, const char *event)
{
	const uint32_t kind = profile_event_kind(event);

	for (size_t i = 0; i < p->nr_events; i++)
		if (!strcmp(p->events[i].name, event) ||
		    (kind < KFLAME_NR_EVENTS && !profile_event_is_probe(kind) && p->events[i].kind == kind))
			return &p->events[i];
	return NULL;
}

/*
 * Can the weights of two events be added up?  Functions of one family mostly return the same, such as bytes, and have
 * it as the same argument.  Another argument counts something else.
 */
static bool are_alike(const struct profile_event *a, const struct profile_event *b)
{
	return a->unit == b->unit && a->arg == b->arg && profile_event_is_probe(a->kind) && profile_event_is_probe(b->kind);
}

/* The timer.  Without it, the first event, with all that count the same. */
static void show_default(struct profile *p)
{
	struct profile_event *timer = profile_find_event(p, 0);

	if (timer)
		timer->is_shown = true;
	else
		p->events[0].is_shown = true;
	for (size_t i = 1; !timer && i < p->nr_events; i++)
		p->events[i].is_shown = are_alike(&p->events[0], &p->events[i]);
}

/* Return: the event, or NULL after a message */
static struct profile_event *find_or_complain(const struct profile *p, const char *name, const char *word)
{
	char text[PROFILE_MAX_EVENTS * (KFLAME_EVENT_NAME + 2)];
	struct profile_event *e = find(p, word);

	if (e)
		return e;
	list_events(p, false, text, sizeof(text));
	complain("%s has no event '%s'. It has: %s%s", name, word, text,
		 profile_event_kind(word) == KFLAME_EVENT_OFFCPU ? ". 'kflame record --off-cpu' records waits" : "");
	return NULL;
}

int profile_name_events(const struct profile *p, const char *name, const char *list, bool *chosen)
{
	char *copy = strdup(list), *rest = copy, *word;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (word = strsep(&rest, ","))) {
		const struct profile_event *e = find_or_complain(p, name, word);

		if (e)
			chosen[e - p->events] = true;
		else
			err = -ENODATA;
	}
	free(copy);
	return err;
}

/* @name: of the file; @list: events, with commas between them.  Return: 0; -ENODATA after a message; -ENOMEM */
static int show_list(struct profile *p, const char *name, const char *list)
{
	char *copy = strdup(list), *rest = copy, *word;
	struct profile_event *first = NULL, *e;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (word = strsep(&rest, ","))) {
		e = find_or_complain(p, name, word);
		if (!e) {
			err = -ENODATA;
		} else if (first && first != e && !are_alike(first, e)) {
			complain("%s: %s and %s cannot be added up, because they count different things: name one of them in --event",
				 name, first->name, e->name);
			err = -ENODATA;
		} else {
			e->is_shown = true;
			if (!first)
				first = e;
		}
	}
	free(copy);
	return err;
}

/* Drops the counts of all events that are not shown, and their samples in .timeline.  @is_counted: weights become .samples */
static int keep_shown(struct profile *p, bool is_counted)
{
	uint32_t *place = calloc(p->nr_counts + 1, sizeof(*place));
	size_t nr = 0;

	if (!place)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_counts; i++) {
		const struct profile_event *e = profile_find_event(p, p->counts[i].event);
		const bool is_kept = e && e->is_shown;

		place[i] = is_kept ? (uint32_t)nr : PROFILE_NONE;
		if (is_kept)
			p->counts[nr++] = p->counts[i];
	}
	p->nr_counts = nr;
	for (size_t i = 0; is_counted && i < nr; i++) {
		p->counts[i].samples = p->counts[i].weight_ns;
		p->counts[i].weight_ns = 0;
	}
	nr = 0;
	for (size_t i = 0; i < p->nr_timeline; i++) {
		struct profile_sample s = p->timeline[i];

		s.count = place[s.count];
		if (s.count != PROFILE_NONE)
			p->timeline[nr++] = s;
	}
	p->nr_timeline = nr;
	free(place);
	return 0;
}

/* Makes the event's sums and accounting those of the profile */
static void use_sums(struct profile *p, struct profile_event *e)
{
	p->samples = e->unit == KFLAME_UNIT_NS ? e->samples : e->weight;
	p->weight_ns = e->unit == KFLAME_UNIT_NS ? e->weight : 0;
	p->late_ns = 0;
	free(p->cpus);
	p->cpus = e->cpus;
	p->nr_cpus = e->nr_cpus;
	p->cap_cpus = e->cap_cpus;
	e->cpus = NULL;
	e->nr_cpus = e->cap_cpus = 0;
}

/* Adds the accounting of another event on the same CPU: what views of probes show of it */
static void add_books(struct kflame_cpu *to, const struct kflame_cpu *from)
{
	to->samples += from->samples;
	to->counted += from->counted;
	to->weight_ns += from->weight_ns;
	to->counted_ns += from->counted_ns;
	to->handler_ns += from->handler_ns;
	if (to->active_ns < from->active_ns)
		to->active_ns = from->active_ns;
	if (to->handler_max_ns < from->handler_max_ns)
		to->handler_max_ns = from->handler_max_ns;
	for (size_t i = 0; i < KFLAME_NR_LOST; i++) {
		to->lost[i] += from->lost[i];
		to->lost_ns[i] += from->lost_ns[i];
	}
}

static int add_cpus(struct profile_event *to, const struct profile_event *from)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->nr_cpus; i++) {
		struct kflame_cpu *c = NULL;

		for (size_t k = 0; !c && k < to->nr_cpus; k++)
			if (to->cpus[k].cpu == from->cpus[i].cpu)
				c = &to->cpus[k];
		if (c)
			add_books(c, &from->cpus[i]);
		else
			err = profile_add_cpu(&to->cpus, &to->nr_cpus, &to->cap_cpus, &from->cpus[i]);
	}
	return err;
}

/* Return: 0; -EOVERFLOW; -ENOMEM */
static int add_event(struct profile_event *to, const struct profile_event *from)
{
	if (!to->id)
		*to = (struct profile_event){ .id = from->id, .kind = from->kind, .unit = from->unit, .arg = from->arg };
	if (__builtin_add_overflow(to->samples, from->samples, &to->samples) ||
	    __builtin_add_overflow(to->weight, from->weight, &to->weight))
		return -EOVERFLOW;
	return add_cpus(to, from);
}

/* The sums of the @nr events that are shown.  Return: 0; -EOVERFLOW; -ENOMEM */
static int make_joint(struct profile *p, size_t nr)
{
	struct profile_event *joint = &p->joint;
	int err = 0;

	for (size_t i = 0; !err && i < p->nr_events; i++)
		if (p->events[i].is_shown)
			err = add_event(joint, &p->events[i]);
	if (!list_events(p, true, joint->name, sizeof(joint->name)))
		snprintf(joint->name, sizeof(joint->name), "%zu events", nr);
	if (joint->unit == KFLAME_UNIT_VALUE && joint->arg)
		snprintf(joint->counted, sizeof(joint->counted), "units of arg%u", joint->arg);
	else
		strcpy(joint->counted, joint->unit == KFLAME_UNIT_VALUE ? "units returned" : "hits");
	return err;
}

/* Return: the first event that is shown; NULL for none.  @nr: how many are */
static struct profile_event *first_shown(const struct profile *p, size_t *nr)
{
	struct profile_event *first = NULL;

	*nr = 0;
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].is_shown && !(*nr)++)
			first = &p->events[i];
	return first;
}

/* Return: as profile_use_event() */
static int use(struct profile *p, struct profile_event *e)
{
	p->event = e;
	if (p->nr_events == 1 && !e->id)
		return 0;
	if (e->id)
		use_sums(p, e);
	return keep_shown(p, e->unit != KFLAME_UNIT_NS);
}

int profile_use_one_event(struct profile *p, size_t event)
{
	p->events[event].is_shown = true;
	return use(p, &p->events[event]);
}

int profile_use_event(struct profile *p, const char *name, const char *event)
{
	struct profile_event *first;
	size_t nr;
	int err = 0;

	if (event)
		err = show_list(p, name, event);
	else
		show_default(p);
	if (err)
		return err;
	first = first_shown(p, &nr);
	if (nr <= 1)
		return use(p, first);
	err = make_joint(p, nr);
	if (err == -EOVERFLOW) {
		complain("%s is damaged: the sums of its events do not fit in 64 bits together. Name one of them in --event", name);
		err = -ENODATA;
	}
	return err ? err : use(p, &p->joint);
}

int profile_use_wall(struct profile *p, const char *name)
{
	struct profile_event *timer = profile_find_event(p, 0);
	struct profile_event *waits = find(p, profile_event_name(KFLAME_EVENT_OFFCPU));
	uint64_t samples, weight_ns;

	if (!timer || !waits || waits->kind != KFLAME_EVENT_OFFCPU || waits->unit != KFLAME_UNIT_NS) {
		complain("%s has no %s, and --wall adds up samples and waits: record with 'kflame record --wall'", name,
			 timer ? "waits" : "samples of the timer");
		return -ENODATA;
	}
	if (__builtin_add_overflow(p->samples, waits->samples, &samples) ||
	    __builtin_add_overflow(p->weight_ns, waits->weight, &weight_ns)) {
		complain("%s is damaged: the times of its samples and of its waits do not fit in 64 bits together. Leave --wall out",
			 name);
		return -ENODATA;
	}
	p->event = timer;
	p->wall = true;
	p->samples = samples;
	p->weight_ns = weight_ns;
	timer->is_shown = waits->is_shown = true;
	return keep_shown(p, false);
}
