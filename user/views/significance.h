/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * significance.h - whether two counts of samples differ by more than chance
 *
 * Likelihood-ratio tests (G tests): what is in them is samples, never time, since samples are what
 * chance deals out.  They hold for small counts where the two-proportion z test does not: T. Dunning,
 * "Accurate Methods for the Statistics of Surprise and Coincidence", Computational Linguistics 19(1),
 * 1993.  G is held against the chi-squared distribution with one degree of freedom, whose tail is
 * erfc(sqrt(G / 2)).
 *
 * They take samples to be independent.  Those of one program are not quite (it stays in a phase), and
 * two runs of the same program differ: p is rather too small.
 */
#ifndef KFLAME_VIEWS_SIGNIFICANCE_H
#define KFLAME_VIEWS_SIGNIFICANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIGNIFICANCE_LEVEL	0.05

/**
 * significance_of_shares() - are @a of @whole_a and @b of @whole_b one share?
 *
 * Return: p, how often chance alone brings at least this difference; 1 where there is nothing to
 * compare.
 */
double significance_of_shares(uint64_t a, uint64_t whole_a, uint64_t b, uint64_t whole_b);

/** significance_of_counts() - are @a and @b the same count, recorded the same way?  Return: as significance_of_shares() */
double significance_of_counts(uint64_t a, uint64_t b);

/**
 * significance_many() - which of many tests to trust
 * @p:		what they returned
 * @nr:		how many
 *
 * Of many tests some are below any p by chance.  Y. Benjamini and Y. Hochberg, "Controlling the False
 * Discovery Rate", J. R. Statist. Soc. B 57(1), 1995: of those up to the return value, no more than
 * SIGNIFICANCE_LEVEL are expected to be by chance.
 *
 * Return: the largest p to trust; -1 for none, or without memory.
 */
double significance_many(const double *p, size_t nr);

#endif
