/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accounting.h - do a profile's books balance?
 */
#ifndef KFLAME_PROFILE_ACCOUNTING_H
#define KFLAME_PROFILE_ACCOUNTING_H

#include <stdio.h>

#include "profile/profile.h"

/** struct books - sums over all CPUs of a profile, of one event */
struct books {
	uint64_t samples;
	uint64_t counted;
	uint64_t missed;
	uint64_t weight_ns;
	uint64_t counted_ns;
	uint64_t active_ns;
	uint64_t stretches;
	uint64_t handler_ns;
	uint64_t handler_max_ns;
	uint64_t lost[KFLAME_NR_LOST];
	uint64_t lost_ns[KFLAME_NR_LOST];
};

/** books_sum() - adds up the accounting of @nr CPUs */
void books_sum(const struct kflame_cpu *cpus, size_t nr, struct books *sum);

/** books_are_there() - Return: whether the profile has the accounting of any event */
bool books_are_there(const struct profile *p);

/**
 * books_check() - checks that the accounting of a profile adds up
 * @out:	receives a line for each sum that is wrong; may be NULL
 *
 * On each CPU, samples == counted + lost, and head + weights + tail == active time. The COUNT records
 * hold exactly the samples that the CPUs counted. With --timeline, the SAMPLE records and the samples
 * without a time make up the same sum.  Each event has such sums of its own.  @p has the counts of all
 * events: profile_use_event() was not called.
 *
 * Return: how many sums are wrong.
 */
unsigned int books_check(const struct profile *p, FILE *out);

/** books_lost_key() - Return: short name of KFLAME_LOST_* @cause, NULL for a reserved one */
const char *books_lost_key(unsigned int cause);

/** books_lost_words() - Return: a description of KFLAME_LOST_* @cause, NULL for a reserved one */
const char *books_lost_words(unsigned int cause);

/** books_stat_key() - Return: short name of KFLAME_STAT_* @i, NULL for a reserved one */
const char *books_stat_key(unsigned int i);

/** books_stat_words() - Return: a description of KFLAME_STAT_* @i, NULL for a reserved one */
const char *books_stat_words(unsigned int i);

#endif
