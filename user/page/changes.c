// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * changes.c - what changed since an earlier profile
 */
#include <errno.h>
#include <stdlib.h>

#include "page/changes.h"
#include "profile/profile.h"
#include "stacks/load.h"
#include "stacks/open.h"
#include "views/diff.h"

/* Reads the earlier profile: its line and its call tree */
static int load_before(struct page *page)
{
	struct naming naming = *page->o.naming;
	struct page_changes *c = &page->changes;
	struct summary summary;
	struct profile *p;
	int err;

	naming.every_event = naming.cpus = false;
	naming.event = page->main->e->name;
	p = open_profile(page->o.before, &naming);
	if (!p)
		return -EINVAL;
	err = load_profile_filtered(p, page->o.filter, &c->t);
	if (!err) {
		summary_make(&summary, p, c->t);
		c->line = summary_line(&summary);
		c->duration_before_ns = summary.to_ns ? summary.to_ns - summary.from_ns : summary.duration_ns;
		tree_drop_idle(c->t);
		err = c->line ? tree_finish(c->t) : -ENOMEM;
	}
	profile_destroy(p);
	return err;
}

static void take_rows(struct page_changes *c, const struct diff_rows *rows, bool is_tested)
{
	for (size_t i = 0; i < rows->nr; i++) {
		const struct diff_row *r = &rows->all[i];

		if (is_tested && !r->trusted)
			continue;
		if (c->nr_all++ >= PAGE_ROWS)
			continue;
		c->all[c->nr++] = (struct page_change){ .frame = *r->frame, .before = r->self[DIFF_BASE],
							.now = r->self[DIFF_OTHER] };
	}
}

int changes_make(struct page *page)
{
	struct page_changes *c = &page->changes;
	const bool is_tested = page->main->e->kind == KFLAME_EVENT_TIMER;
	struct diff d = { .o = { .unit = TREE_SAMPLES, .sort = SORT_SELF,
				 .counted = is_tested ? NULL : page->main->e->name } };
	struct diff_rows rows;
	int err = load_before(page);

	if (err)
		return err;
	d.t[DIFF_BASE] = c->t;
	d.t[DIFF_OTHER] = page->main->t;
	c->before = *diff_whole(&d, DIFF_BASE);
	c->now = *diff_whole(&d, DIFF_OTHER);
	err = diff_rows_make(&rows, &d);
	if (err)
		return err;
	take_rows(c, &rows, is_tested);
	free(rows.all);
	return 0;
}

void changes_exit(struct page_changes *c)
{
	free(c->line);
	tree_destroy(c->t);
}
