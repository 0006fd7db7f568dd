/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.h - what a profile is about, in a few figures
 */
#ifndef KFLAME_VIEWS_SUMMARY_H
#define KFLAME_VIEWS_SUMMARY_H

#include "profile/profile.h"
#include "stacks/tree.h"

#define SUMMARY_CONTEXTS	6	/* KFLAME_CTX_*, and one for others */

/**
 * struct summary - figures of a recording; 0 where the profile does not tell
 * @rate_hz:	samples a second and CPU
 * @duration_ns: from START to STOP
 * @from_ns:	to @to_ns: the part of it that is looked at; both 0 for all of it
 * @cpus:	CPUs that were sampled
 * @counted:	samples that are in the profile, and their time
 * @contexts:	the same, by KFLAME_CTX_*; contexts of newer modules are in the last one
 * @idle:	of these, the idle tasks'
 * @gap_ns:	time in which a CPU was away for over 100 ms
 * @late_ns:	time that samples came late for
 * @missed:	expiries of the timer that had no sample of their own
 * @lost:	samples that are not in the profile, by KFLAME_LOST_*
 */
struct summary {
	uint64_t rate_hz;
	uint64_t duration_ns;
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t cpus;
	struct weight counted;
	struct weight contexts[SUMMARY_CONTEXTS];
	struct weight idle;
	uint64_t gap_ns;
	uint64_t late_ns;
	uint64_t missed;
	uint64_t lost[KFLAME_NR_LOST];
};

/** summary_make() - the figures of @p; @t holds all its stacks */
void summary_make(struct summary *s, const struct profile *p, const struct tree *t);

/** summary_context_name() - Return: in a word, what ran in samples of @context */
const char *summary_context_name(unsigned int context);

/** summary_lost_name() - Return: in words, why a sample was lost */
const char *summary_lost_name(unsigned int cause);

/** summary_lost() - Return: samples that were lost against the user's will */
uint64_t summary_lost(const struct summary *s);

/** summary_title() - host and command.  Return: to be freed; NULL when out of memory */
char *summary_title(const struct profile *p);

/**
 * summary_line() - "997 Hz, 10.0 s, 2 CPUs, 19,940 samples"
 *
 * Figures that are not known are left out.
 *
 * Return: the line, to be freed; NULL when out of memory.
 */
char *summary_line(const struct summary *s);

#endif
