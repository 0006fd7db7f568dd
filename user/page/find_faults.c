// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * find_faults.c - many page faults, in a profile of the event page-faults
 */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "page/page.h"
#include "page/words.h"

#define MANY_FAULTS	2000u	/* in a second */
#define WEIGHT		100000u	/* for the order: how long they took is not known */

static int add_faults(struct page *page, const struct page_event *e)
{
	const uint64_t all = heavy_paths_whole(&e->paths), rate = scale(all, 1000000000, page_duration(page));
	struct finding f = { .kind = FINDING_PAGE_FAULTS, .share = FINDING_NO_SHARE, .count = all, .weight = WEIGHT,
			     .command = { "report", "--at", "@" } };
	char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], thread[WORD_BYTES], *where;
	uint32_t node;
	int err;

	if (rate < MANY_FAULTS || !e->paths.nr)
		return 0;
	node = e->paths.all[0].node;
	err = finding_set_path(&f, e, e->t, node);
	where = words_inner(e->t, node, 3);
	if (!err && where)
		err = findings_add(&page->findings, &f, "%s page faults (%s in a second), %s of them by %s in %s",
				   text_count(a, all), text_count(b, rate),
				   text_percent(c, tree_weight(&e->paths.all[0].weight, e->paths.unit), all, 1),
				   word_cut(thread, words_thread(e->t, node)), where);
	free(where);
	return where ? err : -ENOMEM;
}

int find_faults(struct page *page)
{
	int err = 0;

	for (size_t i = 0; !err && i < page->nr_events; i++)
		if (page->events[i].e->kind == KFLAME_EVENT_FAULTS)
			err = add_faults(page, &page->events[i]);
	return err;
}
