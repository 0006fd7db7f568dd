// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_where.c - any text as the expression of --where, and any name as one of a spool directory
 *
 * Beyond not crashing: what is in "not ( )" is the opposite, and an error says where it is.
 */
#include "fuzz.h"
#include "store/find_profiles.h"
#include "store/where.h"

static const char *value(const void *ctx, const char *name)
{
	(void)ctx;
	return name[0] == 'h' ? "web1" : name[0] == 's' ? "" : NULL;
}

static void check(const char *text)
{
	char why[100] = "", *opposite;
	struct where *w = where_parse(text, why, sizeof(why)), *other;

	if (!w) {
		MUST(!strncmp(why, "at character ", 13));
		return;
	}
	MUST(asprintf(&opposite, "not (%s)", text) > 0);
	other = where_parse(opposite, why, sizeof(why));
	/* It may be nested too deep, or too long. */
	MUST(!other || where_matches(w, value, NULL) != where_matches(other, value, NULL));
	where_destroy(other);
	free(opposite);
	where_destroy(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct found_profile f;

	MUST(text);
	memcpy(text, data, size);
	text[size] = 0;
	check(text);
	f = (struct found_profile){ .path = text };
	if (found_profile_parse(&f))
		MUST(f.host_len && f.id_len > f.host_len && f.host > text && f.start_ns % 1000000000 == 0);
	free(text);
	return 0;
}
