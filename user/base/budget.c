// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * budget.c - limits on the work that the tool does for the files of each user
 */
#include <stdlib.h>

#include "base/budget.h"
#include "base/hash.h"

uint64_t budget_share(uint64_t all, uint64_t used, uint64_t his)
{
	uint64_t others = used - his, most = others < all ? (all - others) / 2 : 0;

	return his < most ? most - his : 0;
}

uint64_t budget_time(const struct budget *b, uid_t user)
{
	uint64_t used = 0, his = 0, left;

	for (size_t i = 0; i < b->nr; i++) {
		used += b->users[i].ns;
		if (b->users[i].id == user)
			his = b->users[i].ns;
	}
	left = budget_share(BUDGET_ALL_NS, used, his);
	return left < BUDGET_FILE_NS ? left : BUDGET_FILE_NS;
}

uint64_t budget_used(const struct budget *b, uid_t user)
{
	for (size_t i = 0; i < b->nr; i++)
		if (b->users[i].id == user)
			return b->users[i].ns;
	return 0;
}

void budget_took(struct budget *b, uid_t user, uint64_t ns)
{
	for (size_t i = 0; i < b->nr; i++)
		if (b->users[i].id == user) {
			b->users[i].ns += ns;
			return;
		}
	if (!grow(&b->users, b->nr, &b->cap, sizeof(*b->users)))
		b->users[b->nr++] = (struct budget_user){ user, ns };
}

void budget_exit(struct budget *b)
{
	free(b->users);
	*b = (struct budget){ 0 };
}
