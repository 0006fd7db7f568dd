/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture_options.h - options of all commands that draw a flame graph: its appearance
 */
#ifndef KFLAME_CMD_PICTURE_OPTIONS_H
#define KFLAME_CMD_PICTURE_OPTIONS_H

#include <argp.h>

#include "views/flame.h"

/* The defaults; all other members are 0 */
#define PICTURE_DEFAULTS	.unit = TREE_BY_EVENT, .width = 1200, .min_width = 10, .frames = FLAME_FRAMES, .row = FLAME_ROW

/* Its input is a struct flame_options; .title and .subtitle stay NULL without their options */
extern const struct argp picture_argp;

#endif
