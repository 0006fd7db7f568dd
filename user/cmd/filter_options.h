/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_options.h - options of views: which stacks are shown
 */
#ifndef KFLAME_CMD_FILTER_OPTIONS_H
#define KFLAME_CMD_FILTER_OPTIONS_H

#include <argp.h>

#include "stacks/filter.h"
#include "stacks/open.h"

/*
 * Children for a command's struct argp: which stacks, and their names.  Its parser gives at
 * ARGP_KEY_INIT state->child_inputs[0], a struct filter ** to NULL, which gets a filter at the
 * first option (the command frees it), [1], a struct naming, and [2], its range.
 */
extern const struct argp_child view_children[];

/* The first of them alone; its input is the struct filter ** */
extern const struct argp filter_argp;

#endif
