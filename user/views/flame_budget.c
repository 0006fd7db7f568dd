// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flame_budget.c - chooses the widest frames of a picture
 */
#include <errno.h>
#include <stdlib.h>

#include "views/flame_budget.h"
#include "views/flame_parts.h"

#define MAX_DEPTH	(TREE_MAX_DEPTH + 2)

int flame_budget_init(struct flame_budget *b, const struct flame_options *o)
{
	*b = (struct flame_budget){ .o = o, .least = o->min_width };
	if (!o->frames)
		return 0;
	b->nr_counts = flame_room(o) + 2;
	b->counts = calloc(b->nr_counts, sizeof(*b->counts));
	return b->counts ? 0 : -ENOMEM;
}

void flame_budget_count(struct flame_budget *b, uint64_t width, uint32_t depth)
{
	if (!b->counts)
		return;
	if (!b->by_depth)
		b->counts[width < b->nr_counts ? width : b->nr_counts - 1]++;
	else if (width + 1 == b->least)
		b->counts[depth < MAX_DEPTH ? depth : MAX_DEPTH - 1]++;
}

/* All frames of @least and more fit, and some that are 1/100 pixel narrower do not */
static int settle_width(struct flame_budget *b)
{
	uint64_t width = b->nr_counts;

	while (width > b->o->min_width && b->drawn + b->counts[width - 1] <= b->o->frames)
		b->drawn += b->counts[--width];
	b->is_cut = width > b->o->min_width;
	free(b->counts);
	b->counts = NULL;
	if (!b->is_cut)
		return 0;
	b->least = (unsigned int)width;
	b->by_depth = true;
	b->nr_counts = MAX_DEPTH;
	b->counts = calloc(b->nr_counts, sizeof(*b->counts));
	return b->counts ? 0 : -ENOMEM;
}

int flame_budget_settle(struct flame_budget *b)
{
	if (!b->counts)
		return 0;
	if (!b->by_depth)
		return settle_width(b);
	while (b->rows < MAX_DEPTH && b->drawn + b->counts[b->rows] <= b->o->frames)
		b->drawn += b->counts[b->rows++];
	flame_budget_exit(b);
	return 0;
}

bool flame_budget_draws(const struct flame_budget *b, uint64_t width, uint32_t depth)
{
	return width >= b->least || (width + 1 == b->least && depth < b->rows);
}

void flame_budget_exit(struct flame_budget *b)
{
	free(b->counts);
	b->counts = NULL;
}
