// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * row_list.c - a list of rows: each says where a rule begins to apply
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "unwind/row_list.h"

static uint32_t last_rule(const struct row_list *l)
{
	return l->nr ? l->all[l->nr - 1].rule : UNWIND_GAP;
}

int row_list_put(struct row_list *l, uint64_t offset, uint32_t rule)
{
	int err;

	if (l->full)
		return 0;
	if (l->nr && l->all[l->nr - 1].offset == offset)
		l->nr--;
	if (last_rule(l) == rule)
		return 0;
	if (l->nr == UNWIND_MAX_ROWS - 1) {
		l->full = true;
		rule = UNWIND_GAP;
	}
	err = grow(&l->all, l->nr, &l->cap, sizeof(*l->all));
	if (!err)
		l->all[l->nr++] = (struct unwind_row){ offset, rule };
	return err;
}

int row_list_merge(const struct row_list *over, const struct row_list *under,
		   struct row_list *out)
{
	uint32_t upper = UNWIND_GAP, lower = UNWIND_GAP;
	size_t i = 0, k = 0;
	int err = 0;

	while (!err && (i < over->nr || k < under->nr)) {
		bool first = k == under->nr ||
			     (i < over->nr && over->all[i].offset <= under->all[k].offset);
		const struct unwind_row *row = first ? &over->all[i++] : &under->all[k++];

		*(first ? &upper : &lower) = row->rule;
		err = row_list_put(out, row->offset, upper != UNWIND_GAP ? upper : lower);
	}
	out->full = out->full || over->full || under->full;
	return err;
}

void row_list_exit(struct row_list *l)
{
	free(l->all);
	memset(l, 0, sizeof(*l));
}
