// SPDX-License-Identifier: GPL-2.0-only
/* kmem_cache_alloc reports its cache instead of bytes: 6.1, 2c1d697fb8ba */
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <trace/events/kmem.h>

static void probe(void *data, unsigned long call_site, const void *ptr,
		  struct kmem_cache *s, gfp_t flags, int node)
{
}

void feature(void);
void feature(void)
{
	check_trace_callback_type_kmem_cache_alloc(probe);
}
