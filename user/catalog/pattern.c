// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pattern.c - which events a user asked for
 */
#include <fnmatch.h>
#include <string.h>

#include "catalog/pattern.h"

#define SPECIAL	"*?["

bool pattern_is_shell(const char *pattern)
{
	return strpbrk(pattern, SPECIAL) != NULL;
}

bool pattern_matches(const char *pattern, const char *word)
{
	const char *colon = strrchr(word, ':'), *text = word;

	if (!pattern)
		return true;
	if (colon && !strchr(pattern, ':'))
		text = colon + 1;
	return pattern_is_shell(pattern) ? !fnmatch(pattern, text, 0) : strstr(text, pattern) != NULL;
}

bool pattern_may_match(const char *pattern, const char *kind)
{
	static const char *const kinds[] = { "kprobe:", "tracepoint:", "syscall:" };

	for (size_t i = 0; pattern && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(pattern, kinds[i], strlen(kinds[i])))
			return !strncmp(pattern, kind, strlen(kind)) && pattern[strlen(kind)] == ':';
	return true;
}
