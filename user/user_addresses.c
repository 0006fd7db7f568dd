// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * user_addresses.c - every user address that occurs in a profile, in each address space
 */
#include <errno.h>
#include <stdlib.h>

#include "user_addresses.h"

struct pair {
	uint32_t aspace;
	uint32_t ustack;
};

static int by_pair(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->aspace != y->aspace)
		return x->aspace < y->aspace ? -1 : 1;
	return x->ustack < y->ustack ? -1 : x->ustack > y->ustack;
}

int each_user_address(const struct profile *p,
		      int (*take)(void *ctx, const struct user_address *a), void *ctx)
{
	struct pair *pairs = malloc((p->nr_counts + 1) * sizeof(*pairs));
	size_t nr = 0;
	int err = 0;

	if (!pairs)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_counts; i++)
		if (p->counts[i].ustack < p->nr_stacks)
			pairs[nr++] = (struct pair){ p->counts[i].aspace, p->counts[i].ustack };
	nr = sort_once(pairs, nr, sizeof(*pairs), by_pair);
	for (size_t i = 0; !err && i < nr; i++) {
		const struct profile_stack *s = &p->stacks[pairs[i].ustack];

		for (uint32_t k = 0; !err && k < s->nr; k++) {
			uint64_t at = k && s->ip[k] ? s->ip[k] - 1 : s->ip[k];
			struct user_address a = {
				.p = p, .aspace = pairs[i].aspace, .at = at,
				.map = profile_map(p, pairs[i].aspace, at),
				.before_candidate = !k && s->candidate == 1,
			};

			err = take(ctx, &a);
		}
	}
	free(pairs);
	return err;
}
