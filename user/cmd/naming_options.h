/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naming_options.h - options of every view: how names are found and shown
 */
#ifndef KFLAME_CMD_NAMING_OPTIONS_H
#define KFLAME_CMD_NAMING_OPTIONS_H

#include <argp.h>

#include "profile/profile.h"
#include "stacks/open.h"

/*
 * A child for a command's struct argp.  Its input is a struct naming, which the
 * command's parser gives it at ARGP_KEY_INIT: state->child_inputs[0].
 */
extern const struct argp naming_argp;

/**
 * naming_refuse() - ends the program where an option was given that needs a profile
 *
 * Other input (folded stacks) has its names, nothing to find others by, and no times.
 */
void naming_refuse(const struct naming *n, struct argp_state *state);

/* It alone */
extern const struct argp_child naming_children[];

#endif
