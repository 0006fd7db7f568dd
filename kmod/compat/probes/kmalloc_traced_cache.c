// SPDX-License-Identifier: GPL-2.0-only
/* kmalloc reports a cache, then its bytes: 5.19 and 6.0, b347aa7b5747 */
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <trace/events/kmem.h>

static void probe(void *data, unsigned long call_site, const void *ptr,
		  struct kmem_cache *s, size_t bytes_req, size_t bytes_alloc, gfp_t flags)
{
}

void feature(void);
void feature(void)
{
	check_trace_callback_type_kmalloc(probe);
}
