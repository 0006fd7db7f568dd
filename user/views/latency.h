/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency.h - shows samples by their share of the time that passed
 */
#ifndef KFLAME_VIEWS_LATENCY_H
#define KFLAME_VIEWS_LATENCY_H

#include "profile/profile.h"
#include "stacks/filter.h"

/**
 * latency_use() - weighs samples by how many threads ran at once, see profile_use_latency()
 * @name:	name of the file, for messages
 * @filter:	only threads whose stacks pass it count; NULL: all
 *
 * Return: 0; a negative errno, after a message.
 */
int latency_use(struct profile *p, const char *name, struct filter *filter);

#endif
