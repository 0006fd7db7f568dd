// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * groups.c - groups samples by process, thread, cgroup, container, state, waker or label
 */
#include <errno.h>

#include "profile/waits.h"
#include "stacks/stack_root.h"
#include "views/groups.h"

static int add_count(struct tree *t, struct roots *r, bool of_tasks, const struct profile_count *c)
{
	struct frame frames[2] = { { .name = "swapper", .kind = FRAME_COMM },
				   { .name = "[idle]", .kind = FRAME_NOTE } };
	size_t nr = 1;
	int err = 0;

	if (c->context == KFLAME_CTX_IDLE) {
		nr = 2;
		if (roots_show_states(r))
			frames[0] = (struct frame){ .name = state_name(c->context), .kind = FRAME_ROOT };
	} else if (c->context == KFLAME_CTX_GAP) {
		frames[0] = (struct frame){ .name = "[gap]", .kind = FRAME_NOTE };
	} else {
		err = roots_frame(r, c, &frames[0]);
		if (of_tasks)
			frames[nr++] = (struct frame){ .name = c->comm, .kind = FRAME_COMM };
	}
	return err ? err : tree_add(t, frames, nr, c->samples, c->weight_ns);
}

int groups_tree(const struct profile *p, enum stack_root by, struct tree **tree)
{
	struct roots *r = roots_create(p, by);
	struct tree *t = tree_create();
	const bool of_tasks = by == STACK_ROOT_PID || by == STACK_ROOT_TID;
	int err = r && t ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < p->nr_counts; i++)
		if (by != STACK_ROOT_WAKER || wait_name(p->counts[i].context))
			err = add_count(t, r, of_tasks, &p->counts[i]);
	roots_destroy(r);
	if (err) {
		tree_destroy(t);
		t = NULL;
	}
	*tree = t;
	return err;
}

static bool has_tids(const struct profile *p)
{
	for (size_t i = 0; i < p->nr_counts; i++)
		if (p->counts[i].tid)
			return true;
	return false;
}

static bool has_cgroups(const struct profile *p)
{
	for (size_t i = 0; i < p->nr_aspaces; i++)
		if (p->aspaces[i].rec.cgroup_id)
			return true;
	return false;
}

static bool has_waits(const struct profile *p)
{
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].kind == KFLAME_EVENT_OFFCPU || p->events[i].kind == KFLAME_EVENT_SLEEPERS)
			return true;
	return false;
}

const char *groups_missing(const struct profile *p, enum stack_root by)
{
	if (by == STACK_ROOT_TID && !has_tids(p))
		return "the profile has no separate threads (kflame record --per-thread records them)";
	if ((by == STACK_ROOT_CGROUP || by == STACK_ROOT_CONTAINER) && !has_cgroups(p))
		return "the profile holds no cgroups (it takes a kernel with cgroup v2)";
	if (by == STACK_ROOT_RUN && !p->nr_origins)
		return "the profile is one recording (kflame merge makes one of several)";
	if (by == STACK_ROOT_STATE && !profile_shows_waits(p) && !p->wall)
		return has_waits(p) ?
		       "these samples were taken on a CPU (--wall adds the waits, --event off-cpu shows only waits)" :
		       "these samples were taken on a CPU (kflame record --off-cpu records waits)";
	if (by == STACK_ROOT_WAKER && !p->nr_wakers)
		return "the profile does not say who ended waits (kflame record --wakers records it)";
	if (by == STACK_ROOT_LABEL && !profile_has_labels(p))
		return "the profile does not say what its samples are about (kflame record --file-io records files)";
	return NULL;
}
