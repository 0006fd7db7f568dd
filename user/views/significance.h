/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * significance.h - whether two counts of samples differ by more than chance
 *
 * The tests are likelihood-ratio tests (G tests). They test samples, never time, because chance acts on
 * samples. They also hold for small counts, unlike the two-proportion z test: T. Dunning, "Accurate Methods
 * for the Statistics of Surprise and Coincidence", Computational Linguistics 19(1), 1993.  G is compared
 * with the chi-squared distribution with one degree of freedom. Its tail is erfc(sqrt(G / 2)).
 *
 * The tests assume independent samples. Samples of one program are not quite independent, because it stays
 * in a phase for some time. Two runs of one program also differ. So p tends to be too small.
 */
#ifndef KFLAME_VIEWS_SIGNIFICANCE_H
#define KFLAME_VIEWS_SIGNIFICANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIGNIFICANCE_LEVEL	0.05

/**
 * significance_of_shares() - tests whether @a of @whole_a and @b of @whole_b are the same share
 *
 * Return: p, the probability of at least this difference by chance; 1 if there is nothing to compare.
 */
double significance_of_shares(uint64_t a, uint64_t whole_a, uint64_t b, uint64_t whole_b);

/** significance_of_counts() - as significance_of_shares(), for two counts recorded the same way */
double significance_of_counts(uint64_t a, uint64_t b);

/**
 * significance_many() - which results of many tests can be trusted?
 * @p:		results of the tests
 * @nr:		number of tests
 *
 * Among many tests, some have a small p by chance.  Y. Benjamini and Y. Hochberg, "Controlling the False
 * Discovery Rate", J. R. Statist. Soc. B 57(1), 1995: of the results up to the returned p, at most a share of
 * SIGNIFICANCE_LEVEL is expected to be chance.
 *
 * Return: the largest p to trust; -1 for none, or if memory is short.
 */
double significance_many(const double *p, size_t nr);

#endif
