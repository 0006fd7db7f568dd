/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_words.h - changes and their significance in words
 */
#ifndef KFLAME_VIEWS_DIFF_WORDS_H
#define KFLAME_VIEWS_DIFF_WORDS_H

#include "views/diff.h"

#define DIFF_P	16	/* bytes that a p fits in */

/** diff_p_text() - "0.0312", or "<0.0001".  Return: @buf */
const char *diff_p_text(char buf[DIFF_P], double p);

/**
 * diff_change_text() - "+2.34%", in points: the difference of what text_percent() says of either
 * side; raw: of samples, "-1,234", or of time
 * @buf:	TEXT_NUMBER bytes and one for the sign
 *
 * Return: @buf.
 */
const char *diff_change_text(char *buf, const struct diff *d, uint64_t base, uint64_t other);

/** diff_test_words() - Return: which test p is of, and what the star says */
const char *diff_test_words(const struct diff *d);

#endif
