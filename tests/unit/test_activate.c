// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_activate.c - --activate and --freeze of kflame record
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "parse_record.h"
#include "record/activate.h"
#include "run_command.h"

static void a_time_after_a_slash(void **state)
{
	static const char *const wrong[] = { "", "/", "10s", "/10", "/s", "/-1s", "/0s", "/999us", "/86401s", "/10s/", "//10s" };
	uint64_t ns = 0;

	(void)state;
	assert_int_equal(activate_parse("/10s", &ns), 0);
	assert_int_equal(ns, 10 * NS_PER_S);
	assert_int_equal(activate_parse("/1ms", &ns), 0);
	assert_int_equal(ns, 1000000);
	assert_int_equal(activate_parse("/86400s", &ns), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(activate_parse(wrong[i], &ns), -EINVAL);
}

/* Hosts that ask at different times of one period begin together, and never in the past */
static void hosts_begin_together(void **state)
{
	const uint64_t day = 1764460800 * NS_PER_S, ten = 10 * NS_PER_S;

	(void)state;
	assert_int_equal(activate_next(day, ten), day + ten);
	assert_int_equal(activate_next(day + 1, ten), day + ten);
	assert_int_equal(activate_next(day + ten - 1, ten), day + ten);
	assert_int_equal(activate_next(day + ten, ten), day + 2 * ten);
}

/* It returns after the instant, not before */
static void waits(void **state)
{
	const uint64_t every = 200000000, before = clock_ns(CLOCK_REALTIME);

	(void)state;
	assert_int_equal(activate_wait(0), 0);
	assert_int_equal(activate_wait(every), 0);
	assert_true(clock_ns(CLOCK_REALTIME) >= activate_next(before, every));
}

static void options(void **state)
{
	(void)state;
	assert_refused(parse_record, "--activate=10s", "--activate 10s: write a slash");
	assert_refused(parse_record, "--freeze", "--freeze: no event but cpu-clock is recorded");
	assert_refused(parse_record, "--freeze -e cpu-clock", "--freeze: no event but cpu-clock is recorded");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_after_a_slash),
		cmocka_unit_test(hosts_begin_together),
		cmocka_unit_test(waits),
		cmocka_unit_test(options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
