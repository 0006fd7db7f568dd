/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_budget.h - chooses the widest frames of a picture, so that browsers open it at once
 *
 * Count all frames, call flame_budget_settle(), count all frames again, call flame_budget_settle() again.  Of
 * frames that are equally wide, the outer ones are chosen, so every chosen frame has its callers.
 */
#ifndef KFLAME_VIEWS_FLAME_BUDGET_H
#define KFLAME_VIEWS_FLAME_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "views/flame.h"

/**
 * struct flame_budget - which frames are drawn
 * @least:	frames of this width are drawn; 1/100 pixel
 * @rows:	frames that are 1/100 pixel narrower are drawn in so many rows
 * @is_cut:	frames are left out to keep the limit
 */
struct flame_budget {
	unsigned int least;
	uint32_t rows;
	bool is_cut;
	const struct flame_options *o;
	uint32_t *counts;	/* by width, then by depth; NULL: there is no limit, or all are counted */
	size_t nr_counts;
	bool by_depth;
	uint64_t drawn;
};

/** flame_budget_init() - Return: 0 or -ENOMEM */
int flame_budget_init(struct flame_budget *b, const struct flame_options *o);

/** flame_budget_count() - counts a frame; @width: 1/100 pixel; @depth: below TREE_MAX_DEPTH + 2 */
void flame_budget_count(struct flame_budget *b, uint64_t width, uint32_t depth);

/** flame_budget_settle() - ends a round of counting.  Return: 0 or -ENOMEM */
int flame_budget_settle(struct flame_budget *b);

/** flame_budget_draws() - Return: whether a frame is drawn */
bool flame_budget_draws(const struct flame_budget *b, uint64_t width, uint32_t depth);

/** flame_budget_exit() - frees what is left of the counts */
void flame_budget_exit(struct flame_budget *b);

#endif
