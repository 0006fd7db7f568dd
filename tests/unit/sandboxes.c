// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sandboxes.c - linked with each test: lets the test use sandboxes
 *
 * A sandbox's fork server is this test's program once more, so this runs before main().  A test that has work of
 * its own for sandboxes defines test_works[].
 */
#include "cmd/sandbox_works.h"

extern const struct sandbox_work *const test_works[] __attribute__((weak));

__attribute__((constructor)) static void serve(void)
{
	sandbox_main(test_works ? test_works : sandbox_works);
}
