// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_load.c - fills a struct view_data in, from a profile or from folded stacks
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/message.h"
#include "html/view_load.h"
#include "profile/waits.h"
#include "stacks/folded.h"
#include "stacks/load.h"
#include "stacks/stack_root.h"
#include "views/groups.h"

/* How the values of most dimensions are found; STACK_ROOT_NONE: in another way */
static const enum stack_root root_of[VIEW_DIMS] = {
	[VIEW_PID] = STACK_ROOT_PID, [VIEW_TID] = STACK_ROOT_TID,
	[VIEW_CGROUP] = STACK_ROOT_CGROUP, [VIEW_CONTAINER] = STACK_ROOT_CONTAINER,
	[VIEW_HOST] = STACK_ROOT_HOST, [VIEW_RUN] = STACK_ROOT_RUN, [VIEW_CPU] = STACK_ROOT_CPU,
	[VIEW_STATE] = STACK_ROOT_STATE, [VIEW_WAKER] = STACK_ROOT_WAKER, [VIEW_LABEL] = STACK_ROOT_LABEL,
};

enum view_dim view_dim_of(enum stack_root root)
{
	if (root == STACK_ROOT_EVENT)
		return VIEW_EVENT;
	for (int dim = 0; dim < VIEW_DIMS && root != STACK_ROOT_NONE; dim++)
		if (root_of[dim] == root)
			return (enum view_dim)dim;
	return VIEW_DIMS;
}

struct loading {
	struct view_data *d;
	const struct profile *p;
	struct roots *roots[VIEW_DIMS];
	struct view_counts *counts;
	const uint32_t *spots;
	uint32_t side;
	struct frame *frames;	/* of a stack, and one more */
	size_t cap;
};

static int failed(int err)
{
	if (err == -EOVERFLOW) {
		complain("the counts add up to more than 2^53, which browsers do not add up exactly. Choose a part of the recording with --from and --to");
		return err;
	}
	return load_failed(err, "reading the stacks for the viewer");
}

/* A profile of one host needs no host in each context */
static bool is_wanted(const struct profile *p, enum view_dim dim)
{
	if (dim == VIEW_HOST)
		return p->nr_origins > 1;
	if (dim == VIEW_CPU)
		return !p->nr_origins;
	if (dim == VIEW_STATE)
		return true;
	return root_of[dim] != STACK_ROOT_NONE && !groups_missing(p, root_of[dim]);
}

static int make_roots(struct loading *l)
{
	for (int dim = 0; dim < VIEW_DIMS; dim++) {
		if (!is_wanted(l->p, (enum view_dim)dim))
			continue;
		l->roots[dim] = roots_create(l->p, root_of[dim]);
		if (!l->roots[dim])
			return -ENOMEM;
	}
	return 0;
}

static int find_event(struct loading *l, const struct profile_count *c, uint32_t *value)
{
	static const char timer[] = "cpu-clock";
	const struct profile_event *e = profile_find_event(l->p, c->event);
	struct view_event v = { .is_timer = !e || e->kind == KFLAME_EVENT_TIMER };

	snprintf(v.name, sizeof(v.name), "%s", e && *e->name ? e->name : timer);
	if (e && e->unit != KFLAME_UNIT_NS)
		snprintf(v.counted, sizeof(v.counted), "%s", e->unit == KFLAME_UNIT_BYTES ? "bytes" : e->counted);
	v.is_wait = e && (e->kind == KFLAME_EVENT_OFFCPU || e->kind == KFLAME_EVENT_SLEEPERS);
	return view_data_event(l->d, &v, value);
}

/* Idle time and gaps belong to no process, thread or cgroup */
static bool has_value(const struct loading *l, int dim, const struct profile_count *c)
{
	if (!l->roots[dim])
		return false;
	if (dim == VIEW_CPU || dim == VIEW_STATE || dim == VIEW_HOST || dim == VIEW_RUN)
		return true;
	return c->context != KFLAME_CTX_IDLE && c->context != KFLAME_CTX_GAP;
}

static int find_context(struct loading *l, const struct profile_count *c, const struct frame *thread,
			uint32_t *context)
{
	struct view_context v;
	struct frame f;
	int err = 0;

	memset(&v, 0xff, sizeof(v));
	for (int dim = 0; dim < VIEW_DIMS && !err; dim++) {
		if (!has_value(l, dim, c))
			continue;
		err = roots_frame(l->roots[dim], c, &f);
		if (!err)
			err = view_data_value(l->d, (enum view_dim)dim, f.name, &v.value[dim]);
	}
	if (!err && thread)
		err = view_data_value(l->d, VIEW_COMM, thread->name, &v.value[VIEW_COMM]);
	if (!err)
		err = find_event(l, c, &v.value[VIEW_EVENT]);
	v.value[VIEW_SIDE] = l->side;
	if (l->spots)
		v.spot = l->spots[c - l->p->counts];
	return err ? err : view_data_context(l->d, &v, context);
}

/* Late time has no samples of its own, and is a note on top of the stack: see profile_each_stack() */
static int add_late(struct loading *l, const struct frame *frames, size_t nr, uint32_t context, uint64_t late,
		    uint32_t *fact)
{
	int err = grow(&l->frames, nr, &l->cap, sizeof(*l->frames));

	if (err)
		return err;
	if (nr)
		memcpy(l->frames, frames, nr * sizeof(*frames));
	l->frames[nr] = (struct frame){ .name = STACK_LATE, .kind = FRAME_NOTE };
	return view_data_add(l->d, l->frames, nr + 1, context, 0, late, fact);
}

static int add_count(void *ctx, size_t count, const struct frame *frames, size_t nr)
{
	struct loading *l = ctx;
	const struct profile_count *c = &l->p->counts[count];
	const bool has_thread = frames[0].kind == FRAME_COMM;
	const bool splits = c->context != KFLAME_CTX_IDLE && c->context != KFLAME_CTX_GAP;
	const uint64_t late = splits ? c->late_ns : 0;
	uint32_t context, fact, late_fact = VIEW_NONE;
	int err = find_context(l, c, has_thread ? &frames[0] : NULL, &context);

	frames += has_thread;
	nr -= has_thread;
	if (!err)
		err = view_data_add(l->d, frames, nr, context, c->samples, c->weight_ns - late, &fact);
	if (!err && late)
		err = add_late(l, frames, nr, context, late, &late_fact);
	if (!err && l->counts) {
		l->counts->fact[2 * count] = fact;
		l->counts->fact[2 * count + 1] = late_fact;
	}
	return err;
}

static int use_side(struct view_data *d, const char *side, uint32_t *value)
{
	*value = VIEW_NONE;
	return side ? view_data_value(d, VIEW_SIDE, side, value) : 0;
}

int view_load_profile(struct view_data *d, const struct profile *p, const char *side, const uint32_t *spots,
		      struct view_counts *counts)
{
	struct loading l = { .d = d, .p = p, .spots = spots, .counts = counts };
	int err = use_side(d, side, &l.side);

	if (!err)
		err = make_roots(&l);
	if (!err && counts) {
		counts->fact = calloc(2 * p->nr_counts + 1, sizeof(*counts->fact));
		err = counts->fact ? 0 : -ENOMEM;
	}
	if (!err)
		err = profile_each_count(p, add_count, &l);
	for (int dim = 0; dim < VIEW_DIMS; dim++)
		roots_destroy(l.roots[dim]);
	free(l.frames);
	return err ? failed(err) : 0;
}

/* ------------------------------------------------------------------ folded stacks */

struct folding {
	struct view_data *d;
	struct view_context context;
};

static int add_folded(void *ctx, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	struct folding *f = ctx;
	uint32_t context;
	int err = view_data_value(f->d, VIEW_COMM, frames[0].name, &f->context.value[VIEW_COMM]);

	if (!err)
		err = view_data_context(f->d, &f->context, &context);
	(void)ns;
	if (!err)
		err = view_data_add(f->d, frames + 1, nr - 1, context, samples, samples, NULL);
	/* The reader of folded stacks skips a line for -EOVERFLOW. Without that line, all shares would be wrong. */
	return err == -EOVERFLOW ? -ERANGE : err;
}

int view_load_folded(struct view_data *d, const char *path, const char *side, int *status)
{
	const bool is_stdin = !path || !strcmp(path, "-");
	const char *name = is_stdin ? "standard input" : path;
	struct view_event e = { .name = "samples", .counted = "samples" };
	struct folding f = { .d = d };
	struct folded_read result;
	FILE *in = is_stdin ? stdin : input_stream(path);
	int err;

	if (!in) {
		err = -errno;
		complain("cannot read %s: %s; give a file of folded stacks", name, strerror(-err));
		return err;
	}
	memset(&f.context, 0xff, sizeof(f.context));
	err = use_side(d, side, &f.context.value[VIEW_SIDE]);
	if (!err)
		err = view_data_event(d, &e, &f.context.value[VIEW_EVENT]);
	if (!err)
		err = folded_each_stack(in, name, add_folded, &f, &result);
	if (!is_stdin)
		fclose(in);
	if (err == -ERANGE) {
		complain("%s: the counts add up to more than 2^53, which browsers do not add up exactly. Divide all of them by the same number", name);
		return err;
	}
	return err ? failed(err) : load_check_folded(name, &result, status);
}
