// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * significance.c - tests whether a difference is more than chance
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "views/significance.h"

/* Return: contribution of one cell to G / 2 */
static double part(double observed, double expected)
{
	return observed > 0 ? observed * log(observed / expected) : 0;
}

static double tail(double half_g)
{
	return half_g > 0 ? erfc(sqrt(half_g)) : 1;
}

double significance_of_shares(uint64_t a, uint64_t whole_a, uint64_t b, uint64_t whole_b)
{
	double in = (double)a + (double)b;
	double all_a = (double)whole_a, all_b = (double)whole_b, all = all_a + all_b;
	double out = all - in;

	if (!whole_a || !whole_b)
		return 1;
	return tail(part((double)a, in * (all_a / all)) + part((double)b, in * (all_b / all)) +
		    part((double)(whole_a - a), out * (all_a / all)) +
		    part((double)(whole_b - b), out * (all_b / all)));
}

double significance_of_counts(uint64_t a, uint64_t b)
{
	double half = ((double)a + (double)b) / 2;

	return tail(part((double)a, half) + part((double)b, half));
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double significance_many(const double *p, size_t nr)
{
	double *sorted = malloc((nr ? nr : 1) * sizeof(*sorted));
	double most = -1;

	if (!sorted)
		return most;
	memcpy(sorted, p, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), by_size);
	for (size_t i = 0; i < nr; i++)
		if (sorted[i] <= SIGNIFICANCE_LEVEL * (double)(i + 1) / (double)nr)
			most = sorted[i];
	free(sorted);
	return most;
}
