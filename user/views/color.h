/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * color.h - the colour of a frame: its kind gives the family, its name the shade
 *
 * Families differ in lightness as well as in hue, so that they can be told
 * apart with any kind of colour vision: light orange for user code, pale
 * yellow for what was inlined into it, darker blue for the kernel, reddish purple for softirqs, greys for what is no function.
 */
#ifndef KFLAME_VIEWS_COLOR_H
#define KFLAME_VIEWS_COLOR_H

#include <stdint.h>

#include "../stacks.h"

/** color_of() - Return: 0xRRGGBB, always the same for the same kind and name */
uint32_t color_of(const struct frame *f);

/** color_of_kind() - Return: the middle of a family, for legends */
uint32_t color_of_kind(enum frame_kind kind);

#endif
