// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_words.c - writes changes and their significance in words
 */
#include <inttypes.h>

#include "base/text.h"
#include "views/diff_words.h"

const char *diff_p_text(char buf[DIFF_P], double p)
{
	/* Do not print floating point: its decimal separator depends on the locale */
	unsigned int x = (unsigned int)(p * 10000 + 0.5);

	if (!x)
		return "<0.0001";
	snprintf(buf, DIFF_P, "%u.%04u", x / 10000, x % 10000);
	return buf;
}

const char *diff_change_text(char *buf, const struct diff *d, uint64_t base, uint64_t other)
{
	uint64_t x;

	if (!d->o.raw) {
		base = scale(base, 10000, tree_weight(diff_whole(d, DIFF_BASE), d->o.unit));
		other = scale(other, 10000, tree_weight(diff_whole(d, DIFF_OTHER), d->o.unit));
	}
	x = base > other ? base - other : other - base;
	buf[0] = base > other ? '-' : x ? '+' : ' ';
	if (!d->o.raw)
		snprintf(buf + 1, TEXT_NUMBER, "%" PRIu64 ".%02" PRIu64 "%%", x / 100, x % 100);
	else if (d->o.unit == TREE_NS)
		text_ms(buf + 1, x);
	else
		text_count(buf + 1, x);
	return buf;
}

const char *diff_test_words(const struct diff *d)
{
	if (d->o.counted && d->o.unit == TREE_NS)
		return "not tested: the test is for samples of time on a CPU";
	if (d->o.counted)
		return "not tested: what is counted are not samples of time";
	if (d->o.raw)
		return "likelihood-ratio test of equal counts of samples; * false discovery rate of 5% (Benjamini-Hochberg)";
	return "likelihood-ratio test of equal shares of samples; * false discovery rate of 5% (Benjamini-Hochberg)";
}
