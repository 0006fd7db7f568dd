/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_words.h - writes changes and their significance in words
 */
#ifndef KFLAME_VIEWS_DIFF_WORDS_H
#define KFLAME_VIEWS_DIFF_WORDS_H

#include "views/diff.h"

#define DIFF_P	16	/* size of a buffer for p */

/** diff_p_text() - writes p as "0.0312" or "<0.0001".  Return: @buf */
const char *diff_p_text(char buf[DIFF_P], double p);

/**
 * diff_change_text() - writes a change as "+2.34%", in percentage points of the rounded shares; if
 * raw, as a number of samples ("-1,234") or as time
 * @buf:	TEXT_NUMBER bytes, and one for the sign
 *
 * Return: @buf.
 */
const char *diff_change_text(char *buf, const struct diff *d, uint64_t base, uint64_t other);

/** diff_test_words() - Return: the name of the test for p, and the meaning of the star */
const char *diff_test_words(const struct diff *d);

#endif
