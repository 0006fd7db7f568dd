// SPDX-License-Identifier: GPL-2.0-only
#include <linux/security.h>

int probe(void);
int probe(void)
{
	return security_locked_down(LOCKDOWN_PERF);
}
