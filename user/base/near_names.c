// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * near_names.c - the names that are most like one that was not found
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/near_names.h"

/* Levenshtein's distance: how many characters have to be changed, added or removed. @b is shorter than @row. */
static uint32_t distance(const char *a, const char *b)
{
	const size_t len = strlen(b);
	uint32_t row[NEAR_NAMES_BYTES];

	for (uint32_t j = 0; j <= len; j++)
		row[j] = j;
	for (uint32_t i = 0; a[i]; i++) {
		uint32_t corner = row[0];

		row[0] = i + 1;
		for (uint32_t j = 0; j < len; j++) {
			uint32_t least = corner + (a[i] != b[j]);

			corner = row[j + 1];
			if (corner + 1 < least)
				least = corner + 1;
			if (row[j] + 1 < least)
				least = row[j] + 1;
			row[j + 1] = least;
		}
	}
	return row[len];
}

static bool is_kept(const struct near_names *n, const char *name)
{
	for (uint32_t i = 0; i < n->nr; i++)
		if (!strcmp(n->name[i], name))
			return true;
	return false;
}

void near_names_offer(struct near_names *n, const char *wanted, const char *name)
{
	const size_t len = strnlen(name, NEAR_NAMES_BYTES), asked = strnlen(wanted, NEAR_NAMES_BYTES);
	const size_t most = asked / 3 + 1;	/* a name of which more differs is no help */
	uint32_t cost, at = 0;

	if (!asked || len >= NEAR_NAMES_BYTES || asked >= NEAR_NAMES_BYTES)
		return;
	if (asked > 2 && strstr(name, wanted))
		cost = 1 + (uint32_t)(len - asked) / 8;
	else if (len > asked + most || asked > len + most || (cost = distance(wanted, name)) > most)
		return;
	while (at < n->nr && n->cost[at] <= cost)
		at++;
	if (at == NEAR_NAMES || is_kept(n, name))
		return;
	if (n->nr < NEAR_NAMES)
		n->nr++;
	memmove(n->name[at + 1], n->name[at], (n->nr - 1 - at) * NEAR_NAMES_BYTES);
	memmove(&n->cost[at + 1], &n->cost[at], (n->nr - 1 - at) * sizeof(n->cost[0]));
	memcpy(n->name[at], name, len + 1);
	n->cost[at] = cost;
}

const char *near_names_text(const struct near_names *n, char *text, size_t size)
{
	size_t len = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < n->nr && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s", i ? ", " : "", n->name[i]);
	return text;
}
