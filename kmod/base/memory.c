// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory.c - what all sessions together may take, see base/memory.h
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
 * @cap_mib:	MiB; 0 for an eighth of the memory, at most kf_scale_cap()
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
 * kf_memory_reserve() - reserve
 * @bytes:	what is to be allocated now
 *
 * The last pages would be ours, and the next allocation of another process would call the
 * OOM killer. So no large request may take more than half of what is available, as /proc/meminfo has
 * it. A small one is the allocator's to refuse: what was recorded is not to be lost for a few pages.
 * What others have reserved and not yet allocated is not known: so a session's START, or a CPU that comes,
 * takes and allocates under a lock (session/session.c).
 *
 * Return: false if that would be more than the cap, or too much of what there is: nothing was
 * reserved.
 */
bool kf_memory_reserve(size_t bytes)
{
	s64 old = atomic64_read(&used);

	if (bytes >= SZ_1M && bytes >> PAGE_SHIFT > si_mem_available() / 2)
		return false;
	/* Not added first and taken back: meanwhile others would be refused what there is. */
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
