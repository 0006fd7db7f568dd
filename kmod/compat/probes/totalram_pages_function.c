// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>

unsigned long probe(void);
unsigned long probe(void)
{
	return totalram_pages();
}
