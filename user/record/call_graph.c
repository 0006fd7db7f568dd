// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_graph.c - option -g of record: how user stacks are unwound
 */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "record/call_graph.h"
#include "uapi/kflame.h"

/* "dwarf" means the module's unwind tables.  In perf, the same word means stack copies */
static const struct way {
	const char *name;
	uint32_t uway, dump;
} ways[] = {
	{ "auto", KFLAME_UWAY_AUTO, KFLAME_DUMP_NONE },
	{ "fp", KFLAME_UWAY_FP, KFLAME_DUMP_NONE },
	{ "dwarf,dump", KFLAME_UWAY_TABLE, KFLAME_DUMP_REST },
	{ "dwarf,both", KFLAME_UWAY_TABLE, KFLAME_DUMP_BOTH },
	{ "dwarf", KFLAME_UWAY_TABLE, KFLAME_DUMP_NONE },
	{ "dump", KFLAME_UWAY_FP, KFLAME_DUMP_ALL },
};

/* Parses a size such as "16384" or "16K".  Return: 0 or -ERANGE */
static int take_bytes(const char *text, uint32_t *bytes)
{
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -ERANGE;
	errno = 0;
	n = strtoul(text, &end, 10);
	if (*end == 'K' || *end == 'k') {
		end++;
		n = n > KFLAME_DUMP_MAX ? n : n << 10;
	}
	if (errno || *end || !n || n % 8 || n > KFLAME_DUMP_MAX)
		return -ERANGE;
	*bytes = (uint32_t)n;
	return 0;
}

int call_graph_parse(const char *text, struct call_graph *out)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		size_t len = strlen(ways[i].name);

		if (strncmp(text, ways[i].name, len) || (text[len] && text[len] != ','))
			continue;
		*out = (struct call_graph){ ways[i].uway, ways[i].dump, 0, true };
		if (!text[len])
			return 0;
		return ways[i].dump ? take_bytes(text + len + 1, &out->dump_bytes) : -EINVAL;
	}
	return -EINVAL;
}
