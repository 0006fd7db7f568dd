/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trust.h - tells an operator whether a profile can be trusted
 */
#ifndef KFLAME_VIEWS_TRUST_H
#define KFLAME_VIEWS_TRUST_H

#include <stdio.h>

#include "views/summary.h"

/**
 * trust_put() - writes the header line that says whether the profile can be trusted, and why not
 *
 * Reasons for doubt: few samples, lost samples, user stacks that end early, and late time: its amount is
 * known, but not where it was spent.
 */
void trust_put(FILE *out, const struct profile *p, const struct summary *s);

/** trust_count_cut() - counts the samples with a user stack, and those whose outermost frames are missing */
void trust_count_cut(const struct profile *p, uint64_t *all, uint64_t *cut);

#endif
