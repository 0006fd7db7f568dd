/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range_options.h - options of every view: which part of the recording to show
 */
#ifndef KFLAME_CMD_RANGE_OPTIONS_H
#define KFLAME_CMD_RANGE_OPTIONS_H

#include <argp.h>

#include "profile/profile.h"

/*
 * A child for a command's struct argp: --from and --to.  Its input is a struct profile_range. The
 * command's parser sets it at ARGP_KEY_INIT.
 */
extern const struct argp range_argp;

/**
 * range_bound_parse() - parses "12.5", "12.5s", "300ms", "1m" or "1h" since the start; or "50%", a
 * share of the recording from 0 to 100
 *
 * Return: whether the text is valid.
 */
bool range_bound_parse(const char *text, struct profile_bound *b);

/** range_take() - handles the argument of @option; a wrong one ends the program by argp_error() */
void range_take(struct profile_bound *b, const char *option, const char *arg,
		struct argp_state *state);

#endif
