/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_addresses.h - every user address that occurs in a profile, in each address space
 */
#ifndef KFLAME_PROFILE_USER_ADDRESSES_H
#define KFLAME_PROFILE_USER_ADDRESSES_H

#include "profile/profile.h"

/** struct user_address - a user address in an address space */
struct user_address {
	const struct profile *p;
	uint32_t aspace;		/* index, may be PROFILE_NONE */
	uint64_t at;			/* for a caller, an address within the call instruction */
	const struct profile_mapping *map;	/* NULL: in no mapping */
	bool before_candidate;		/* the program counter of a stack with a candidate caller */
};

/**
 * each_user_address() - calls @take for every user address, for some more than once
 *
 * Return: 0; -ENOMEM; or the first non-zero result of @take, which stops the walk.
 */
int each_user_address(const struct profile *p,
		      int (*take)(void *ctx, const struct user_address *a), void *ctx);

#endif
