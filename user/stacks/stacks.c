// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacks.c - a profile's counts as named stacks
 *
 * The frames of a stack, outermost first:
 * - the root frame (cgroup, process, ...), if it is wanted
 * - the thread's name
 * - a note about the user stack, if there is one
 * - user frames, each followed by its inlined functions
 * - kernel frames, each followed by its inlined functions
 * - the label, if it is wanted: see struct naming.labels
 * - notes about a wait: [runnable] or [preempted], and [still waiting]
 * - with struct naming.wakers: the note [woken by ...], then the frames of the waker, innermost first
 *
 * Every sample and every nanosecond of a count is passed on exactly once.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/waits.h"
#include "stacks/frame_place.h"
#include "stacks/names.h"
#include "stacks/stack_root.h"
#include "stacks/stacks.h"
#include "stacks/waker_frames.h"

#define MAX_FRAMES	4096	/* also the limit for a stack in a profile */

/* A stack that is being built for the callback */
struct build {
	const struct profile *p;
	struct names *names;
	struct frame *frames;
	struct place *places;	/* of each frame, only with .sample_fn */
	size_t nr, cap, cap_places;
	stack_fn stack_fn;	/* one of these three is the callback */
	sample_fn sample_fn;
	count_fn count_fn;
	void *ctx;
};

static int push(struct build *b, const struct frame *f, const struct place *at)
{
	int err = grow(&b->frames, b->nr, &b->cap, sizeof(*b->frames));

	if (!err && b->sample_fn)
		err = grow(&b->places, b->nr, &b->cap_places, sizeof(*b->places));
	if (err)
		return err;
	if (b->sample_fn)
		b->places[b->nr] = at ? *at : (struct place){ 0 };
	b->frames[b->nr++] = *f;
	return 0;
}

static int push_note(struct build *b, const char *name)
{
	return push(b, &(struct frame){ .name = name, .kind = FRAME_NOTE }, NULL);
}

/* The note between the thread and its outermost user frame */
static const char *note_before(uint32_t end)
{
	switch (end & KFLAME_END_MASK) {
	case KFLAME_END_FAULT:		return "[truncated: page absent]";
	case KFLAME_END_DEPTH:		return "[truncated: depth]";
	case KFLAME_END_COMPAT:		return "[32-bit: no stack]";
	case KFLAME_END_EXEC:		return "[exec]";
	case KFLAME_END_IO_WORKER:	return "[io worker]";
	case KFLAME_END_NO_MM:		return "[exiting]";
	case KFLAME_END_FOREIGN_MM:	return "[foreign page tables]";
	case KFLAME_END_NO_REGS:	return "[no user registers]";
	case KFLAME_END_PENDING:	return "[unwind table pending]";
	case KFLAME_END_NO_RULE:	return "[no unwind information]";
	case KFLAME_END_NO_MAP:		return "[truncated: no code there]";
	case KFLAME_END_BAD_CFA:	return "[truncated: unwind information is wrong]";
	case KFLAME_END_CUT:		return "[truncated: copy too short]";
	case KFLAME_END_UNWINDER:	return "[truncated: not unwound]";
	default:			return NULL;
	}
}

/*
 * Number of valid frames of a user stack.  Code without frame pointers uses that register for other
 * values, so the words found by it need not be return addresses.  Words at the outer end of a stack are
 * invalid if they are in no executable mapping and in no code that a compiler reported.  This applies
 * only if the process's mappings are known, and even if a zero word looked like the end of the stack.
 */
static uint32_t real_frames(const struct profile *p, const struct profile_count *c,
			    const struct profile_stack *s)
{
	const struct profile_aspace *as;
	uint32_t nr = s->nr;

	if (c->aspace >= p->nr_aspaces || (s->end & KFLAME_END_MASK) == KFLAME_END_DEPTH)
		return nr;
	as = &p->aspaces[c->aspace];
	if (!as->reported || as->rec.state != KFLAME_ASPACE_MAPPED || !as->nr_maps)
		return nr;
	while (nr > 1 && !profile_is_function(profile_stack_ip(s, nr - 1)) &&
	       !profile_map(p, c->aspace, profile_stack_ip(s, nr - 1) - 1) &&
	       !profile_symbol(&as->syms, profile_stack_ip(s, nr - 1) - 1))
		nr--;
	return nr;
}

/* Adds a function and then its inlined functions; @source is NULL if there are none */
static int push_function(struct build *b, struct frame *f, const struct place *at,
			 const struct profile_source *source)
{
	struct place inlined;
	int err = push(b, f, at);

	/* A tree would not keep more frames. */
	if (err || !source || b->nr > MAX_FRAMES)
		return err;
	for (uint32_t level = source->nr - 1; !err && level-- > 0;) {
		err = names_inlined(b->names, source, level, f);
		if (!err && b->sample_fn)
			inlined = place_inlined(b->p, at, source, level);
		if (!err)
			err = push(b, f, &inlined);
	}
	return err;
}

/* Is one of the frames from @first on the start of a program or a thread? */
static bool has_start(const struct build *b, size_t first)
{
	static const char *const starts[] = {
		"main", "_start", "start_thread", "thread_start", "clone", "clone3",
		"__libc_start_main", "__libc_start_call_main",
	};

	for (size_t i = first; i < b->nr; i++)
		for (size_t k = 0; k < sizeof(starts) / sizeof(*starts); k++)
			if (!strcmp(b->frames[i].name, starts[k]))
				return true;
	return false;
}

/*
 * Inserts a note before frame @first, which is at @ip: its callers are missing, because its code uses the
 * frame pointer register for other values.
 */
static int insert_cut(struct build *b, size_t first, uint32_t aspace, uint64_t ip)
{
	struct frame f;
	int err = names_cut(b->names, aspace, ip, &f);

	if (!err)
		err = push(b, &f, NULL);
	if (err)
		return err;
	memmove(&b->frames[first + 1], &b->frames[first],
		(b->nr - 1 - first) * sizeof(*b->frames));
	b->frames[first] = f;
	if (!b->sample_fn)
		return 0;
	memmove(&b->places[first + 1], &b->places[first],
		(b->nr - 1 - first) * sizeof(*b->places));
	b->places[first] = (struct place){ 0 };
	return 0;
}

static int push_user(struct build *b, const struct profile *p, const struct profile_count *c)
{
	const struct profile_source *source;
	const struct profile_stack *s;
	const char *note;
	struct place at;
	uint32_t nr;
	size_t first;
	struct frame f;
	int err = 0;

	if (c->ustack == PROFILE_NONE)
		return 0;
	if (c->ustack == PROFILE_LOST)
		return push_note(b, "[damaged: user stack]");
	s = &p->stacks[c->ustack];
	note = note_before(s->end);
	if (note)
		err = push_note(b, note);
	nr = real_frames(p, c, s);
	first = b->nr;
	for (uint32_t i = nr; !err && i-- > 0;) {
		if (i && i == s->candidate &&
		    !names_keep(b->names, c->aspace, profile_stack_ip(s, i - 1)))
			continue;
		err = names_user(b->names, c->aspace, profile_stack_ip(s, i), i > 0, &f, &source);
		if (!err && b->sample_fn)
			at = place_user(p, c->aspace, profile_stack_ip(s, i), i > 0);
		if (!err)
			err = push_function(b, &f, &at, source);
	}
	if (!err && nr && !note && ((s->end & KFLAME_END_MASK) == KFLAME_END_BAD_FP || nr < s->nr) &&
	    profile_map(p, c->aspace, profile_stack_ip(s, nr - 1)) && !has_start(b, first))
		err = insert_cut(b, first, c->aspace, profile_stack_ip(s, nr - 1));
	return err;
}

/* @wakes: it is the stack of a waker: without what an interrupt interrupted */
static int push_kernel(struct build *b, const struct profile *p, const struct profile_count *c, bool wakes)
{
	const struct profile_source *source;
	const struct profile_stack *s;
	struct place at;
	struct frame f;
	int err = 0;

	if (c->kstack == PROFILE_NONE)
		return 0;
	if (c->kstack == PROFILE_LOST)
		return push_note(b, "[damaged: kernel stack]");
	s = &p->stacks[c->kstack];
	for (uint32_t i = wakes ? waker_frames(p, s, c->context) : s->nr; !err && i-- > 0;) {
		/* Skip a candidate: there is no unwind information of the kernel to verify it. */
		if (i && i == s->candidate)
			continue;
		err = names_kernel(b->names, profile_stack_ip(s, i), i > 0, &f, &source);
		if (!err && b->sample_fn)
			at = place_kernel(p, profile_stack_ip(s, i), i > 0);
		if (c->context == KFLAME_CTX_SOFTIRQ && f.kind == FRAME_KERNEL)
			f.kind = FRAME_SOFTIRQ;
		if (!err)
			err = push_function(b, &f, &at, source);
	}
	return err;
}

/* Reverses the order of the frames from @first on */
static void reverse(struct build *b, size_t first)
{
	for (size_t i = first, k = b->nr; i + 1 < k; i++) {
		const struct frame f = b->frames[--k];

		b->frames[k] = b->frames[i];
		b->frames[i] = f;
		if (b->sample_fn) {
			const struct place at = b->places[k];

			b->places[k] = b->places[i];
			b->places[i] = at;
		}
	}
}

/*
 * The waker's frames go from the wake-up outwards.  So an inlined function comes before the function that it
 * was inlined into, and readers of places expect it after that one: it is shown as a function of its own.
 */
static void end_inlining(struct build *b, size_t first)
{
	for (size_t i = first; i < b->nr; i++) {
		if (b->frames[i].kind == FRAME_INLINED)
			b->frames[i].kind = FRAME_USER;
		if (b->sample_fn && b->places[i].inlined)
			b->places[i] = (struct place){ 0 };
	}
}

/* Adds who ended the wait, if that is wanted and known */
static int push_waker(struct build *b, const struct profile *p, const struct profile_count *c)
{
	const struct profile_waker *w = c->waker < p->nr_wakers ? &p->wakers[c->waker] : NULL;
	struct profile_count who = { .waker = PROFILE_NONE };
	struct frame seam;
	size_t first;
	int err;

	if (c->waker == PROFILE_NONE || !names_shows_wakers(b->names))
		return 0;
	err = names_waker(b->names, w, &seam);
	if (!err)
		err = push(b, &seam, NULL);
	if (err || !w)
		return err;
	first = b->nr;
	who.aspace = w->aspace;
	who.context = w->context;
	who.kstack = w->kstack;
	who.ustack = w->ustack;
	err = push_user(b, p, &who);
	if (!err)
		err = push_kernel(b, p, &who, true);
	end_inlining(b, first);
	reverse(b, first);
	return err;
}

/* Adds the root frame, if it is wanted.  An idle CPU belongs to no process, and is a state of its own */
static int push_root(struct build *b, const struct profile *p, const struct profile_count *c)
{
	struct frame f;
	int err;

	if (!p->roots || c->context == KFLAME_CTX_IDLE)
		return 0;
	err = roots_frame(p->roots, c, &f);
	return err ? err : push(b, &f, NULL);
}

static int push_label(struct build *b, const struct profile_count *c)
{
	const char *label = profile_label(b->p, c);

	return label && names_shows_labels(b->names) ? push_note(b, label) : 0;
}

static int push_wait(struct build *b, const struct profile_count *c)
{
	int err = 0;

	if (wait_is_for_cpu(c->context))
		err = push_note(b, wait_state(c->context) == KFLAME_CTX_RUNNABLE ? "[runnable]" : "[preempted]");
	if (!err && c->context & KFLAME_CTX_STILL)
		err = push_note(b, "[still waiting]");
	return err;
}

static int build(struct build *b, const struct profile *p, const struct profile_count *c)
{
	struct frame comm = { .name = c->comm[0] ? c->comm : "[no name]", .kind = FRAME_COMM };
	int err;

	b->nr = 0;
	if (c->context == KFLAME_CTX_GAP)
		return push_note(b, "[gap]");
	if (c->context == KFLAME_CTX_IDLE)
		comm.name = "swapper";
	if (c->context == KFLAME_CTX_IDLE && p->wall && p->roots && roots_show_states(p->roots))
		comm = (struct frame){ .name = state_name(c->context), .kind = FRAME_ROOT };
	err = push_root(b, p, c);
	if (!err)
		err = push(b, &comm, NULL);
	if (!err && c->context == KFLAME_CTX_IDLE)
		err = push_note(b, "[idle]");
	if (!err && c->context == KFLAME_CTX_GUEST)
		err = push_note(b, "[guest]");
	if (!err && c->context != KFLAME_CTX_IDLE)
		err = push_user(b, p, c);
	if (!err)
		err = push_kernel(b, p, c, false);
	if (!err)
		err = push_label(b, c);
	if (!err)
		err = push_wait(b, c);
	return err ? err : push_waker(b, p, c);
}

static const char *cgroup_of(const struct profile *p, const struct profile_count *c)
{
	if (c->aspace >= p->nr_aspaces)
		return NULL;
	return profile_cgroup(p, p->aspaces[c->aspace].rec.cgroup_id);
}

static int give_part(struct build *b, const struct profile_count *c, uint64_t samples, uint64_t ns, bool is_late)
{
	struct sample s = {
		.frames = b->frames, .places = b->places, .nr = b->nr, .samples = samples, .ns = ns,
		.tgid = c->tgid, .tid = c->tid, .count = (size_t)(c - b->p->counts), .is_late = is_late,
	};

	if (b->stack_fn)
		return b->stack_fn(b->ctx, b->frames, b->nr, samples, ns);
	s.cgroup = cgroup_of(b->p, c);
	s.host = profile_count_host(b->p, c);
	s.run = profile_count_run(b->p, c);
	s.state = wait_name(c->context);
	s.label = profile_label(b->p, c);
	s.event = b->p->event || !c->event ? NULL : profile_find_event(b->p, c->event);
	return b->sample_fn(b->ctx, &s);
}

static int give(struct build *b, const struct profile_count *c)
{
	uint64_t late = c->late_ns;
	int err;

	/* Late time of an idle CPU is idle time. A gap is late as a whole. */
	if (c->context == KFLAME_CTX_IDLE || c->context == KFLAME_CTX_GAP)
		late = 0;
	err = give_part(b, c, c->samples, c->weight_ns - late, false);
	if (err || !late)
		return err;
	err = push_note(b, STACK_LATE);
	if (err)
		return err;
	return give_part(b, c, 0, late, true);
}

static int each_count(struct build *b)
{
	const struct profile *p = b->p;
	int err = 0;

	b->names = p->names;
	if (!b->names)
		return -ENOMEM;
	for (size_t i = 0; !err && i < p->nr_counts; i++) {
		err = build(b, p, &p->counts[i]);
		if (!err && b->count_fn)
			err = b->count_fn(b->ctx, i, b->frames, b->nr);
		else if (!err)
			err = give(b, &p->counts[i]);
	}
	free(b->frames);
	free(b->places);
	return err;
}

int profile_each_stack(const struct profile *p, stack_fn fn, void *ctx)
{
	return each_count(&(struct build){ .p = p, .stack_fn = fn, .ctx = ctx });
}

int profile_each_sample(const struct profile *p, sample_fn fn, void *ctx)
{
	return each_count(&(struct build){ .p = p, .sample_fn = fn, .ctx = ctx });
}

int profile_each_count(const struct profile *p, count_fn fn, void *ctx)
{
	return each_count(&(struct build){ .p = p, .count_fn = fn, .ctx = ctx });
}
