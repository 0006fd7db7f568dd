// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_where.c - the language of --where
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/where.h"

/* host is web1, service is "a b", zone is not known */
static const char *value(const void *ctx, const char *name)
{
	(void)ctx;
	return !strcmp(name, "host") ? "web1" : !strcmp(name, "service") ? "a b" : NULL;
}

static void assert_passes(const char *text, bool expected)
{
	char why[200] = "";
	struct where *w = where_parse(text, why, sizeof(why));

	if (!w)
		fail_msg("%s: %s", text, why);
	if (where_matches(w, value, NULL) != expected)
		fail_msg("%s: is not %d", text, expected);
	where_destroy(w);
}

static void tests_have_values(void **state)
{
	(void)state;
	assert_passes("host = web1", true);
	assert_passes("host='web1'", true);
	assert_passes("host=\"web\\1\"", true);
	assert_passes("host=web", false);
	assert_passes("host!=web", true);
	assert_passes("host != web1", false);
	assert_passes("service = \"a b\"", true);
	assert_passes("host in (web2, web1)", true);
	assert_passes("host in (web2)", false);
	assert_passes("host IN(\"web1\")", true);
	/* Words are words only where a word of the language may be. */
	assert_passes("like like in", false);
	assert_passes("in in (in) or and = and or or != or", true);
	assert_true(where_matches(NULL, value, NULL));
}

static void unknown_names_pass_only_differs(void **state)
{
	(void)state;
	assert_passes("zone = x", false);
	assert_passes("zone like \"%\"", false);
	assert_passes("zone in (x)", false);
	assert_passes("zone != x", true);
	assert_passes("not zone = x", true);
}

static void patterns_match(void **state)
{
	static const struct {
		const char *pattern;
		bool matches;
	} all[] = {
		{ "%", true }, { "", false }, { "web1", true }, { "web_", true }, { "web__", false }, { "w%1", true },
		{ "%1", true }, { "%w%e%b%1%", true }, { "%2", false }, { "web1%", true }, { "%web", false },
		{ "%b1", true }, { "%%%%", true }, { "_%_", true },
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(text, sizeof(text), "host like \"%s\"", all[i].pattern);
		assert_passes(text, all[i].matches);
	}
}

static void not_binds_before_and_before_or(void **state)
{
	(void)state;
	assert_passes("host=web1 or host=x and host=y", true);
	assert_passes("(host=web1 or host=x) and host=y", false);
	assert_passes("not host=x and host=web1", true);
	assert_passes("not (host=x or host=web1)", false);
	assert_passes("not not host=web1", true);
	assert_passes("NOT host=x AND(host=y)OR host=web1", true);
	assert_passes("host=x and host=web1 or host=web1 and not host=x", true);
}

static void assert_fails(const char *text, size_t at, const char *what)
{
	char why[200] = "", begin[40];
	struct where *w = where_parse(text, why, sizeof(why));

	assert_null(w);
	snprintf(begin, sizeof(begin), "at character %zu: ", at);
	if (strncmp(why, begin, strlen(begin)) || !strstr(why, what))
		fail_msg("%s: %s", text, why);
}

static void errors_have_a_position(void **state)
{
	char deep[400], *end = deep;

	(void)state;
	assert_fails("", 1, "a test is missing");
	assert_fails("host", 5, "comes =, !=, like or in");
	assert_fails("host web1", 6, "comes =");
	assert_fails("host =", 7, "a value is missing");
	assert_fails("host = \"web1", 13, "not closed");
	assert_fails("host in web1", 9, "after in comes a list");
	assert_fails("host in (a,", 12, "a value is missing");
	assert_fails("host in (a b)", 12, "ends with )");
	assert_fails("(host=a", 8, "a ) is missing");
	assert_fails("host=a)", 7, "after a test comes");
	assert_fails("host=a host=b", 8, "after a test comes");
	assert_fails("host=a and", 11, "a test is missing");
	assert_fails("host=a andhost=b", 8, "after a test comes");
	for (int i = 0; i < 65; i++)
		end += sprintf(end, "not ");
	assert_fails(deep, 256, "nested too deep");
	strcpy(deep + 63 * 4, "host=a");
	assert_passes(deep, true);
}

/* A long list of hosts, as a script makes it */
static void long_expressions_are_read(void **state)
{
	char *text = malloc(60000), *end = text;

	(void)state;
	end += sprintf(end, "host=web1");
	for (int i = 0; i < 5000; i++)
		end += sprintf(end, " or zone=x");
	assert_passes(text, true);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tests_have_values),
		cmocka_unit_test(unknown_names_pass_only_differs),
		cmocka_unit_test(patterns_match),
		cmocka_unit_test(not_binds_before_and_before_or),
		cmocka_unit_test(errors_have_a_position),
		cmocka_unit_test(long_expressions_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
