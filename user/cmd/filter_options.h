/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_options.h - options of views: which stacks to show
 */
#ifndef KFLAME_CMD_FILTER_OPTIONS_H
#define KFLAME_CMD_FILTER_OPTIONS_H

#include <argp.h>

#include "stacks/filter.h"
#include "stacks/open.h"

/*
 * Children for a command's struct argp: options for stacks, and for names.  At ARGP_KEY_INIT, the command's
 * parser sets their inputs: state->child_inputs[0] is a struct filter **, [1] a struct naming, [2] its
 * range. The first filter option creates the filter; before, the pointer is NULL. The command frees it.
 */
extern const struct argp_child view_children[];

/* Only the first of these children; its input is the struct filter ** */
extern const struct argp filter_argp;

#endif
