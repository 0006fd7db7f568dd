// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c - the events of a profile, and the choice of one
 *
 * Counts of several events are in one profile, with weights in different units.  A view shows one event:
 * profile_use_event() drops all others, so that views need no code for them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "profile/private.h"

/* The names that users may give; the first one of a kind is the name in streams */
static const struct {
	const char *name;
	uint32_t kind;
} names[] = {
	{ "cpu-clock", KFLAME_EVENT_TIMER },
	{ "clock", KFLAME_EVENT_TIMER },
	{ "timer", KFLAME_EVENT_TIMER },
	{ "page-faults", KFLAME_EVENT_FAULTS },
	{ "faults", KFLAME_EVENT_FAULTS },
	{ "off-cpu", KFLAME_EVENT_OFFCPU },
	{ "offcpu", KFLAME_EVENT_OFFCPU },
	{ "off-cpu-sampled", KFLAME_EVENT_SLEEPERS },
	{ "kprobe", KFLAME_EVENT_KPROBE },
	{ "tracepoint", KFLAME_EVENT_TRACEPOINT },
	{ "kretprobe", KFLAME_EVENT_KRETPROBE },
	{ "uprobe", KFLAME_EVENT_UPROBE },
	{ "syscall", KFLAME_EVENT_SYSCALL },
	{ "pair", KFLAME_EVENT_PAIR },
};

uint32_t profile_event_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].name, name))
			return names[i].kind;
	return KFLAME_NR_EVENTS;
}

const char *profile_event_name(uint32_t kind)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].kind == kind)
			return names[i].name;
	return NULL;
}

bool profile_event_is_probe(uint32_t kind)
{
	return kind == KFLAME_EVENT_KPROBE || kind == KFLAME_EVENT_TRACEPOINT || kind == KFLAME_EVENT_KRETPROBE ||
	       kind == KFLAME_EVENT_UPROBE || kind == KFLAME_EVENT_SYSCALL || kind == KFLAME_EVENT_PAIR;
}

struct profile_event *profile_find_event(const struct profile *p, uint32_t id)
{
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].id == id)
			return &p->events[i];
	return NULL;
}

const char *profile_counted(const struct profile *p)
{
	if (!p->event || p->event->unit == KFLAME_UNIT_NS)
		return NULL;
	return p->event->unit == KFLAME_UNIT_BYTES ? "bytes" : p->event->counted;
}

/* The timer measures time on a CPU.  Any other event that measures time has samples of different lengths. */
bool profile_shows_lengths(const struct profile *p)
{
	return p->event && p->event->id && p->event->unit == KFLAME_UNIT_NS;
}

bool profile_shows_latency(const struct profile *p)
{
	return profile_shows_lengths(p) && profile_event_is_probe(p->event->kind);
}

bool profile_shows_waits(const struct profile *p)
{
	return profile_shows_lengths(p) && !profile_shows_latency(p);
}

static bool is_name(const __u8 *name, size_t size)
{
	size_t len = strnlen((const char *)name, size);

	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] >= 127)
			return false;
	return len && len < size;
}

static int add_event(struct profile *p, const struct profile_event *e)
{
	int err = grow(&p->events, p->nr_events, &p->cap_events, sizeof(*p->events));

	if (!err)
		p->events[p->nr_events++] = *e;
	return err;
}

/* The whole name.  Return: NULL if the record has none that could be printed */
static const char *name_of(const struct kflame_rec_event *r)
{
	const __u8 *name = r->name;
	size_t size = sizeof(r->name);

	if (r->rec.size >= sizeof(*r) && r->full_name[0]) {
		name = r->full_name;
		size = sizeof(r->full_name);
	}
	return is_name(name, size) ? (const char *)name : NULL;
}

/* The id 0 is always the timer.  Ids and names are unique, because records and users name events by them. */
static bool is_sane(const struct profile *p, const struct kflame_rec_event *r, const char *name)
{
	if (r->unit > KFLAME_UNIT_VALUE || !name || (!r->id && r->unit) ||
	    !r->id != (r->kind == KFLAME_EVENT_TIMER) || p->nr_events >= KFLAME_MAX_EVENTS)
		return false;
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].id == r->id || !strcmp(p->events[i].name, name))
			return false;
	return true;
}

/* What a value counts depends on the function: bytes, pages or anything else */
static void set_counted(struct profile_event *e)
{
	const char *colon = strchr(e->name, ':');

	if (e->unit == KFLAME_UNIT_VALUE && !strcmp(e->name, "syscall:*"))
		strcpy(e->counted, "units returned by system calls");
	else if (e->unit == KFLAME_UNIT_VALUE)
		snprintf(e->counted, sizeof(e->counted), "units returned by %s", colon ? colon + 1 : e->name);
	else
		strcpy(e->counted, e->name);
}

int profile_take_event(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_event *r = (const void *)rec;
	struct profile_event e = { .id = r->id, .kind = r->kind, .unit = r->unit };
	const char *name = name_of(r);

	if (!is_sane(p, r, name))
		return -EBADMSG;
	strcpy(e.name, name);
	set_counted(&e);
	return add_event(p, &e);
}

int profile_take_event_cpu(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_event_cpu *r = (const void *)rec;
	struct profile_event *e = profile_find_event(p, r->event);

	if (!r->event || !e)
		return -EBADMSG;
	return profile_add_cpu(&e->cpus, &e->nr_cpus, &e->cap_cpus, &r->books);
}

int profile_add_timer(struct profile *p)
{
	const struct profile_event timer = {
		.kind = KFLAME_EVENT_TIMER, .unit = KFLAME_UNIT_NS, .name = "cpu-clock",
	};

	/* A damaged stream may have samples of the timer, and no EVENT record of it. */
	if (profile_find_event(p, 0) || (p->nr_events && !p->samples))
		return 0;
	return add_event(p, &timer);
}

/* Names of the profile's events, for a message */
static void list_events(const struct profile *p, char *text, size_t size)
{
	size_t len = 0;

	text[0] = 0;
	for (size_t i = 0; i < p->nr_events && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s", i ? ", " : "", p->events[i].name);
}

static struct profile_event *choose(const struct profile *p, const char *event)
{
	struct profile_event *timer = profile_find_event(p, 0);
	uint32_t kind;

	if (!event)
		return timer ? timer : p->events;
	kind = profile_event_kind(event);
	for (size_t i = 0; i < p->nr_events; i++)
		if (!strcmp(p->events[i].name, event) ||
		    (kind < KFLAME_NR_EVENTS && !profile_event_is_probe(kind) && p->events[i].kind == kind))
			return &p->events[i];
	return NULL;
}

/*
 * Drops the counts of all events but @id and @other, and their samples in .timeline.  @is_counted: weights become
 * .samples
 */
static int keep_events(struct profile *p, uint32_t id, uint32_t other, bool is_counted)
{
	uint32_t *place = calloc(p->nr_counts + 1, sizeof(*place));
	size_t nr = 0;

	if (!place)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_counts; i++) {
		const bool is_kept = p->counts[i].event == id || p->counts[i].event == other;

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

int profile_use_event(struct profile *p, const char *name, const char *event)
{
	struct profile_event *e = choose(p, event);
	char text[PROFILE_MAX_EVENTS * (KFLAME_EVENT_NAME + 2)];

	if (!e) {
		list_events(p, text, sizeof(text));
		complain("%s has no event '%s'. It has: %s%s", name, event, text,
			 profile_event_kind(event) == KFLAME_EVENT_OFFCPU ? ". 'kflame record --off-cpu' records waits" : "");
		return -ENODATA;
	}
	p->event = e;
	if (p->nr_events == 1 && !e->id)
		return 0;
	if (e->id)
		use_sums(p, e);
	return keep_events(p, e->id, e->id, e->unit != KFLAME_UNIT_NS);
}

int profile_use_wall(struct profile *p, const char *name)
{
	const struct profile_event *timer = profile_find_event(p, 0);
	const struct profile_event *waits = choose(p, profile_event_name(KFLAME_EVENT_OFFCPU));
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
	return keep_events(p, timer->id, waits->id, false);
}
