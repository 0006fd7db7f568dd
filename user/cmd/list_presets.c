// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list_presets.c - the options of kflame record that are events for a purpose, as kflame list shows them
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "catalog/tracefs.h"
#include "cmd/list_presets.h"
#include "profile/profile.h"
#include "record/presets.h"

/* Can functions or tracepoints of that name be probed?  What cannot be looked up is taken to be there. */
static bool is_listed(const char *root, const char *event)
{
	const bool is_tracepoint = !strncmp(event, "tracepoint:", 11);
	char tracefs[1024], word[KFLAME_EVENT_NAME];
	struct catalog c = { 0 };
	bool found;
	int err;

	if (is_tracepoint) {
		if (tracefs_find(root, tracefs, sizeof(tracefs)))
			return true;
		err = catalog_tracepoints(root, tracefs, event, &c);
	} else {
		snprintf(word, sizeof(word), "kprobe:%s", strchr(event, ':') + 1);
		err = catalog_functions(root, word, &c);
	}
	found = err || c.nr;
	catalog_exit(&c);
	return found;
}

static bool is_there(const char *root, const char *event, uint64_t kinds)
{
	const size_t len = strcspn(event, ":");
	char kind[32];

	snprintf(kind, sizeof(kind), "%.*s", (int)len, event);
	if (!(kinds >> profile_event_kind(kind) & 1))
		return false;
	return (strncmp(event, "kretprobe:", 10) && strncmp(event, "tracepoint:", 11)) || is_listed(root, event);
}

/* Return: the first event that is not there, to be freed; NULL if all are */
static char *missing(const char *root, const char *events, uint64_t kinds)
{
	char *copy = strdup(events), *rest = copy, *event, *first = NULL;

	while (copy && !first && (event = strsep(&rest, ",")))
		if (!is_there(root, event, kinds))
			first = strdup(event);
	free(copy);
	return first;
}

size_t list_presets(const char *root, const char *pattern, uint64_t kinds)
{
	size_t nr = 0;

	for (const struct preset_text *t = preset_texts; t->option; t++) {
		char *lacks;

		if (pattern && !strstr(t->option, pattern))
			continue;
		lacks = missing(root, t->events, kinds);
		if (lacks)
			printf("%-32s not available: this kernel or this module has no %s\n", t->option, lacks);
		else
			printf("%-32s %s\n", t->option, t->what);
		free(lacks);
		nr++;
	}
	return nr;
}
