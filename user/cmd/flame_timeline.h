/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_timeline.h - kflame flame --chart and --heatmap: draws a profile over time as an SVG
 */
#ifndef KFLAME_CMD_FLAME_TIMELINE_H
#define KFLAME_CMD_FLAME_TIMELINE_H

#include "cmd/flame_command.h"

/**
 * flame_timeline() - draws the picture that @c describes
 * @status:	out: exit status of the command, if all goes well
 *
 * Return: 0 or a negative errno, after an error message.
 */
int flame_timeline(struct flame_command *c, int *status);

#endif
