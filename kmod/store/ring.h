/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring.h - a CPU's ring of records, which user space maps
 *
 * The ring is one piece of memory: a page with struct kflame_ring, followed by the data. The sample
 * path writes and the reader reads; neither waits. Nothing that user space can write is trusted.
 * The true head is in kernel memory, and the sample path never reads back what it wrote. Of the
 * page it reads only the tail, which says how much room there is. A false tail means no room, or
 * lets the reader's own unread records be overwritten.
 *
 * Context: kf_ring_reserve() and kf_ring_commit() run in hard interrupts on the ring's CPU, one
 * pair at a time (struct kf_cpu.busy). They allocate nothing and take no lock. A ring is made
 * before its CPU is sampled, and freed after the session's last sample.
 */
#ifndef KF_RING_H
#define KF_RING_H

#include <linux/types.h>
#include <kflame.h>

struct vm_area_struct;

/**
 * struct kf_ring - a CPU's ring
 * @page:	the first page; the data follow, and user space maps both. NULL if there is no ring.
 *		Set once with release semantics, since kf_ring_mmap() takes no lock
 * @bytes:	size of the data; a power of two
 * @pad:	bytes that the reservation skips at the end of the data
 * @head:	bytes ever written; @page->head is a copy for the reader
 * @dropped:	records that found no room
 * @copies:	records that were written
 * @copy_bytes:	bytes of stacks in these records
 *
 * The sample path alone writes all members but @page. Anyone may read the counters.
 */
struct kf_ring {
	struct kflame_ring *page;
	u32 bytes;
	u32 pad;
	u64 head;
	u64 dropped;
	u64 copies;
	u64 copy_bytes;
};

#define KF_DEFAULT_RING_BYTES	(1U << 20)
#define KF_DEFAULT_DUMP_BYTES	(16U << 10)

size_t kf_ring_bytes(u32 bytes);
int kf_ring_init(struct kf_ring *r, u32 bytes);
void kf_ring_exit(struct kf_ring *r);
int kf_ring_mmap(struct kf_ring *r, struct vm_area_struct *vma);

void *kf_ring_reserve(struct kf_ring *r, u32 size);
void kf_ring_commit(struct kf_ring *r, u32 size);
bool kf_ring_past_mark(const struct kf_ring *r);

#endif
