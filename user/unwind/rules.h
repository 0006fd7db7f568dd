/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rules.h - the distinct rules of a table, each with a number
 */
#ifndef KFLAME_UNWIND_RULES_H
#define KFLAME_UNWIND_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "uapi/kflame.h"

/** struct unwind_rules - distinct rules; all zero is an empty set */
struct unwind_rules {
	struct kflame_rule *all;
	size_t nr, cap;
	struct index index;
	uint64_t seed;			/* of the hashes */
};

/** unwind_rules_begin() - adds rule 0, KFLAME_CFA_NONE.  Return: 0 or -ENOMEM */
int unwind_rules_begin(struct unwind_rules *rules);

/**
 * unwind_rules_number() - finds the number of a rule, or assigns one
 * @number:	out: 0 if the table has no number left
 *
 * Return: 0 or -ENOMEM.
 */
int unwind_rules_number(struct unwind_rules *rules, const struct kflame_rule *rule, uint32_t *number);

/** unwind_rules_exit() - frees what it holds */
void unwind_rules_exit(struct unwind_rules *rules);

#endif
