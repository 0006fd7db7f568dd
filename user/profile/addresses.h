/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * addresses.h - the distinct addresses in the stacks of a recording
 *
 * The recorder looks up function names when sampling has ended. It needs only the addresses for that.
 * The stacks are in the file.
 */
#ifndef KFLAME_PROFILE_ADDRESSES_H
#define KFLAME_PROFILE_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/recent.h"
#include "profile/profile.h"

/** struct profile_address - an address of a user stack; a caller's address lies within its call */
struct profile_address {
	uint64_t at;
	uint32_t aspace;	/* index, may be PROFILE_NONE */
	bool before_candidate;	/* the program counter of a stack with a candidate caller */
};

/**
 * struct profile_addresses - the addresses; sorted and distinct after profile_addresses_settle()
 * @user:	addresses of user stacks
 * @kernel:	addresses of kernel stacks
 * @seen:	the addresses that were added most recently, to skip repetitions
 * @module:	stacks of the module's last table, for the counts that follow
 * @tool:	stacks that the tool made itself, of its last batch
 * @tool_counted: counts of the stacks in @tool were read: the next stack begins a new batch
 * @samples:	samples with a user stack
 * @cut:	those of @samples whose stack lacks its outermost frames
 * @late:	those of @cut whose unwind table was loaded too late
 */
struct profile_addresses {
	struct profile_address *user;
	size_t nr_user, cap_user;
	uint64_t *kernel;
	size_t nr_kernel, cap_kernel;
	struct seen_item *seen;
	struct profile_late {
		uint64_t base;		/* the lowest id */
		uint32_t *at;		/* by id - base: 1 + index of the first word, 0 for no stack */
		size_t nr_at, cap_at;
		uint64_t *words;	/* the stacks, see addresses.c */
		size_t nr, cap;
	} module, tool;
	bool tool_counted;
	uint64_t samples, cut, late;
};

/** profile_addresses_create() - Return: NULL without memory */
struct profile_addresses *profile_addresses_create(void);

/** profile_addresses_destroy() - frees @a; does nothing for NULL */
void profile_addresses_destroy(struct profile_addresses *a);

/**
 * profile_addresses_stack() - adds a STACK record that the caller has checked
 *
 * Return: 0 or -ENOMEM; -EBADMSG if its id is too far above the first id of its table.
 */
int profile_addresses_stack(struct profile_addresses *a, const struct kflame_rec_stack *r);

/**
 * profile_addresses_likes() - adds the stacks of a LIKES record that the caller has checked
 * @stacks:	upper half of the ids in the record
 * @like:	the stacks; each shares the callers of another stack
 * @nr:		number of elements of @like
 *
 * Return: 0 or -ENOMEM; -EBADMSG if a stack has no id, or the stack it names was not a STACK record with
 * frames. All other stacks are added.
 */
int profile_addresses_likes(struct profile_addresses *a, uint64_t stacks,
			    const struct kflame_like *like, uint32_t nr);

/**
 * profile_addresses_count() - adds the addresses of the stacks that a count names
 * @kstack:	id of its kernel stack; 0 for none
 * @ustack:	id of its user stack; 0 for none
 * @aspace:	index of its address space
 * @samples:	samples of the count
 *
 * Return: 0 or -ENOMEM; 1 if no record of one of these stacks was read.
 */
int profile_addresses_count(struct profile_addresses *a, uint64_t kstack, uint64_t ustack,
			    uint32_t aspace, uint64_t samples);

/**
 * profile_addresses_known() - adds a count whose addresses are all known: the fast path
 * @stacks:	upper half of the ids of its stacks
 * @kstack:	lower half of the id of its kernel stack; 0 for none
 * @ustack:	lower half of the id of its user stack; 0 for none
 * @aspace:	index of its address space
 * @samples:	samples of the count
 *
 * Return: true if the count was added; false if the caller must use profile_addresses_count().
 */
bool profile_addresses_known(struct profile_addresses *a, uint64_t stacks, uint32_t kstack,
			     uint32_t ustack, uint32_t aspace, uint64_t samples);

/** profile_addresses_settle() - sorts the addresses and removes duplicates */
void profile_addresses_settle(struct profile_addresses *a);

#endif
