/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_timeline.h - kflame flame --chart and --heatmap: a profile by time, as an SVG
 */
#ifndef KFLAME_CMD_FLAME_TIMELINE_H
#define KFLAME_CMD_FLAME_TIMELINE_H

#include "cmd/flame_command.h"

/**
 * flame_timeline() - draws what @c asks for
 * @status:	what to exit with when all went well
 *
 * Return: 0 or a negative errno, after an error message.
 */
int flame_timeline(struct flame_command *c, int *status);

#endif
