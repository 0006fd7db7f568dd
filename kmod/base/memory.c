// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory.c - the memory that all sessions together may take, see base/memory.h
 */
#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/sizes.h>

#include "base/memory.h"
#include "base/scale.h"

static atomic64_t used = ATOMIC64_INIT(0);
static s64 cap;

/**
 * kf_memory_init() - set the cap, once, at load
 * @cap_mib:	MiB; 0: an eighth of the machine's memory, at most kf_scale_cap()
 */
void kf_memory_init(unsigned long cap_mib)
{
	u64 all = (u64)totalram_pages() << PAGE_SHIFT;

	if (cap_mib)
		cap = min_t(u64, cap_mib, all >> 20) << 20;
	else
		cap = min(all / 8, kf_scale_cap());
}

/**
 * kf_memory_reserve() - reserve memory that the caller is about to allocate
 * @bytes:	how many
 *
 * If kflame took the last free pages, the next allocation of another process would call the OOM
 * killer. So no request of 1 MiB or more may take more than half of MemAvailable (/proc/meminfo). A
 * smaller request is left to the allocator, so that a session does not lose records for want of a
 * few pages.
 *
 * The check does not see memory that others have reserved and not yet allocated. So a session's
 * START, and a CPU that comes online, reserve and allocate under one lock (session/session.c).
 *
 * Return: true; false if the request exceeds the cap or half of the available memory. Then nothing
 * is reserved.
 */
bool kf_memory_reserve(size_t bytes)
{
	s64 old = atomic64_read(&used);

	if (bytes >= SZ_1M && bytes >> PAGE_SHIFT > si_mem_available() / 2)
		return false;
		/* Adding first and undoing it later would meanwhile refuse memory to others. */
	do {
		if (bytes > cap - old)
			return false;
	} while (!atomic64_try_cmpxchg(&used, &old, old + bytes));
	return true;
}

void kf_memory_release(size_t bytes)
{
	s64 left = atomic64_sub_return(bytes, &used);

	WARN_ON_ONCE(left < 0);
}

size_t kf_memory_cap(void)
{
	return cap;
}

size_t kf_memory_used(void)
{
	return atomic64_read(&used);
}
