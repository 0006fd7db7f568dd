// SPDX-License-Identifier: GPL-2.0-only
/* kmalloc reports its bytes and the node: 6.1, 11e9734bcb6a */
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <trace/events/kmem.h>

static void probe(void *data, unsigned long call_site, const void *ptr,
		  size_t bytes_req, size_t bytes_alloc, gfp_t flags, int node)
{
}

void feature(void);
void feature(void)
{
	check_trace_callback_type_kmalloc(probe);
}
