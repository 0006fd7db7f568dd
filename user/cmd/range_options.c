// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * range_options.c - options of every view: which part of the recording to show
 */
#include <string.h>
#include <time.h>

#include "cmd/range_options.h"

#define MAX_SECONDS	(100ull * 365 * 86400)

enum { OPT_FROM = 0x5000, OPT_TO };

static const struct argp_option option_list[] = {
	{ "from", OPT_FROM, "TIME", OPTION_HIDDEN, "Only from this time on, as 12.5, 1m or 50%", 0 },
	{ "to", OPT_TO, "TIME", OPTION_HIDDEN, "Only before this time", 0 },
	{ 0 }
};

/* Factors of units: nanoseconds, or millionths of the recording */
static const struct {
	const char *word;
	uint64_t ns;
} units[] = {
	{ "", 1000000000 }, { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 },
	{ "m", 60000000000 }, { "h", 3600000000000 }, { "%", 10000 },
};

/* Without floating point: its decimal separator depends on the locale */
bool range_bound_parse(const char *text, struct profile_bound *b)
{
	uint64_t whole = 0, fraction = 0, unit = 1, ns = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9' && whole < MAX_SECONDS; p++)
		whole = whole * 10 + (uint64_t)(*p - '0');
	if (p == text)
		return false;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++)
			if (unit < 1000000000) {
				fraction = fraction * 10 + (uint64_t)(*p - '0');
				unit *= 10;
			}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(p, units[i].word))
			ns = units[i].ns;
	if (!ns || whole > MAX_SECONDS * 1000000000 / ns)
		return false;
	/* fraction < unit <= 1e9, ns <= 3.6e12: the product fits */
	*b = (struct profile_bound){
		.is_set = true, .is_share = *p == '%', .ns = whole * ns + fraction * ns / unit,
	};
	return !b->is_share || b->ns <= PROFILE_SHARE_ALL;
}

/* A time of the clock: UTC if it ends in Z, else local time */
static bool parse_clock(const char *text, struct profile_bound *b)
{
	static const char *const forms[] = {
		"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y%m%dT%H%M%S",
		"%Y-%m-%d",
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm tm = { .tm_isdst = -1 };
		const char *end = strptime(text, forms[i], &tm);
		time_t at = -1;

		if (end && !strcmp(end, "Z"))
			at = timegm(&tm);
		else if (end && !*end)
			at = mktime(&tm);
		if (at < 0 || (uint64_t)at > UINT64_MAX / 1000000000)
			continue;
		*b = (struct profile_bound){ .is_set = true, .is_clock = true, .ns = (uint64_t)at * 1000000000 };
		return true;
	}
	return false;
}

void range_take(struct profile_bound *b, const char *option, const char *arg,
		struct argp_state *state)
{
	if (!range_bound_parse(arg, b) && !parse_clock(arg, b))
		argp_error(state, "%s %s: this is no time since the start, such as 12.5, 300ms, 1m or 50%%, and no time of the clock, such as 2026-11-30T08:45Z",
			   option, arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct profile_range *r = state->input;

	switch (key) {
	case OPT_FROM:
		range_take(&r->from, "--from", arg, state);
		return 0;
	case OPT_TO:
		range_take(&r->to, "--to", arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp range_argp = { .options = option_list, .parser = parse_option };
