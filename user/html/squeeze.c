// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * squeeze.c - scripts and style sheets without indentation and comments
 */
#include <stdlib.h>
#include <string.h>

#include "html/squeeze.h"

/* Return: the end of the empty line or the comment at @line; @line if it begins with code */
static const char *skip(const char *line)
{
	const char *text = line + strspn(line, "\t"), *end;

	if (!strncmp(text, "//", 2) || *text == '\n')
		return strchrnul(text, '\n') + (*strchrnul(text, '\n') == '\n');
	if (strncmp(text, "/*", 2))
		return line;
	end = strstr(text, "*/");
	if (!end)
		return line;
	/* Code behind a comment stays, and so does the comment. */
	return end[2] == '\n' ? end + 3 : line;
}

char *squeeze(const char *text)
{
	char *out = malloc(strlen(text) + 1), *to = out;

	if (!out)
		return NULL;
	while (*text) {
		const char *rest = skip(text);
		size_t len;

		if (rest != text) {
			text = rest;
			continue;
		}
		text += strspn(text, "\t");
		len = (size_t)(strchrnul(text, '\n') - text) + 1;
		if (!text[len - 1])
			len--;
		memcpy(to, text, len);
		to += len;
		text += len;
	}
	*to = 0;
	return out;
}
