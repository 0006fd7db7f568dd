/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mapping_ring.h - which file is mapped where, for the sample path
 *
 * One ring of fixed size holds the executable mappings of recently walked address spaces. The
 * worker writes the mappings of one address space as a run, over the oldest runs. The sample path
 * reads a run and then checks that it was not overwritten meanwhile. So there is no lock, and
 * nothing is freed while samples are taken. An address space whose run is gone is walked again.
 */
#ifndef KF_MAPPING_RING_H
#define KF_MAPPING_RING_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/barrier.h>

/**
 * struct kf_umap - an executable mapping
 * @start:	first address
 * @end:	one past the last
 * @offset:	file offset of @start, bytes
 * @file:	kflame_rec_file.id; KF_UMAP_NO_FILE for code in no file
 */
struct kf_umap {
	u64 start;
	u64 end;
	u64 offset;
	u64 file;
};

#define KF_UMAP_NO_FILE	(~0ULL)

/* Most mappings of one address space, so that a few extreme ones do not evict all others. */
#define KF_UMAPS_OF_ONE	1024U

/**
 * struct kf_umaps - the ring
 * @ring:	kf_scale_umaps() slots; slot N is ring[N & @mask]
 * @mask:	number of slots minus one; fixed before the first sample
 * @written:	slots ever reserved; the last run may still be being written
 *
 * Context: written by the session's work, which never runs twice at a time.
 */
struct kf_umaps {
	struct kf_umap *ring;
	u32 mask;
	u64 written;
};

/**
 * struct kf_umap_run - the mappings of one address space, by address
 * @at:		its first slot
 * @nr:		number of slots
 * @known:	the address space was walked
 * @part:	an address outside of the run may be mapped nevertheless: the run is older than the
 *		last change, or there are more mappings than are kept
 */
struct kf_umap_run {
	u64 at;
	u32 nr;
	bool known;
	bool part;
};

size_t kf_umaps_bytes(void);
int kf_umaps_init(struct kf_umaps *u);
void kf_umaps_exit(struct kf_umaps *u);
struct kf_umap_run kf_umaps_reserve(struct kf_umaps *u, u32 nr);
void kf_umaps_set(struct kf_umaps *u, const struct kf_umap_run *run, u32 i,
		  const struct kf_umap *map);

/* May the run have been overwritten? To be asked after the run was read. */
static __always_inline bool kf_umaps_gone(const struct kf_umaps *u,
					  const struct kf_umap_run *run)
{
	/* Pairs with the barrier in kf_umaps_reserve(): the run was read before @written. */
	smp_rmb();
	return READ_ONCE(u->written) - run->at > (u64)u->mask + 1;
}

/**
 * kf_umaps_find() - find the mapping that an address is in
 * @u:		the session's
 * @run:	of the address space
 * @ip:		the address
 * @map:	out
 *
 * Context: any; inlined, since user access may be open.
 * Return: false if the address is in none, or if the run is overwritten.
 */
static __always_inline bool kf_umaps_find(const struct kf_umaps *u,
					  const struct kf_umap_run *run, u64 ip,
					  struct kf_umap *map)
{
	u32 low = 0, high = run->nr;
	const struct kf_umap *m;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		m = &u->ring[(run->at + mid) & u->mask];
		if (READ_ONCE(m->start) <= ip)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return false;
	m = &u->ring[(run->at + low - 1) & u->mask];
	map->start = READ_ONCE(m->start);
	map->end = READ_ONCE(m->end);
	map->offset = READ_ONCE(m->offset);
	map->file = READ_ONCE(m->file);
	return !kf_umaps_gone(u, run) && ip >= map->start && ip < map->end;
}

#endif
