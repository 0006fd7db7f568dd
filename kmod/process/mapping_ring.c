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

/* Return: 0 or -ENOMEM; kf_umaps_exit() is due in both cases. May sleep. */
int kf_umaps_init(struct kf_umaps *u)
{
	const u32 nr = kf_scale_umaps();

	u->mask = nr - 1;
	u->ring = kvcalloc(nr, sizeof(*u->ring), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	return u->ring ? 0 : -ENOMEM;
}

/* No sample is taken any more. */
void kf_umaps_exit(struct kf_umaps *u)
{
	kvfree(u->ring);
	u->ring = NULL;
}

/**
 * kf_umaps_reserve() - places for an address space's mappings, over the oldest ones
 * @u:		the session's
 * @nr:		of mappings; the first ones, up to KF_UMAPS_OF_ONE, are kept
 *
 * Context: the session's work.
 * Return: the run, whose .nr mappings are to be written with kf_umaps_set().
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
	/* Whoever sees anything of what is written from now on also sees that it is. */
	smp_wmb();
	return run;
}

/* Write the mapping number @i of a run; they rise by address. */
void kf_umaps_set(struct kf_umaps *u, const struct kf_umap_run *run, u32 i,
		  const struct kf_umap *map)
{
	struct kf_umap *to = &u->ring[(run->at + i) & u->mask];

	WRITE_ONCE(to->start, map->start);
	WRITE_ONCE(to->end, map->end);
	WRITE_ONCE(to->offset, map->offset);
	WRITE_ONCE(to->file, map->file);
}
