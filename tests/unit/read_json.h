/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read_json.h - reads the JSON document that a command writes
 */
#ifndef KFLAME_READ_JSON_H
#define KFLAME_READ_JSON_H

#include <json-c/json.h>

#include "run_command.h"

/** read_json() - runs "kflame ARGUMENTS --json -o out".  Return: the document, to be freed with json_object_put() */
static inline struct json_object *read_json(int (*cmd)(int, char **), const char *arguments)
{
	struct json_object *o;
	char line[256];

	snprintf(line, sizeof(line), "-o out --json %s", arguments);
	assert_int_equal(run(cmd, line), 0);
	o = json_object_from_file("out");
	if (!o)
		fail_msg("%s", json_util_get_last_err());
	return o;
}

/** get() - Return: a member, which there must be */
static inline struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(o, key, &value))
		fail_msg("there is no \"%s\"", key);
	return value;
}

#endif
