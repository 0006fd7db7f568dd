// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c - the options of a recording
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/system_calls.h"
#include "catalog/pattern.h"
#include "profile/profile.h"
#include "record/options.h"
#include "record/uprobe_file.h"

static int add_id(struct id_list *to, unsigned long value)
{
	int err;

	if (value > INT32_MAX)
		return -EINVAL;
	if (to->nr >= KFLAME_MAX_FILTER)
		return -ERANGE;
	err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));
	if (!err)
		to->all[to->nr++] = (uint32_t)value;
	return err;
}

/* Parse a decimal number, and advance @text behind it */
static bool number(const char **text, unsigned long *value)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*value = strtoul(*text, &end, 10);
	*text = end;
	return !errno;
}

int parse_ids(const char *text, bool ranges, struct id_list *to)
{
	for (;;) {
		unsigned long from, last;
		int err;

		if (!number(&text, &from))
			return -EINVAL;
		last = from;
		if (ranges && *text == '-') {
			text++;
			if (!number(&text, &last) || last < from)
				return -EINVAL;
		}
		do {
			err = add_id(to, from);
			if (err)
				return err;
		} while (from++ < last);
		if (!*text)
			return 0;
		if (*text++ != ',')
			return -EINVAL;
	}
}

static int add_named(struct record_options *o, uint32_t kind, const char *name)
{
	struct record_event *e = &o->events[o->nr_events];

	if (strlen(name) >= sizeof(e->name))
		return -ENAMETOOLONG;
	for (uint32_t i = 0; i < o->nr_events; i++)
		if (!strcmp(o->events[i].name, name))
			return -EEXIST;
	if (o->nr_events >= KFLAME_MAX_EVENTS)
		return -E2BIG;
	e->kind = kind;
	strcpy(e->name, name);
	e->weight = kind == KFLAME_EVENT_PAIR && !record_event_is_outstanding(e) ? KFLAME_WEIGHT_LATENCY : KFLAME_WEIGHT_OWN;
	o->nr_events++;
	return 0;
}

int record_add_event(struct record_options *o, uint32_t kind)
{
	return add_named(o, kind, profile_event_name(kind));
}

/* FUNC, FUNC+OFFSET, or a pattern */
static bool is_function(const char *text)
{
	const char *plus = strchr(text, '+');
	char *end;

	if (!*text || plus == text)
		return false;
	if (!plus)
		return true;
	if (pattern_is_shell(text))
		return false;
	if (!isdigit((unsigned char)plus[1]))
		return false;
	errno = 0;
	return strtoull(plus + 1, &end, 0) <= UINT32_MAX && !errno && !*end;
}

/* SYSTEM:NAME */
static bool is_tracepoint(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && colon > text && colon[1] && !strpbrk(colon + 1, ":/") && !memchr(text, '/', (size_t)(colon - text));
}

/* BEGIN..END instead of NAME; the module checks the rest */
static bool is_pair(const char *tracepoint)
{
	return strstr(tracepoint, "..");
}

/* Return: the kind of a probe's name, such as "kprobe:vfs_read"; KFLAME_NR_EVENTS if it is none */
static uint32_t probe_kind(const char *name)
{
	const char *text = strchr(name, ':');

	for (const char *c = name; *c; c++)
		if (*c <= ' ' || *c >= 127)
			return KFLAME_NR_EVENTS;
	if (text && !strncmp(name, "kprobe:", 7) && is_function(text + 1))
		return KFLAME_EVENT_KPROBE;
	if (text && !strncmp(name, "kretprobe:", 10) && text[1] && !strchr(text, '+'))
		return KFLAME_EVENT_KRETPROBE;
	if (text && !strncmp(name, PROFILE_OUTSTANDING, strlen(PROFILE_OUTSTANDING)) && is_tracepoint(text + 1) && is_pair(text + 1))
		return KFLAME_EVENT_PAIR;
	if (text && !strncmp(name, "tracepoint:", 11) && is_tracepoint(text + 1))
		return is_pair(text + 1) ? KFLAME_EVENT_PAIR : KFLAME_EVENT_TRACEPOINT;
	return KFLAME_NR_EVENTS;
}

/* @text: what follows "uprobe:" or "uretprobe:". An instruction inside a function has no return. */
static int add_uprobe(struct record_options *o, uint32_t kind, const char *text)
{
	char name[KFLAME_EVENT_NAME], *target = NULL;
	struct uprobe_name parts;
	int err = uprobe_parse(text, &parts);

	if (err)
		return err;
	err = kind == KFLAME_EVENT_URETPROBE && parts.symbol && parts.by ? -EINVAL : 0;
	free(parts.file);
	if (!err)
		err = uprobe_event_name(profile_event_name(kind), text, name, sizeof(name));
	if (!err) {
		target = strdup(text);
		err = target ? add_named(o, kind, name) : -ENOMEM;
	}
	if (err)
		free(target);
	else
		o->events[o->nr_events - 1].target = target;
	return err;
}

/* @name: as a user writes it, such as "syscall:read"; "*" and "all" are all calls */
static int add_call(struct record_options *o, const char *name)
{
	const char *call = strchr(name, ':') + 1;
	const bool all = !strcmp(call, "all") || !strcmp(call, "*");
	const long number = all ? 0 : system_call_number(call);
	int err;

	if (number < 0)
		return -EINVAL;
	err = add_named(o, KFLAME_EVENT_SYSCALL, all ? "syscall:*" : name);
	if (!err)
		o->events[o->nr_events - 1].number = all ? KFLAME_ALL_SYSCALLS : (uint64_t)number;
	return err;
}

static int add_event(struct record_options *o, const char *name)
{
	const uint32_t probe = probe_kind(name), kind = profile_event_kind(name);

	if (!strncmp(name, "uprobe:", 7))
		return add_uprobe(o, KFLAME_EVENT_UPROBE, name + 7);
	if (!strncmp(name, "uretprobe:", 10))
		return add_uprobe(o, KFLAME_EVENT_URETPROBE, name + 10);
	if (!strncmp(name, "syscall:", 8))
		return add_call(o, name);
	if (probe < KFLAME_NR_EVENTS)
		return add_named(o, probe, name);
	if (kind >= KFLAME_NR_EVENTS || profile_event_is_probe(kind))
		return -EINVAL;
	return record_add_event(o, kind);
}

bool record_has_weights(uint32_t kind)
{
	return kind == KFLAME_EVENT_KRETPROBE || kind == KFLAME_EVENT_SYSCALL || kind == KFLAME_EVENT_PAIR ||
	       kind == KFLAME_EVENT_URETPROBE;
}

bool record_event_is_pattern(const struct record_event *e)
{
	return (e->kind == KFLAME_EVENT_KPROBE || e->kind == KFLAME_EVENT_KRETPROBE) && pattern_is_shell(e->name);
}

bool record_event_is_outstanding(const struct record_event *e)
{
	return !strncmp(e->name, PROFILE_OUTSTANDING, strlen(PROFILE_OUTSTANDING));
}

bool record_has_event(const struct record_options *o, uint32_t kind)
{
	for (uint32_t i = 0; i < o->nr_events; i++)
		if (o->events[i].kind == kind)
			return true;
	return false;
}

int parse_events(const char *text, struct record_options *o)
{
	char *copy = strdup(text), *rest = copy, *name;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (name = strsep(&rest, ",")))
		err = add_event(o, name);
	free(copy);
	return err;
}

/* Return: nanoseconds of a unit; 0 if there is no such unit */
static uint64_t unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	return 0;
}

/* Without floating point: its decimal separator depends on the locale */
int parse_length(const char *text, uint64_t *ns)
{
	uint64_t whole = 0, fraction = 0, parts = 1, unit;
	const char *p = text;

	for (; isdigit((unsigned char)*p) && whole <= INT64_MAX / 10; p++)
		whole = whole * 10 + (uint64_t)(*p - '0');
	if (p == text || isdigit((unsigned char)*p))
		return -EINVAL;
	if (*p == '.')
		for (p++; isdigit((unsigned char)*p); p++)
			if (parts < 1000000000) {
				fraction = fraction * 10 + (uint64_t)(*p - '0');
				parts *= 10;
			}
	unit = unit_ns(p);
	if (!unit)
		return *p ? -EINVAL : -EDOM;
	if (whole >= INT64_MAX / unit)
		return -EINVAL;
	*ns = whole * unit + fraction * unit / parts;
	return *ns ? 0 : -EINVAL;
}

void record_options_exit(struct record_options *o)
{
	free(o->pids.all);
	free(o->tids.all);
	free(o->cpus.all);
	free(o->cgroups.all);
	for (uint32_t i = 0; i < o->nr_events; i++)
		free(o->events[i].target);
}
