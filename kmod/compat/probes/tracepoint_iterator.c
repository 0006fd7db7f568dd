// SPDX-License-Identifier: GPL-2.0-only
/* One function of a tracepoint calls its several probes: 5.10, d25e37d89dd2 */
#include <linux/tracepoint.h>

void *feature(const struct tracepoint *point);
void *feature(const struct tracepoint *point)
{
	return point->iterator;
}
