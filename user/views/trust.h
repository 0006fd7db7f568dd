/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trust.h - can a profile be trusted? In an operator's words
 */
#ifndef KFLAME_VIEWS_TRUST_H
#define KFLAME_VIEWS_TRUST_H

#include <stdio.h>

#include "views/summary.h"

/**
 * trust_put() - writes the line of the header that says so, and why not
 *
 * What makes a profile less than it seems: few samples, samples that were lost, user stacks that end
 * early, time that is known only in sum.
 */
void trust_put(FILE *out, const struct profile *p, const struct summary *s);

/** trust_count_cut() - samples with a user stack; of these, those whose outermost frames are missing */
void trust_count_cut(const struct profile *p, uint64_t *all, uint64_t *cut);

#endif
