/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture_options.h - options of whatever draws a flame graph: what it looks like
 */
#ifndef KFLAME_CMD_PICTURE_OPTIONS_H
#define KFLAME_CMD_PICTURE_OPTIONS_H

#include <argp.h>

#include "views/flame.h"

/* What is drawn if nothing was said; the rest is 0 */
#define PICTURE_DEFAULTS	.unit = TREE_SAMPLES, .width = 1200, .min_width = 10, .frames = FLAME_FRAMES, .row = FLAME_ROW

/* Its input is a struct flame_options; of .title and .subtitle NULL says that nothing was said */
extern const struct argp picture_argp;

#endif
