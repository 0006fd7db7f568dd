// SPDX-License-Identifier: GPL-2.0-only
/* Some headers need others that they do not include. */
#include <linux/mm.h>
#include <linux/minmax.h>

int probe(void);
int probe(void)
{
	return 0;
}
