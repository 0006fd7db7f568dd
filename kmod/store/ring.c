// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring.c - a CPU's ring of records, see store/ring.h
 */
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "compat/compat.h"
#include "store/ring.h"

/* Size of a ring with @bytes of data, which is also the size of its mapping */
size_t kf_ring_bytes(u32 bytes)
{
	return PAGE_SIZE + (size_t)bytes;
}

/**
 * kf_ring_init() - make a ring; may sleep
 * @r:		all zero
 * @bytes:	size of its data, a power of two
 *
 * The ring's memory may be on any NUMA node: the kernel exports no function that allocates pages
 * for user space on a given node.
 * Return: 0 or -ENOMEM.
 */
int kf_ring_init(struct kf_ring *r, u32 bytes)
{
	struct kflame_ring *page = vmalloc_user(kf_ring_bytes(bytes));

	if (!page)
		return -ENOMEM;
	r->bytes = bytes;
	/* Pairs with kf_ring_mmap(), which may be called at any time. */
	smp_store_release(&r->page, page);
	return 0;
}

/* Sampling has stopped, and the ring is mapped no more. The ring need not have been made. */
void kf_ring_exit(struct kf_ring *r)
{
	vfree(r->page);
	memset(r, 0, sizeof(*r));
}

/**
 * kf_ring_mmap() - map a ring into user space
 * @r:		the ring, of a session that was started
 * @vma:	as large as the whole ring
 *
 * A mapping holds the open file and the ring's pages. So the file's release, which ends the session
 * and frees its rings, comes after the last unmapping. A child does not inherit the mapping,
 * because two readers would both write the tail.
 *
 * Context: mmap_lock is held for writing. The function takes no lock, because locks of the session
 * may be held while user memory is copied.
 * Return: 0; -ENODATA if that CPU has no ring (yet).
 */
int kf_ring_mmap(struct kf_ring *r, struct vm_area_struct *vma)
{
	/* Pairs with kf_ring_init(): this sees only a page that is already zeroed. */
	struct kflame_ring *page = smp_load_acquire(&r->page);

	if (!page)
		return -ENODATA;
	kf_vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	return remap_vmalloc_range(vma, page, 0);
}

/* Bytes in use, according to the reader's tail. A false tail may yield more than the ring has. */
static u64 used(const struct kf_ring *r)
{
	/* Pairs with the reader's release: it has read all that it releases. */
	return r->head - smp_load_acquire(&r->page->tail);
}

/**
 * kf_ring_reserve() - reserve room for a record, in one piece
 * @r:		this CPU's
 * @size:	most bytes of the record; a multiple of 8, at most KFLAME_RING_MIN / 2
 *
 * The caller fills the record and commits it, or abandons it.
 * Return: where the record goes; NULL if there is no room, which is counted.
 */
void *kf_ring_reserve(struct kf_ring *r, u32 size)
{
	u32 at = r->head & (r->bytes - 1), left = r->bytes - at;
	u8 *data = (u8 *)r->page + PAGE_SIZE;
	u64 in_use = used(r);

	r->pad = size > left ? left : 0;
	if (in_use > r->bytes || r->bytes - in_use < size + r->pad) {
		WRITE_ONCE(r->dropped, r->dropped + 1);
		WRITE_ONCE(r->page->dropped, r->dropped);
		return NULL;
	}
	if (r->pad) {
		/* Heads and sizes are multiples of 8, so there is room for this record head. */
		*(struct kflame_rec *)(data + at) = (struct kflame_rec){
			.type = KFLAME_REC_PAD, .size = left,
		};
		return data;
	}
	return data + at;
}

/**
 * kf_ring_commit() - publish the record that was reserved last
 * @r:		this CPU's
 * @size:	of the record, no more than was reserved; a multiple of 8
 */
void kf_ring_commit(struct kf_ring *r, u32 size)
{
	r->head += r->pad + size;
	/* Pairs with the reader's acquire: a reader that sees the head sees the record. */
	smp_store_release(&r->page->head, r->head);
}

/* Is the ring half full? Then the reader should read it. */
bool kf_ring_past_mark(const struct kf_ring *r)
{
	return used(r) * 2 >= r->bytes;
}
