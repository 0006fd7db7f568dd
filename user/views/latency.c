// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latency.c - shows samples by their share of the time that passed
 */
#include <errno.h>
#include <stdlib.h>

#include "base/message.h"
#include "profile/latency.h"
#include "stacks/load.h"
#include "views/latency.h"

struct choosing {
	struct filter *filter;
	bool *is_shown;		/* by index of the count */
};

/* A count_fn */
static int choose(void *ctx, size_t count, const struct frame *frames, size_t nr)
{
	struct choosing *c = ctx;
	int accepts = filter_accepts(c->filter, frames, nr);

	c->is_shown[count] = accepts > 0;
	return accepts < 0 ? accepts : 0;
}

int latency_use(struct profile *p, const char *name, struct filter *filter)
{
	struct choosing c = { .filter = filter };
	int err = -ENOMEM;

	if (!p->event || p->event->id) {
		complain("%s has no samples of the timer, and --latency weighs those: record without -e and --off-cpu, or with --wall",
			 name);
		return -ENODATA;
	}
	c.is_shown = calloc(p->nr_counts + 1, sizeof(*c.is_shown));
	if (c.is_shown)
		err = profile_each_count(p, choose, &c);
	if (!err)
		err = profile_use_latency(p, c.is_shown);
	free(c.is_shown);
	return err ? load_failed(err, "weighing the samples") : 0;
}
