/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parse_percent.h - percentages of the command line
 */
#ifndef KFLAME_BASE_PARSE_PERCENT_H
#define KFLAME_BASE_PARSE_PERCENT_H

#include <stdbool.h>

/**
 * percent_parse() - "0.5" or "0.5%" in 1/100 %; without floating point, whose comma depends
 * on the locale
 *
 * Digits after the second one of the fraction are left out.  Return: false where it is none.
 */
bool percent_parse(const char *text, unsigned int *hundredths);

#endif
