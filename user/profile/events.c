// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c - the events of a profile
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
	{ "uretprobe", KFLAME_EVENT_URETPROBE },
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
	       kind == KFLAME_EVENT_UPROBE || kind == KFLAME_EVENT_URETPROBE ||
	       kind == KFLAME_EVENT_SYSCALL || kind == KFLAME_EVENT_PAIR;
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
	if (r->unit > KFLAME_UNIT_VALUE || r->arg > KFLAME_MAX_ARG || !name || (!r->id && r->unit) ||
	    !r->id != (r->kind == KFLAME_EVENT_TIMER) || p->nr_events >= KFLAME_MAX_EVENTS)
		return false;
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].id == r->id || !strcmp(p->events[i].name, name))
			return false;
	return true;
}

/* What a value or an argument counts depends on the function: bytes, pages or anything else */
static void set_counted(struct profile_event *e)
{
	const char *colon = strchr(e->name, ':'), *function = colon ? colon + 1 : e->name;

	if (e->unit == KFLAME_UNIT_VALUE && e->arg)
		snprintf(e->counted, sizeof(e->counted), "units of arg%u of %s", e->arg, function);
	else if (e->unit == KFLAME_UNIT_VALUE && !strcmp(e->name, "syscall:*"))
		strcpy(e->counted, "units returned by system calls");
	else if (e->unit == KFLAME_UNIT_VALUE)
		snprintf(e->counted, sizeof(e->counted), "units returned by %s", function);
	else
		strcpy(e->counted, e->name);
}

int profile_take_event(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_event *r = (const void *)rec;
	struct profile_event e = {
		.id = r->id, .kind = r->kind, .unit = r->unit, .arg = r->arg, .record = p->reader->fed.records,
	};
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
