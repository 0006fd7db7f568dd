/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * info.h - what a profile holds, for people and for programs
 */
#ifndef KFLAME_VIEWS_INFO_H
#define KFLAME_VIEWS_INFO_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"

/**
 * info_print() - prints it for people
 * @each_cpu:	each CPU's books, however many there are
 * @packages:	see unnamed_print()
 *
 * Return: how many of the books are off, which is printed.
 */
unsigned int info_print(FILE *out, const struct profile *p, bool each_cpu, bool packages);

/**
 * info_print_raw() - prints it as key=value lines, see kflame-info(1)
 *
 * Return: how many of the books are off.
 */
unsigned int info_print_raw(FILE *out, const struct profile *p);

/**
 * info_print_cgroups() - samples by cgroup, where there are several
 *
 * Return: 0 or -ENOMEM.
 */
int info_print_cgroups(FILE *out, const struct profile *p);

/** info_print_unwinding() - how user stacks were found */
void info_print_unwinding(FILE *out, const struct profile *p);

/** info_end_words() - Return: why a walk ended (KFLAME_END_*), in words; never NULL */
const char *info_end_words(uint32_t end);

/** info_named_words() - Return: KFLAME_NAMED_* in words; never NULL */
const char *info_named_words(const struct profile_file *f);

/** struct info_end - stacks and samples by why their walk ended */
struct info_end {
	uint64_t stacks;
	uint64_t samples;
};

#define INFO_ENDS	32	/* KFLAME_END_*, and room for what later modules say */

/** info_ends() - fills in @ends[INFO_ENDS], of the stacks of one kind */
void info_ends(const struct profile *p, uint32_t kind, struct info_end *ends);

#endif
