/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency.h - weighs samples by how many threads ran at once
 */
#ifndef KFLAME_PROFILE_LATENCY_H
#define KFLAME_PROFILE_LATENCY_H

#include <stdbool.h>

#include "profile/profile.h"

/**
 * profile_use_latency() - replaces the weights of samples by their share of the time that passed
 * @p:		a profile that shows the timer, after profile_use_timeline()
 * @is_shown:	by index of the count
 *
 * While n of the shown threads run, each of them gets 1/n of the time. So all weights together are the time in which
 * at least one of them ran. That sum becomes .weight_ns, and .ran_ns what it was. Idle CPUs, gaps, samples without
 * a time, and counts that are not shown have no samples any more.
 *
 * Return: 0 or -ENOMEM.
 */
int profile_use_latency(struct profile *p, const bool *is_shown);

#endif
