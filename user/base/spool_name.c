// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spool_name.c - the names of profiles in a spool directory
 */
#include <ctype.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/spool_name.h"

#define START_LEN	16	/* of 20261130T084500Z */

/* Return: the length of a name without its ending; 0: it has another ending */
static size_t id_length(const char *name)
{
	static const char *const endings[] = { SPOOL_PACKED, SPOOL_ENDING };
	const size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const size_t end = strlen(endings[i]);

		if (len > end && !strcmp(name + len - end, endings[i]))
			return len - end;
	}
	return 0;
}

static bool parse_start(const char *name, uint64_t *start)
{
	struct tm tm = { 0 };
	const char *end = strptime(name, "%Y%m%dT%H%M%SZ", &tm);
	time_t at;

	if (end != name + START_LEN)
		return false;
	at = timegm(&tm);
	*start = (uint64_t)at;
	/* Nanoseconds since 1970 fit in 64 bits until 2554 */
	return at >= 0 && *start < UINT64_MAX / NS_PER_S;
}

bool spool_name_parse(const char *name, struct spool_name *parts)
{
	const size_t len = id_length(name);
	const char *digits = name + len - SPOOL_DIGITS;

	/* At least one character of a host is between START- and -DIGITS */
	if (len < START_LEN + 1 + 1 + 1 + SPOOL_DIGITS || len >= SPOOL_NAME || name[START_LEN] != '-' || digits[-1] != '-' ||
	    !parse_start(name, &parts->start))
		return false;
	for (int i = 0; i < SPOOL_DIGITS; i++)
		if (!isxdigit((unsigned char)digits[i]))
			return false;
	parts->host = name + START_LEN + 1;
	parts->host_len = (size_t)(digits - 1 - parts->host);
	parts->id_len = len;
	return true;
}
