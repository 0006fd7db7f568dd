/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range_options.h - options of every view: which part of the recording, by time
 */
#ifndef KFLAME_CMD_RANGE_OPTIONS_H
#define KFLAME_CMD_RANGE_OPTIONS_H

#include <argp.h>

#include "profile/profile.h"

/*
 * A child for a command's struct argp: --from and --to.  Its input is a struct profile_range,
 * which the command's parser gives it at ARGP_KEY_INIT.
 */
extern const struct argp range_argp;

/**
 * range_bound_parse() - "12.5", "12.5s", "300ms", "1m", "1h": since the start; "50%": of the
 * recording, 0 to 100
 *
 * Return: whether it is one.
 */
bool range_bound_parse(const char *text, struct profile_bound *b);

/** range_take() - takes the argument of @option; what is wrong ends the program by argp_error() */
void range_take(struct profile_bound *b, const char *option, const char *arg,
		struct argp_state *state);

#endif
