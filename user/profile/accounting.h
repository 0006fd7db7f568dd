/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accounting.h - do a profile's books balance?
 */
#ifndef KFLAME_PROFILE_ACCOUNTING_H
#define KFLAME_PROFILE_ACCOUNTING_H

#include <stdio.h>

#include "profile/profile.h"

/** struct books - sums over all CPUs of a profile */
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

/** books_sum() - adds up the CPUs */
void books_sum(const struct profile *p, struct books *sum);

/**
 * books_check() - samples == counted + lost, of each CPU; head + weights + tail ==
 * active, of each; what is in the COUNT records == what was counted; with times, what is in
 * the SAMPLE records + what is not == what was counted
 * @out:	gets a line for each that is off; may be NULL
 *
 * Return: how many are off.
 */
unsigned int books_check(const struct profile *p, FILE *out);

/** books_lost_key() - Return: short name of KFLAME_LOST_* @cause, NULL for a reserved one */
const char *books_lost_key(unsigned int cause);

/** books_lost_words() - Return: the same in words */
const char *books_lost_words(unsigned int cause);

/** books_stat_key() - Return: short name of KFLAME_STAT_* @i, NULL for a reserved one */
const char *books_stat_key(unsigned int i);

/** books_stat_words() - Return: the same in words */
const char *books_stat_words(unsigned int i);

#endif
