// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_nested_calls.c - when a call began that returns, also if calls nest, jump, or are left by longjmp()
 *
 * The module's own arithmetic (kmod/source/nested_calls.h). Stack pointers and times are small numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/compiler.h>

#include "../../kmod/source/nested_calls.h"

static void recursion(void **state)
{
	struct kf_nested_calls c = { 0 };

	(void)state;
	for (u32 depth = 0; depth < KF_MOST_NESTED; depth++)
		assert_true(kf_nested_begin(&c, 10000 - 16 * depth, 1 + depth));
	assert_false(kf_nested_begin(&c, 10000 - 16 * KF_MOST_NESTED, 1000));
	for (u32 depth = KF_MOST_NESTED; depth-- > 0;)
		assert_int_equal(kf_nested_end(&c, 10000 - 16 * depth), 1 + depth);
	assert_int_equal(kf_nested_end(&c, 10000), 0);
}

/* A call that was jumped to has the stack pointer of its caller, and returns before it. */
static void jumps(void **state)
{
	struct kf_nested_calls c = { 0 };

	(void)state;
	assert_true(kf_nested_begin(&c, 100, 1));
	assert_true(kf_nested_begin(&c, 100, 2));
	assert_int_equal(kf_nested_end(&c, 100), 2);
	assert_int_equal(kf_nested_end(&c, 100), 1);
	assert_int_equal(kf_nested_end(&c, 100), 0);
}

static void left_by_longjmp(void **state)
{
	struct kf_nested_calls c = { 0 };

	(void)state;
	assert_true(kf_nested_begin(&c, 200, 1));
	for (u64 now = 2; now < 10000; now++) {
		/* Left at once, and at a place that changes */
		assert_true(kf_nested_begin(&c, 100, now));
		assert_true(kf_nested_begin(&c, 50 + now % 7, now));
	}
	assert_true(kf_nested_begin(&c, 100, 10001));
	assert_int_equal(kf_nested_end(&c, 100), 10001);
	assert_int_equal(kf_nested_end(&c, 200), 1);
}

/* A child of fork() returns from a call of its parent. */
static void unknown(void **state)
{
	struct kf_nested_calls c = { 0 };

	(void)state;
	assert_int_equal(kf_nested_end(&c, 100), 0);
	assert_true(kf_nested_begin(&c, 100, 1));
	assert_int_equal(kf_nested_end(&c, 80), 0);
	assert_int_equal(kf_nested_end(&c, 100), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion),
		cmocka_unit_test(jumps),
		cmocka_unit_test(left_by_longjmp),
		cmocka_unit_test(unknown),
	};

	return cmocka_run_group_tests_name("nested_calls", tests, NULL, NULL);
}
