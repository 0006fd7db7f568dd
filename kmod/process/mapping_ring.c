// SPDX-License-Identifier: GPL-2.0-only
/*
 * mapping_ring.c - which file is mapped where, see process/mapping_ring.h
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "base/scale.h"
#include "process/mapping_ring.h"

size_t kf_umaps_bytes(void)
{
	return sizeof(struct kf_umap) * kf_scale_umaps();
}

/* Return: 0 or -ENOMEM; the caller calls kf_umaps_exit() in both cases. May sleep. */
int kf_umaps_init(struct kf_umaps *u)
{
	const u32 nr = kf_scale_umaps();

	u->mask = nr - 1;
	u->ring = kvcalloc(nr, sizeof(*u->ring), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	return u->ring ? 0 : -ENOMEM;
}

/* Sampling has stopped. */
void kf_umaps_exit(struct kf_umaps *u)
{
	kvfree(u->ring);
	u->ring = NULL;
}

/**
 * kf_umaps_reserve() - reserve slots for an address space's mappings, over the oldest ones
 * @u:		the session's
 * @nr:		number of mappings; the first ones, up to KF_UMAPS_OF_ONE, are kept
 *
 * Context: the session's work.
 * Return: the run, whose .nr mappings the caller writes with kf_umaps_set().
 */
struct kf_umap_run kf_umaps_reserve(struct kf_umaps *u, u32 nr)
{
	struct kf_umap_run run = {
		.at = u->written,
		.nr = min(nr, KF_UMAPS_OF_ONE),
		.known = true,
		.part = nr > KF_UMAPS_OF_ONE,
	};

	WRITE_ONCE(u->written, u->written + run.nr);
	/* Pairs with kf_umaps_gone(): a CPU that sees a new mapping also sees the new @written. */
	smp_wmb();
	return run;
}

/* Write mapping @i of a run. The mappings of a run are sorted by address. */
void kf_umaps_set(struct kf_umaps *u, const struct kf_umap_run *run, u32 i,
		  const struct kf_umap *map)
{
	struct kf_umap *to = &u->ring[(run->at + i) & u->mask];

	WRITE_ONCE(to->start, map->start);
	WRITE_ONCE(to->end, map->end);
	WRITE_ONCE(to->offset, map->offset);
	WRITE_ONCE(to->file, map->file);
}
