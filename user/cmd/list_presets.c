// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list_presets.c - the options of kflame record that are events for a purpose, as kflame list shows them
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "catalog/kernel_symbols.h"
#include "catalog/tracefs.h"
#include "cmd/list_presets.h"
#include "profile/profile.h"
#include "record/presets.h"

/* All that this machine has.  What cannot be looked up is taken to be there. */
struct machine {
	const char *root;
	uint64_t kinds;
	struct kernel_symbols *symbols;
	bool was_read;
	struct catalog functions, tracepoints;
	bool has_functions, has_tracepoints;	/* the lists could be made */
};

static void look(struct machine *m)
{
	char tracefs[1024];

	if (m->was_read)
		return;
	m->was_read = true;
	m->has_functions = !catalog_functions(m->root, m->symbols, NULL, &m->functions);
	m->has_tracepoints = !tracefs_find(m->root, tracefs, sizeof(tracefs)) &&
			     !catalog_tracepoints(m->root, m->symbols, tracefs, NULL, &m->tracepoints);
}

static bool has_tracepoint(const struct machine *m, const char *system, int len, const char *name)
{
	char word[KFLAME_EVENT_NAME];

	snprintf(word, sizeof(word), "tracepoint:%.*s:%s", len, system, name);
	return !m->has_tracepoints || catalog_has(&m->tracepoints, word);
}

/* "SYSTEM:BEGIN|BEGIN..END": a kernel needs only one of several BEGIN */
static bool has_pair(const struct machine *m, const char *system)
{
	const int len = (int)strcspn(system, ":");
	char *begins = strdup(system + len + 1), *end = begins ? strstr(begins, "..") : NULL, *rest = begins, *name;
	bool found = false;

	if (end) {
		*end = 0;
		while ((name = strsep(&rest, "|")))
			found |= has_tracepoint(m, system, len, name);
		found &= has_tracepoint(m, system, len, end + 2);
	}
	free(begins);
	return found;
}

static bool is_there(struct machine *m, const char *event)
{
	const size_t len = strcspn(event, ":");
	const bool is_pair = strstr(event, "..");
	char kind[32], word[KFLAME_EVENT_NAME];

	snprintf(kind, sizeof(kind), "%.*s", (int)len, event);
	if (!(m->kinds >> (is_pair ? KFLAME_EVENT_PAIR : profile_event_kind(kind)) & 1))
		return false;
	if (!strcmp(kind, "kretprobe")) {
		look(m);
		snprintf(word, sizeof(word), "kprobe:%s", event + len + 1);
		return !m->has_functions || catalog_has(&m->functions, word);
	}
	if (strcmp(kind, "tracepoint") && !is_pair)
		return true;
	look(m);
	return is_pair ? has_pair(m, event + len + 1) : !m->has_tracepoints || catalog_has(&m->tracepoints, event);
}

/* Return: the first event that is not there, to be freed; NULL if all are */
static char *first_missing(struct machine *m, const char *events)
{
	char *copy = strdup(events), *rest = copy, *event, *first = NULL;

	while (copy && !first && (event = strsep(&rest, ",")))
		if (!is_there(m, event))
			first = strdup(event);
	free(copy);
	return first;
}

/* Return: the first event that the option without a word needs and that is not there, to be freed; NULL for none */
static char *missing(struct machine *m, const struct preset *p)
{
	char *first = NULL;

	for (size_t i = 0; !first && i < PRESET_PARTS && p->parts[i].events; i++)
		if (!p->parts[i].flags)
			first = first_missing(m, p->parts[i].events);
	return first;
}

size_t list_presets(const char *root, struct kernel_symbols *symbols, const char *pattern, uint64_t kinds)
{
	struct machine m = { .root = root, .symbols = symbols, .kinds = kinds };
	size_t nr = 0;

	for (const struct preset *p = presets; p->name; p++) {
		char option[64], *lacks;

		preset_option(p, option, sizeof(option));
		if (pattern && !strstr(option, pattern))
			continue;
		lacks = missing(&m, p);
		if (lacks)
			printf("%-33s not available: this kernel or this module has no %s\n", option, lacks);
		else
			printf("%-33s %s\n", option, p->what);
		free(lacks);
		nr++;
	}
	catalog_exit(&m.functions);
	catalog_exit(&m.tracepoints);
	return nr;
}
