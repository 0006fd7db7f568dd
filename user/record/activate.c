// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * activate.c - begin at an instant of the wall clock, see activate.h
 */
#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "base/signals.h"
#include "record/activate.h"
#include "record/options.h"

#define SHORTEST_NS	1000000ULL
#define LONGEST_NS	(24 * 3600 * NS_PER_S)

int activate_parse(const char *text, uint64_t *every_ns)
{
	if (text[0] != '/' || parse_length(text + 1, every_ns) || *every_ns < SHORTEST_NS || *every_ns > LONGEST_NS)
		return -EINVAL;
	return 0;
}

uint64_t activate_next(uint64_t now, uint64_t every_ns)
{
	return (now / every_ns + 1) * every_ns;
}

/* A signal may come just before the sleep.  So no sleep is longer than a second. */
static void sleep_until(uint64_t at)
{
	const uint64_t soon = clock_ns(CLOCK_REALTIME) + NS_PER_S, until = at < soon ? at : soon;
	const struct timespec time = { .tv_sec = (time_t)(until / NS_PER_S), .tv_nsec = (long)(until % NS_PER_S) };

	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL);
}

int activate_wait(uint64_t every_ns)
{
	uint64_t at;

	if (!every_ns)
		return 0;
	at = activate_next(clock_ns(CLOCK_REALTIME), every_ns);
	while (clock_ns(CLOCK_REALTIME) < at) {
		if (signals_end())
			return -1;
		sleep_until(at);
	}
	return 0;
}
