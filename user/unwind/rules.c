// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rules.c - see rules.h
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "unwind/rules.h"

static bool same_rule(const void *ctx, uint32_t i, const void *key)
{
	const struct unwind_rules *rules = ctx;

	return !memcmp(&rules->all[i], key, sizeof(struct kflame_rule));
}

int unwind_rules_number(struct unwind_rules *rules, const struct kflame_rule *rule, uint32_t *number)
{
	uint64_t hash = hash_bytes(rules->seed, rule, sizeof(*rule));
	int err;

	*number = index_find(&rules->index, hash, same_rule, rules, rule);
	if (*number != INDEX_NONE)
		return 0;
	*number = 0;
	if (rules->nr >= KFLAME_TABLE_RULES)
		return 0;
	err = grow(&rules->all, rules->nr, &rules->cap, sizeof(*rules->all));
	if (!err)
		err = index_add(&rules->index, hash, (uint32_t)rules->nr);
	if (err)
		return err;
	*number = (uint32_t)rules->nr;
	rules->all[rules->nr++] = *rule;
	return 0;
}

/* The hashes are seeded, so that no file can choose colliding rules. */
int unwind_rules_begin(struct unwind_rules *rules)
{
	const struct kflame_rule none = { .cfa = KFLAME_CFA_NONE };
	uint32_t number;

	if (getrandom(&rules->seed, sizeof(rules->seed), GRND_NONBLOCK) < 0)
		rules->seed = (uintptr_t)rules;

	return unwind_rules_number(rules, &none, &number);
}

void unwind_rules_exit(struct unwind_rules *rules)
{
	free(rules->all);
	index_exit(&rules->index);
}
