// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parse_percent.c - parse percentages of the command line
 */
#include "base/parse_percent.h"

bool percent_parse(const char *text, unsigned int *hundredths)
{
	unsigned int whole = 0, fraction = 0, unit = 10;
	const char *p = text;

	for (; *p >= '0' && *p <= '9' && whole <= 100; p++)
		whole = whole * 10 + (unsigned int)(*p - '0');
	if (p == text)
		return false;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++, unit /= 10)
			fraction += unit * (unsigned int)(*p - '0');
	if (*p == '%')
		p++;
	*hundredths = whole * 100 + fraction;
	return !*p && *hundredths <= 10000;
}
