// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sandboxes.c - linked with each test: lets the test use sandboxes, and runs one case of it
 *
 * A sandbox's fork server is this test's program once more, so this runs before main().  A test that has work of
 * its own for sandboxes defines test_works[].  KFLAME_CASE names the only case to run; * matches any letters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cmd/sandbox_works.h"

extern const struct sandbox_work *const test_works[] __attribute__((weak));

__attribute__((constructor)) static void serve(void)
{
	sandbox_main(test_works ? test_works : sandbox_works);
	if (getenv("KFLAME_CASE"))
		cmocka_set_test_filter(getenv("KFLAME_CASE"));
}
