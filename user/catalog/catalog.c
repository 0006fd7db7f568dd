// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * catalog.c - a sorted list of events
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "catalog/catalog.h"
#include "catalog/pattern.h"
#include "uapi/kflame.h"

static void free_entry(const struct catalog_entry *e)
{
	free(e->word);
	free(e->module);
}

void catalog_exit(struct catalog *c)
{
	for (size_t i = 0; i < c->nr; i++)
		free_entry(&c->all[i]);
	free(c->all);
	memset(c, 0, sizeof(*c));
}

/* Would -e take it? A comma ends an event of a list */
static bool is_plain(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if (*text <= ' ' || *text >= 127 || *text == ',' || *text == '/')
			return false;
	return true;
}

int catalog_add(struct catalog *c, const char *kind, const char *name, const char *pattern, const char *module)
{
	char word[KFLAME_EVENT_NAME];
	struct catalog_entry e = { 0 };
	int err;

	if ((size_t)snprintf(word, sizeof(word), "%s:%s", kind, name) >= sizeof(word))
		return 0;
	if (!is_plain(name) || (module && !is_plain(module)) || !pattern_matches(pattern, word))
		return 0;
	err = grow(&c->all, c->nr, &c->cap, sizeof(*c->all));
	if (err)
		return err;
	e.word = strdup(word);
	e.module = module ? strdup(module) : NULL;
	if (!e.word || (module && !e.module)) {
		free_entry(&e);
		return -ENOMEM;
	}
	c->all[c->nr++] = e;
	return 0;
}

/* Of equal words, that of the kernel is first. The kernel also finds it first. */
static int by_word(const void *a, const void *b)
{
	const struct catalog_entry *x = a, *y = b;
	int order = strcmp(x->word, y->word);

	if (order)
		return order;
	if (!x->module || !y->module)
		return !!x->module - !!y->module;
	return strcmp(x->module, y->module);
}

void catalog_sort(struct catalog *c)
{
	size_t to = 0;

	if (c->nr)
		qsort(c->all, c->nr, sizeof(*c->all), by_word);
	for (size_t i = 0; i < c->nr; i++) {
		if (to && !strcmp(c->all[to - 1].word, c->all[i].word))
			free_entry(&c->all[i]);
		else
			c->all[to++] = c->all[i];
	}
	c->nr = to;
}

static int compare_word(const void *key, const void *entry)
{
	return strcmp(key, ((const struct catalog_entry *)entry)->word);
}

bool catalog_has(const struct catalog *c, const char *word)
{
	return c->nr && bsearch(word, c->all, c->nr, sizeof(*c->all), compare_word);
}
