// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * brief.c - shortens names by their template arguments
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "views/brief.h"

static const char dots[] = "...";

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Does the "<" at @at begin arguments?  It may be part of operator<, or of no name */
static bool begins(const char *name, const char *at)
{
	static const char word[] = "operator";
	size_t len = sizeof(word) - 1, before = (size_t)(at - name);

	return before && is_word(at[-1]) && (before < len || memcmp(at - len, word, len));
}

/* Return: the ">" that closes the "<" at @at; NULL for none */
static const char *end_of(const char *at)
{
	unsigned int depth = 0;

	for (; *at; at++) {
		if (*at == '<')
			depth++;
		/* The ">" of "->" closes nothing */
		else if (*at == '>' && at[-1] != '-' && !--depth)
			return at;
	}
	return NULL;
}

static size_t letters(const char *from, const char *to)
{
	size_t nr = 0;

	for (; from < to; from++)
		nr += ((unsigned char)*from & 0xc0) != 0x80;
	return nr;
}

char *brief_name(const char *name)
{
	char *brief = malloc(strlen(name) + 1), *to = brief;
	bool shorter = false;

	if (!brief)
		return NULL;
	for (const char *at = name; *at; at++) {
		const char *end;

		*to++ = *at;
		if (*at != '<' || !begins(name, at))
			continue;
		end = end_of(at);
		if (!end) {
			/* Stop here: to search the end for each further "<" takes long */
			shorter = false;
			break;
		}
		if (letters(at + 1, end) < sizeof(dots))
			continue;
		memcpy(to, dots, sizeof(dots) - 1);
		to += sizeof(dots) - 1;
		at = end - 1;
		shorter = true;
	}
	*to = 0;
	if (shorter)
		return brief;
	free(brief);
	return NULL;
}
