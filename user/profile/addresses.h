/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * addresses.h - the addresses in the stacks of a recording, each once
 *
 * The recorder looks up names at its end. It needs the addresses for that, and not the stacks, which
 * are in the file.
 */
#ifndef KFLAME_PROFILE_ADDRESSES_H
#define KFLAME_PROFILE_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/recent.h"
#include "profile/profile.h"

/** struct profile_address - one of a user stack; of callers it is in the call, not after it */
struct profile_address {
	uint64_t at;
	uint32_t aspace;	/* index, may be PROFILE_NONE */
	bool before_candidate;	/* the program counter of a stack with a candidate caller */
};

/**
 * struct profile_addresses - what there was, sorted and each once after ..._settle()
 * @user:	of user stacks
 * @kernel:	of kernel stacks
 * @seen:	what was met a moment ago
 * @module:	stacks of the module's last table, for the counts that follow
 * @tool:	stacks that the tool made itself, of the last time that it wrote some
 * @tool_counted: counts of the tool's stacks came after these
 * @samples:	with a user stack
 * @cut:	of these: its outermost frames are missing
 * @late:	of these: as its unwind table came too late
 */
struct profile_addresses {
	struct profile_address *user;
	size_t nr_user, cap_user;
	uint64_t *kernel;
	size_t nr_kernel, cap_kernel;
	struct seen_item *seen;
	struct profile_late {
		uint64_t base;		/* what ids begin with */
		uint32_t *at;		/* by id less base, one more than the place of its first */
		size_t nr_at, cap_at;	/* word: see addresses.c; 0: not recorded */
		uint64_t *words;
		size_t nr, cap;
	} module, tool;
	bool tool_counted;
	uint64_t samples, cut, late;
};

/** profile_addresses_create() - Return: NULL without memory */
struct profile_addresses *profile_addresses_create(void);

/** profile_addresses_destroy() - takes NULL */
void profile_addresses_destroy(struct profile_addresses *a);

/**
 * profile_addresses_stack() - takes a STACK record, which was checked
 *
 * Return: 0 or -ENOMEM; -EBADMSG where its id is none that follows those before.
 */
int profile_addresses_stack(struct profile_addresses *a, const struct kflame_rec_stack *r);

/**
 * profile_addresses_likes() - takes the stacks of a LIKES record, which was checked
 * @stacks:	upper half of the ids in it
 * @nr:		so many of @like
 *
 * Return: 0 or -ENOMEM; -EBADMSG where one names a stack that did not come with frames, as a STACK, or
 * has no number itself: all others are taken.
 */
int profile_addresses_likes(struct profile_addresses *a, uint64_t stacks,
			    const struct kflame_like *like, uint32_t nr);

/**
 * profile_addresses_count() - takes what a count names
 * @kstack:	id of its kernel stack; 0 for none
 * @ustack:	id of its user stack; 0 for none
 * @aspace:	index of its address space
 * @samples:	of it
 *
 * Return: 0 or -ENOMEM; 1 where a stack is named that did not come.
 */
int profile_addresses_count(struct profile_addresses *a, uint64_t kstack, uint64_t ustack,
			    uint32_t aspace, uint64_t samples);

/**
 * profile_addresses_known() - takes a count that names nothing new. For many of one task
 * @stacks:	upper half of the ids of its stacks
 * @kstack:	the lower half of its kernel stack's; 0 for none
 * @ustack:	the lower half of its user stack's; 0 for none
 * @aspace:	index of its address space
 * @samples:	of it
 *
 * Return: true if it was taken; false: it is one for profile_addresses_count().
 */
bool profile_addresses_known(struct profile_addresses *a, uint64_t stacks, uint32_t kstack,
			     uint32_t ustack, uint32_t aspace, uint64_t samples);

/** profile_addresses_settle() - sorts them, and leaves each once */
void profile_addresses_settle(struct profile_addresses *a);

#endif
