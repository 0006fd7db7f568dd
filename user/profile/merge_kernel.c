// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge_kernel.c - kernel addresses of several machines in one profile
 *
 * On x86-64 and arm64, the upper 16 bits of an address of kernel code are all ones.  In a merged
 * profile, the number of the kernel (from 0) is subtracted from these bits.
 */
#include <inttypes.h>
#include <stdio.h>

#include "profile/merge.h"

#define NUMBER_SHIFT	48
#define FIRST_KERNEL	0xffffULL
#define LAST_KERNEL	0x8000ULL
/* Slots for addresses without symbols, 16 bytes each: no kernel has code there */
#define PLACES		(1ULL << NUMBER_SHIFT)

static void look_at(uint64_t ip, uint64_t *kernels)
{
	uint64_t top = ip >> NUMBER_SHIFT;

	if (top >= LAST_KERNEL && FIRST_KERNEL - top >= *kernels)
		*kernels = FIRST_KERNEL - top + 1;
}

uint64_t merge_kernels(const struct profile *p)
{
	uint64_t kernels = 1;

	for (size_t i = 0; i < p->ksyms.nr; i++)
		look_at(p->ksyms.all[i].start, &kernels);
	for (size_t i = 0; i < p->nr_stacks; i++)
		for (uint32_t k = 0; p->stacks[i].kind == KFLAME_STACK_KERNEL && k < p->stacks[i].nr; k++)
			look_at(profile_stack_ip(&p->stacks[i], k), &kernels);
	return kernels;
}

bool merge_kernel_moved(const struct merge_kernel *k, uint64_t ip, uint64_t *to)
{
	*to = ip - (k->base << NUMBER_SHIFT);
	return ip >> NUMBER_SHIFT >= LAST_KERNEL;
}

static int place(struct merge_kernel *k, struct records *r, uint64_t ip, const char *name,
		 uint64_t *to)
{
	uint32_t i = idmap_find(&k->placed, ip);
	uint64_t start;
	char made[40];
	int err;

	if (i != INDEX_NONE) {
		*to = PLACES + (uint64_t)i * 16 + 8;
		return 0;
	}
	err = idmap_set(&k->placed, ip, k->slots);
	if (err)
		return err;
	start = PLACES + (uint64_t)k->slots++ * 16;
	snprintf(made, sizeof(made), "[kernel %#" PRIx64 "]", ip);
	/* Use the middle of the slot: for a caller, the byte before the address is looked up. */
	records_ksym(r, start, start + 16, name ? name : made);
	*to = start + 8;
	return 0;
}

int merge_kernel_address(struct merge_kernel *k, struct records *r, const struct profile *p,
			 uint64_t ip, bool caller, uint64_t *to)
{
	const struct profile_symbol *s = profile_symbol(&p->ksyms, caller && ip ? ip - 1 : ip);

	if (merge_kernel_moved(k, ip, to) && (s || !k->base))
		return 0;
	return place(k, r, ip, s ? s->name : NULL, to);
}
