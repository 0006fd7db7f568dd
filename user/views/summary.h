/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.h - the key figures of a profile
 */
#ifndef KFLAME_VIEWS_SUMMARY_H
#define KFLAME_VIEWS_SUMMARY_H

#include "profile/profile.h"
#include "stacks/tree.h"

#define SUMMARY_CONTEXTS	6	/* KFLAME_CTX_*, and one for all others */

/**
 * struct summary - key figures of a recording; 0 if the profile lacks the figure
 * @rate_hz:	samples a second on each CPU
 * @duration_ns: time from START to STOP
 * @from_ns:	begin of the selected part, which ends at @to_ns; both 0: all of the recording
 * @cpus:	number of sampled CPUs
 * @counted:	samples in the profile, and their time
 * @contexts:	samples and time by KFLAME_CTX_*; unknown contexts of newer modules are in the last one
 * @idle:	share of @counted that belongs to idle tasks
 * @gap_ns:	time in which a CPU took no sample for over 100 ms
 * @late_ns:	total delay of the samples
 * @what:	what .counted.samples count, in the plural; NULL: samples. Part of the profile
 * @missed:	timer expiries without a sample of their own
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
	const char *what;
	uint64_t missed;
	uint64_t lost[KFLAME_NR_LOST];
};

/** summary_make() - computes the figures of @p; @t has all its stacks */
void summary_make(struct summary *s, const struct profile *p, const struct tree *t);

/** summary_context_name() - Return: one word for the code that ran in samples of @context */
const char *summary_context_name(unsigned int context);

/** summary_lost_name() - Return: in words, why a sample was lost */
const char *summary_lost_name(unsigned int cause);

/** summary_lost() - Return: number of samples that were lost, except those that the user chose to lose */
uint64_t summary_lost(const struct summary *s);

/** summary_title() - Return: host and command, to be freed; NULL if memory is short */
char *summary_title(const struct profile *p);

/**
 * summary_line() - describes a recording, as "997 Hz, 10.0 s, 2 CPUs, 19,940 samples"
 *
 * Unknown figures are left out.
 *
 * Return: the line, to be freed; NULL if memory is short.
 */
char *summary_line(const struct summary *s);

#endif
