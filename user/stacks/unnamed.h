/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unnamed.h - the frames that have no name: how many samples, why, and what would help
 */
#ifndef KFLAME_STACKS_UNNAMED_H
#define KFLAME_STACKS_UNNAMED_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"

/**
 * unnamed_print() - a table of them, by reason and file, the most samples first
 * @out:	gets nothing where every frame has a name
 * @packages:	ask which packages have the symbols, for a profile of this machine; it
 *		takes part of a second for each file, more where the disk is slow
 *
 * Return: 0 or -ENOMEM.
 */
int unnamed_print(FILE *out, const struct profile *p, bool packages);

#endif
