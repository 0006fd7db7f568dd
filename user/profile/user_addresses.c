// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * user_addresses.c - every user address that occurs in a profile, in each address space
 */
#include <errno.h>
#include <stdlib.h>

#include "base/recent.h"
#include "profile/addresses.h"
#include "profile/user_addresses.h"

/* Calls @take for the addresses of a user stack, but for those that it was called for recently */
static int take_stack(const struct profile *p, const struct profile_stack *s, uint32_t aspace,
		      struct seen_item *seen,
		      int (*take)(void *ctx, const struct user_address *a), void *ctx)
{
	int err = 0;

	for (uint32_t k = 0; !err && k < s->nr; k++) {
		struct user_address a = {
			.p = p, .aspace = aspace,
			.at = profile_stack_code(s, k),
			.before_candidate = !k && s->candidate == 1,
		};

		if (seen_before(seen, a.at, (uint64_t)aspace << 1 | a.before_candidate))
			continue;
		a.map = profile_map(p, aspace, a.at);
		err = take(ctx, &a);
	}
	return err;
}

/* Calls @take for all addresses of a profile that keeps addresses in place of stacks */
static int each_kept(const struct profile *p,
		     int (*take)(void *ctx, const struct user_address *a), void *ctx)
{
	int err = 0;

	profile_addresses_settle(p->addresses);
	for (size_t i = 0; !err && i < p->addresses->nr_user; i++) {
		const struct profile_address *k = &p->addresses->user[i];
		struct user_address a = {
			.p = p, .aspace = k->aspace, .at = k->at,
			.before_candidate = k->before_candidate,
			.map = profile_map(p, k->aspace, k->at),
		};

		err = take(ctx, &a);
	}
	return err;
}

int each_user_address(const struct profile *p,
		      int (*take)(void *ctx, const struct user_address *a), void *ctx)
{
	struct seen_item *seen;
	int err = 0;

	if (p->addresses)
		return each_kept(p, take, ctx);
	seen = seen_create();
	if (!seen)
		return -ENOMEM;
	for (size_t i = 0; !err && i < p->nr_counts; i++)
		if (p->counts[i].ustack < p->nr_stacks)
			err = take_stack(p, &p->stacks[p->counts[i].ustack], p->counts[i].aspace,
					 seen, take, ctx);
	free(seen);
	return err;
}
