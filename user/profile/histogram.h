/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.h - how many samples of an event had which weight
 */
#ifndef KFLAME_PROFILE_HISTOGRAM_H
#define KFLAME_PROFILE_HISTOGRAM_H

#include "profile/profile.h"

/* What histogram_percentile() returns differs by at most so many percent from the exact weight: half a bucket */
#define HISTOGRAM_ERROR_PERCENT	6.25

/**
 * struct histogram - samples of an event and a group, of all CPUs
 * @samples:	sum of @count
 * @weight:	sum of their weights
 * @longest:	the largest weight
 * @count:	samples by bucket, see KFLAME_BUCKETS
 */
struct histogram {
	uint64_t samples;
	uint64_t weight;
	uint64_t longest;
	uint64_t count[KFLAME_BUCKETS];
};

/** histogram_first() - Return: the lowest weight of a bucket */
uint64_t histogram_first(uint32_t bucket);

/** histogram_last() - Return: the highest weight of a bucket */
uint64_t histogram_last(uint32_t bucket);

/** histogram_add() - add up an event's histograms of a group, over all CPUs. Sums that do not fit are UINT64_MAX. */
void histogram_add(struct histogram *h, const struct profile_event *e, uint32_t group);

/** histogram_percentile() - Return: the weight that @percent of the samples do not exceed, as the middle of its bucket */
uint64_t histogram_percentile(const struct histogram *h, unsigned int percent);

/** histogram_is_there() - Return: whether an event has histograms */
bool histogram_is_there(const struct profile_event *e);

/** histogram_group_name() - Return: what the samples of a group are, such as "waits for a CPU" */
const char *histogram_group_name(uint32_t group);

#endif
