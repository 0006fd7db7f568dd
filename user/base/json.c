// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json.c - write JSON (RFC 8259), see json.h
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/text.h"

void json_string(FILE *out, const char *s)
{
	putc('"', out);
	while (*s) {
		uint32_t c = text_next(&s);

		if (c == '"' || c == '\\')
			putc('\\', out);
		if (c == '<')
			fputs("\\u003c", out);
		else
			text_put_char(out, c);
	}
	putc('"', out);
}

void json_milli(FILE *out, uint64_t n)
{
	fprintf(out, "%" PRIu64 ".%03u", n / 1000, (unsigned int)(n % 1000));
}

void json_begin(struct json *j, FILE *out)
{
	*j = (struct json){ .out = out };
	putc('{', out);
}

int json_end(struct json *j)
{
	fputs("\n}\n", j->out);
	return j->err;
}

/* Write a value and free it */
static void put(struct json *j, struct json_object *value)
{
	const char *text = NULL;

	if (value)
		text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN |
						      JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		fputs(text, j->out);
	else
		j->err = -ENOMEM;
	json_object_put(value);
}

/* Write the separator before a member or a row */
static void separate(struct json *j)
{
	fputs(j->comma ? ",\n" : "\n", j->out);
	j->comma = true;
}

void json_member(struct json *j, const char *key, struct json_object *value)
{
	separate(j);
	fprintf(j->out, "\"%s\": ", key);
	put(j, value);
}

void json_list(struct json *j, const char *key)
{
	separate(j);
	fprintf(j->out, "\"%s\": [", key);
	j->comma = false;
}

void json_row(struct json *j, struct json_object *row)
{
	separate(j);
	put(j, row);
}

void json_list_end(struct json *j)
{
	fputs("\n]", j->out);
	j->comma = true;
}

void json_add(struct json *j, struct json_object *to, const char *key, struct json_object *value)
{
	if (value && to && !json_object_object_add(to, key, value))
		return;
	json_object_put(value);
	j->err = -ENOMEM;
}

void json_add_count(struct json *j, struct json_object *to, const char *key, uint64_t n)
{
	json_add(j, to, key, json_object_new_uint64(n));
}

void json_add_text(struct json *j, struct json_object *to, const char *key, const char *s)
{
	char *clean;

	if (!s) {
		/* json-c represents JSON null as NULL, so NULL is no failure here */
		if (!to || json_object_object_add(to, key, NULL))
			j->err = -ENOMEM;
		return;
	}
	clean = text_clean(s);
	json_add(j, to, key, clean ? json_object_new_string(clean) : NULL);
	free(clean);
}
