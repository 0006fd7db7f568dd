/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * info.h - describes the contents of a profile, for people and for programs
 */
#ifndef KFLAME_VIEWS_INFO_H
#define KFLAME_VIEWS_INFO_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"

/**
 * info_print() - prints the description for people
 * @each_cpu:	print the accounting of each CPU, however many there are
 * @packages:	see unnamed_print()
 *
 * Return: how many checks of the accounting fail (books_check()); the output lists them.
 */
unsigned int info_print(FILE *out, const struct profile *p, bool each_cpu, bool packages);

/**
 * info_print_raw() - prints the description as key=value lines, see kflame-info(1)
 *
 * Return: how many checks of the accounting fail, see books_check().
 */
unsigned int info_print_raw(FILE *out, const struct profile *p);

/**
 * info_print_cgroups() - prints the samples of each cgroup, if there are several
 *
 * Return: 0 or -ENOMEM.
 */
int info_print_cgroups(FILE *out, const struct profile *p);

/** info_print_unwinding() - prints how user stacks were unwound */
void info_print_unwinding(FILE *out, const struct profile *p);

/** info_end_words() - Return: why a walk ended (KFLAME_END_*), in words; never NULL */
const char *info_end_words(uint32_t end);

/** info_named_words() - Return: KFLAME_NAMED_* in words; never NULL */
const char *info_named_words(const struct profile_file *f);

/** struct info_end - number of stacks and samples whose walk ended for one reason */
struct info_end {
	uint64_t stacks;
	uint64_t samples;
};

#define INFO_ENDS	32	/* KFLAME_END_*, and room for values of later modules */

#define INFO_STATES	(KFLAME_CTX_PREEMPTED + 1)

/**
 * struct info_waits - how long threads waited
 * @all_ns:	in all
 * @state_ns:	by KFLAME_CTX_*
 * @still_ns:	the part of @all_ns in waits that had not ended
 * @ended:	waits that a waker ended
 * @woken:	those of @ended whose waker is known
 */
struct info_waits {
	uint64_t all_ns;
	uint64_t state_ns[INFO_STATES];
	uint64_t still_ns;
	uint64_t ended;
	uint64_t woken;
};

/** info_waits() - fills in @w for the event with id @event; @p has the counts of all events */
void info_waits(const struct profile *p, uint32_t event, struct info_waits *w);

/** info_ends() - fills in @ends[INFO_ENDS] for the stacks of one kind */
void info_ends(const struct profile *p, uint32_t kind, struct info_end *ends);

#endif
