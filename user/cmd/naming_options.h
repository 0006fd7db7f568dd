/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naming_options.h - options of every view: how to find and show names
 */
#ifndef KFLAME_CMD_NAMING_OPTIONS_H
#define KFLAME_CMD_NAMING_OPTIONS_H

#include <argp.h>

#include "profile/profile.h"
#include "stacks/open.h"

/*
 * A child for a command's struct argp.  Its input is a struct naming. The command's parser sets
 * it at ARGP_KEY_INIT, in state->child_inputs[0].
 */
extern const struct argp naming_argp;

/* The same without --root */
extern const struct argp naming_rootless_argp;

/**
 * naming_refuse() - ends the program if an option was given that needs a profile
 *
 * Folded stacks already have their names. They have neither addresses to find other names by, nor times.
 */
void naming_refuse(const struct naming *n, struct argp_state *state);

/** naming_use_wall() - the option --wall: show the timer's samples and the waits together, by state */
void naming_use_wall(struct naming *n);

/** naming_check_root() - ends the program if @dir, of the option @option, is no copy of a root or unpacked archive */
void naming_check_root(const char *option, const char *dir, struct argp_state *state);

/** naming_take_symbols() - the option --symbols; a wrong directory ends the program.  Return: 0 */
error_t naming_take_symbols(struct naming *n, char *arg, struct argp_state *state);

/* Only this child */
extern const struct argp_child naming_children[];

#endif
