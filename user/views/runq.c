// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * runq.c - how long threads waited for a CPU, after they were woken or preempted
 */
#include <errno.h>

#include "profile/waits.h"
#include "views/groups.h"
#include "views/runq.h"

struct choice {
	struct roots *roots;	/* NULL: by name */
	bool of_tasks;
};

/* A wait_row_fn */
static int row_of(void *ctx, const struct profile_count *c, const struct frame *frames, size_t nr, struct wait_row *row)
{
	const struct choice *choice = ctx;
	const char *comm = c->comm[0] ? c->comm : "[no name]";
	int err;

	(void)frames;
	(void)nr;
	if (!wait_is_for_cpu(c->context))
		return 0;
	if (!choice->roots) {
		row->frame = (struct frame){ .name = comm, .kind = FRAME_COMM };
		return 1;
	}
	err = roots_frame(choice->roots, c, &row->frame);
	if (choice->of_tasks)
		row->comm = comm;
	return err ? err : 1;
}

int runq_make(struct wait_table *t, const struct profile *p, struct filter *filter, enum stack_root by)
{
	struct choice choice = { .of_tasks = by == STACK_ROOT_PID || by == STACK_ROOT_TID };

	*t = (struct wait_table){ .missing = by == STACK_ROOT_NONE ? NULL : groups_missing(p, by) };
	if (t->missing)
		return 0;
	if (by != STACK_ROOT_NONE) {
		t->roots = roots_create(p, by);
		if (!t->roots)
			return -ENOMEM;
	}
	choice.roots = t->roots;
	return wait_table_make(t, p, filter, row_of, &choice);
}
