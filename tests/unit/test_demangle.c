// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_demangle.c - names as people write them
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/demangle.h"

static void demangled(void **state)
{
	static const char *const pairs[][2] = {
		{ "main", "main" },
		{ "_start", "_start" },
		{ "_Z3fooi", "foo(int)" },
		{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "memcpy@@GLIBC_2.14", "memcpy" },
		{ "foo.isra.0", "foo.isra.0" },
		{ "puts@plt", "puts@plt" },
		{ "_Z3fooi@plt", "foo(int)@plt" },
		{ "_Z3getIiET_S0_", "get<int>(int)" },
		{ "_D3std5stdio7writelnFZv", "std.stdio.writeln()" },
		{ "_D", "_D" },
		/* takes twice as long for each pair of letters more */
		{ "_D1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1a",
		  "_D1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1a" },
		{ "_Dmain_of_something", "_Dmain_of_something" },
		{ "_Z", "_Z" },
		{ "_Znonsense", "_Znonsense" },
		{ "@", "@" },
		{ "", "" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		char *shown = demangle(pairs[i][0]);

		assert_non_null(shown);
		assert_string_equal(shown, pairs[i][1]);
		free(shown);
	}
}

/*
 * Each "S_I..E" is a template of what came before, twice: 24 of them are half a
 * gigabyte, 60 are more than there is memory in the world.  Such a name stays.
 */
static void endless_name(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[1024] = "_Z1f1AIiiE", part[32], *shown;
	(void)state;

	for (int i = 0; i < 60; i++) {
		char number[3] = { digits[i / 36], digits[i % 36], 0 };
		const char *n = i < 36 ? number + 1 : number;

		/* "S0_" is the second thing, "S10_" the one after "SZ_" */
		snprintf(part, sizeof(part), "S_IS%s_S%s_E", n, n);
		strcat(name, part);
	}
	shown = demangle(name);
	assert_string_equal(shown, name);
	free(shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(demangled),
		cmocka_unit_test(endless_name),
	};

	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
