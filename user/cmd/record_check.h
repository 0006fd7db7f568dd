/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_check.h - do the options of kflame record go together?
 */
#ifndef KFLAME_CMD_RECORD_CHECK_H
#define KFLAME_CMD_RECORD_CHECK_H

#include <argp.h>

#include "record/options.h"

/**
 * record_check() - checks the options after all of them were parsed; an error ends the process, after a message
 *
 * Adds the events of --off-cpu and --wall, and sets .min_weight and .max_weight.
 */
void record_check(struct argp_state *state, struct record_options *o);

#endif
