// SPDX-License-Identifier: GPL-2.0-only
/*
 * fields.c - values of well-known tracepoints, by name; see source/fields.h
 *
 * An allocation that failed has no bytes. "bytes" are those that the caller asked for, because every kernel
 * reports these.
 *
 * An argument is a whole register. What the type of the argument does not use may have any value.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/kmem_tracepoints.h"
#include "compat/traced_objects.h"
#include "source/fields.h"

#include <kflame.h>

#define BYTES(point, name, read)	{ point, name, KFLAME_UNIT_BYTES, read }
#define NS(point, name, read)		{ point, name, KFLAME_UNIT_NS, read }
#define VALUE(point, name, read)	{ point, name, KFLAME_UNIT_VALUE, read }

#ifdef KF_KMALLOC_BYTES
static u64 kmalloc_requested(const unsigned long *args)
{
	return args[1] ? args[KF_KMALLOC_BYTES] : 0;
}

static u64 kmalloc_allocated(const unsigned long *args)
{
	return args[1] ? args[KF_KMALLOC_BYTES + 1] : 0;
}
#endif

#ifdef KF_CACHE_ARGUMENT
/* Without what debugging and alignment add to an object: modules cannot know that. */
static u64 cache_object(const unsigned long *args)
{
	return args[1] ? kmem_cache_size((struct kmem_cache *)args[2]) : 0;
}
#endif

/* @args: the page, then its order */
static u64 pages(const unsigned long *args)
{
	const unsigned int order = args[1];

	return args[0] && order < BITS_PER_LONG - PAGE_SHIFT ? PAGE_SIZE << order : 0;
}

#ifdef CONFIG_BLOCK

static u64 request_bytes(const unsigned long *args)
{
	return kf_request_bytes((void *)args[KF_QUEUED_ARGUMENT - 1]);
}

static u64 bio_bytes(const unsigned long *args)
{
	return ((struct bio *)args[KF_QUEUED_BIO - 1])->bi_iter.bi_size;
}

#endif

#ifdef CONFIG_NET
static u64 packet_bytes(const unsigned long *args)
{
	return ((struct sk_buff *)args[0])->len;
}
#endif

static u64 pid(const unsigned long *args)
{
	return ((struct task_struct *)args[0])->pid;
}

static u64 second_pid(const unsigned long *args)
{
	return ((struct task_struct *)args[1])->pid;
}

/* An int or an unsigned int. Which are used depends on the kernel's options. */
static u64 __maybe_unused first(const unsigned long *args)
{
	return (unsigned int)args[0];
}

static u64 __maybe_unused second(const unsigned long *args)
{
	return (unsigned int)args[1];
}

static u64 __maybe_unused third(const unsigned long *args)
{
	return (unsigned int)args[2];
}

static u64 __maybe_unused fourth(const unsigned long *args)
{
	return (unsigned int)args[3];
}

static u64 whole_first(const unsigned long *args)
{
	return args[0];
}

static u64 whole_second(const unsigned long *args)
{
	return args[1];
}

static const struct kf_field fields[] = {
#ifdef CONFIG_BLOCK
	BYTES("block_rq_insert", "bytes", request_bytes),
	BYTES("block_rq_issue", "bytes", request_bytes),
	BYTES("block_rq_requeue", "bytes", request_bytes),
	BYTES("block_rq_complete", "bytes", third),
	BYTES("block_bio_queue", "bytes", bio_bytes),
#endif
#ifdef CONFIG_NET
	BYTES("net_dev_queue", "len", packet_bytes),
	BYTES("netif_receive_skb", "len", packet_bytes),
	BYTES("netif_rx", "len", packet_bytes),
	BYTES("net_dev_xmit", "len", fourth),
	VALUE("napi_poll", "work", second),
#endif
	VALUE("irq_handler_entry", "irq", first),
	VALUE("irq_handler_exit", "irq", first),
	VALUE("softirq_raise", "vec", first),
	VALUE("softirq_entry", "vec", first),
	VALUE("softirq_exit", "vec", first),
	VALUE("sched_waking", "pid", pid),
	VALUE("sched_wakeup", "pid", pid),
	VALUE("sched_wakeup_new", "pid", pid),
	VALUE("sched_process_exit", "pid", pid),
	VALUE("sched_process_fork", "parent_pid", pid),
	VALUE("sched_process_fork", "child_pid", second_pid),
	NS("sched_stat_runtime", "runtime", whole_second),
	NS("sched_stat_wait", "delay", whole_second),
	NS("sched_stat_sleep", "delay", whole_second),
	NS("sched_stat_iowait", "delay", whole_second),
	NS("sched_stat_blocked", "delay", whole_second),
	VALUE("mm_vmscan_direct_reclaim_end", "nr_reclaimed", whole_first),
#ifdef KF_KMALLOC_BYTES
	BYTES("kmalloc", "bytes", kmalloc_requested),
	BYTES("kmalloc", "bytes_req", kmalloc_requested),
	BYTES("kmalloc", "bytes_alloc", kmalloc_allocated),
#endif
#ifdef KF_CACHE_ARGUMENT
	BYTES("kmem_cache_alloc", "bytes", cache_object),
	BYTES("kmem_cache_alloc", "bytes_req", cache_object),
#elif defined(KF_KMALLOC_BYTES)
	BYTES("kmem_cache_alloc", "bytes", kmalloc_requested),
	BYTES("kmem_cache_alloc", "bytes_req", kmalloc_requested),
	BYTES("kmem_cache_alloc", "bytes_alloc", kmalloc_allocated),
	BYTES("kmalloc_node", "bytes", kmalloc_requested),
	BYTES("kmalloc_node", "bytes_req", kmalloc_requested),
	BYTES("kmalloc_node", "bytes_alloc", kmalloc_allocated),
	BYTES("kmem_cache_alloc_node", "bytes", kmalloc_requested),
	BYTES("kmem_cache_alloc_node", "bytes_req", kmalloc_requested),
	BYTES("kmem_cache_alloc_node", "bytes_alloc", kmalloc_allocated),
#endif
	BYTES("mm_page_alloc", "bytes", pages),
	BYTES("mm_page_free", "bytes", pages),
};

/* @name: SYSTEM:NAME, or NAME alone. Return: NULL if there is no such field of that tracepoint */
const struct kf_field *kf_find_field(const char *name, const char *field)
{
	const char *colon = strchr(name, ':'), *point = colon ? colon + 1 : name;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(fields[i].point, point) && !strcmp(fields[i].name, field))
			return &fields[i];
	return NULL;
}
