/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_addresses.h - every user address that occurs in a profile, in each address space
 */
#ifndef KFLAME_PROFILE_USER_ADDRESSES_H
#define KFLAME_PROFILE_USER_ADDRESSES_H

#include "profile/profile.h"

/** struct user_address - one of them */
struct user_address {
	const struct profile *p;
	uint32_t aspace;		/* index, may be PROFILE_NONE */
	uint64_t at;			/* of a caller: in the call, not after it */
	const struct profile_mapping *map;	/* NULL: in none */
	bool before_candidate;		/* the program counter of a stack with a candidate caller */
};

/**
 * each_user_address() - calls @take for all of them, for some more than once
 *
 * Return: 0, -ENOMEM, or what @take returned other than 0, which ends it.
 */
int each_user_address(const struct profile *p,
		      int (*take)(void *ctx, const struct user_address *a), void *ctx);

#endif
