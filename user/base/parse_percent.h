/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parse_percent.h - parse percentages of the command line
 */
#ifndef KFLAME_BASE_PARSE_PERCENT_H
#define KFLAME_BASE_PARSE_PERCENT_H

#include <stdbool.h>

/**
 * percent_parse() - parse "0.5" or "0.5%" to 1/100 %
 *
 * This uses no floating point, because its decimal separator depends on the locale.  Digits after the second
 * decimal are dropped.  Return: false if @text is no percentage up to 100.
 */
bool percent_parse(const char *text, unsigned int *hundredths);

#endif
