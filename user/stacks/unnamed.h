/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unnamed.h - the report on frames without a name: how many samples, why, and what would help
 */
#ifndef KFLAME_STACKS_UNNAMED_H
#define KFLAME_STACKS_UNNAMED_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"

/**
 * unnamed_foreign() - does the profile need a copy of the recorded machine's root to name user functions?
 *
 * That is so if its machine has another architecture than this one, and none of its files was found.
 *
 * Return: the architecture, such as "arm64"; NULL if it does not.
 */
const char *unnamed_foreign(const struct profile *p);

/**
 * unnamed_print() - prints a table by reason and file, the most samples first
 * @out:	receives nothing if every frame has a name. If unnamed_foreign() has an answer, frames of files are
 *		left out
 * @packages:	find the packages with the symbols, for a profile of this machine.  That takes part of a
 *		second for each file, more if the disk is slow
 *
 * Return: 0 or -ENOMEM.
 */
int unnamed_print(FILE *out, const struct profile *p, bool packages);

#endif
