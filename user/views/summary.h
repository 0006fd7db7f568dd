/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.h - the key figures of a profile
 */
#ifndef KFLAME_VIEWS_SUMMARY_H
#define KFLAME_VIEWS_SUMMARY_H

#include "profile/profile.h"
#include "stacks/tree.h"

#define SUMMARY_CONTEXTS	(KFLAME_CTX_PREEMPTED + 2)	/* KFLAME_CTX_*, and one for all others */

/**
 * struct summary - key figures of a recording; 0 if the profile lacks the figure
 * @rate_hz:	samples a second on each CPU
 * @duration_ns: time from START to STOP
 * @from_ns:	begin of the selected part, which ends at @to_ns; both 0: all of the recording
 * @cpus:	number of sampled CPUs
 * @counted:	samples in the profile, and their time
 * @contexts:	samples and time by KFLAME_CTX_*; unknown contexts of newer modules are in the last one
 * @idle:	share of @counted that belongs to idle tasks
 * @own:	share of @counted that belongs to kflame itself
 * @gap_ns:	time in which a CPU took no sample for over 100 ms
 * @late_ns:	total delay of the samples
 * @waits:	.counted.ns and .contexts are time in which threads waited
 * @wall:	.counted and .contexts are all time of threads: samples of the timer and waits, and .waits is false
 * @latency:	.counted.ns and .contexts are time from calls of a function to their returns
 * @still_ns:	part of the waits that had not ended at STOP
 * @event:	name of the event in use, or "wall"; NULL: the profile does not say. Part of the profile
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
	struct weight own;
	uint64_t gap_ns;
	uint64_t late_ns;
	bool waits;
	bool wall;
	bool latency;
	uint64_t still_ns;
	const char *event;
	const char *what;
	uint64_t missed;
	uint64_t lost[KFLAME_NR_LOST];
};

/** summary_is_in_time() - Return: whether the samples have different lengths, so that their number says little */
static inline bool summary_is_in_time(const struct summary *s)
{
	return s->waits || s->wall || s->latency;
}

/** summary_make() - computes the figures of @p; @t has all its stacks */
void summary_make(struct summary *s, const struct profile *p, const struct tree *t);

/** summary_context_name() - Return: what ran in samples of @context, or the state of the waiting thread */
const char *summary_context_name(unsigned int context);

/** summary_context_key() - Return: the same as one word for programs */
const char *summary_context_key(unsigned int context);

/** summary_has_context() - Return: whether samples of the event in use can have @context */
bool summary_has_context(const struct summary *s, unsigned int context);

/** summary_lost_name() - Return: in words, why a sample was lost */
const char *summary_lost_name(unsigned int cause);

/** summary_is_chosen() - Return: whether the user chose to lose samples for that KFLAME_LOST_* */
bool summary_is_chosen(unsigned int cause);

/** summary_lost() - Return: number of samples that were lost, except those that the user chose to lose */
uint64_t summary_lost(const struct summary *s);

/** summary_title() - Return: host and command, of waits and of all time also the event, to be freed; NULL if memory is short */
char *summary_title(const struct profile *p);

/**
 * summary_line() - describes a recording, as "997 Hz, 10.0 s, 2 CPUs, 19,940 samples"
 *
 * Of waits: "off-cpu, 10.0 s, 2 CPUs, 12.3 s of waiting". Of all time of threads: "wall, 997 Hz, 10.0 s, 2 CPUs,
 * 32.1 s of running and waiting".
 *
 * Unknown figures are left out.
 *
 * Return: the line, to be freed; NULL if memory is short.
 */
char *summary_line(const struct summary *s);

#endif
