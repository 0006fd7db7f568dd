// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * locks.c - how long threads waited for locks, asleep or in a loop, by the code that took the lock
 *
 * A stack waits for a lock if its innermost kernel frames are functions of one: see lock_functions.c.  A thread that
 * holds a lock and waits for something else has other functions inside of them.
 */
#include "profile/waits.h"
#include "stacks/names.h"
#include "views/lock_functions.h"
#include "views/locks.h"

static bool is_kernel(const struct frame *f)
{
	return f->kind == FRAME_KERNEL || f->kind == FRAME_SOFTIRQ;
}

static bool is_user(const struct frame *f)
{
	return f->kind == FRAME_USER || f->kind == FRAME_INLINED;
}

/* Skips functions of a lock, from frame @nr - 1 out.  Return: number of frames left; @kind: by the outermost one */
static size_t skip(const struct frame *frames, size_t nr, bool (*of)(const struct frame *f),
		   enum lock_kind (*kind_of)(const struct frame *f), enum lock_kind *kind)
{
	while (nr && of(&frames[nr - 1])) {
		const enum lock_kind k = kind_of(&frames[nr - 1]);

		if (k == LOCK_NOT)
			break;
		if (k != LOCK_PART)
			*kind = k;
		nr--;
	}
	return nr;
}

/* The function that takes the lock, if the lock's own functions are those from frame @nr on */
static struct frame site_at(const struct frame *frames, size_t nr)
{
	if (nr && (is_kernel(&frames[nr - 1]) || is_user(&frames[nr - 1])))
		return frames[nr - 1];
	return (struct frame){ .name = "[caller not known]", .kind = FRAME_NOTE };
}

const char *locks_find(const struct frame *frames, size_t nr, struct frame *site)
{
	enum lock_kind kind = LOCK_NOT;

	nr = frames_before_waker(frames, nr);
	while (nr && frames[nr - 1].kind == FRAME_NOTE)
		nr--;
	nr = skip(frames, nr, is_kernel, lock_of_kernel, &kind);
	if (kind == LOCK_NOT)
		return NULL;
	if (kind == LOCK_FUTEX) {
		while (nr && is_kernel(&frames[nr - 1]))
			nr--;
		nr = skip(frames, nr, is_user, lock_of_user, &kind);
	}
	*site = site_at(frames, nr);
	return lock_name(kind);
}

const char *locks_find_spin(const struct frame *frames, size_t nr, struct frame *site)
{
	enum lock_kind kind = LOCK_NOT;

	if (!nr || !is_kernel(&frames[nr - 1]) || !lock_spins_in_kernel(&frames[nr - 1]))
		return NULL;
	nr = skip(frames, nr, is_kernel, lock_of_kernel, &kind);
	*site = site_at(frames, nr);
	return lock_name(kind == LOCK_NOT ? LOCK_SPINLOCK : kind);
}

static const char *waker_name(const struct profile_waker *w)
{
	switch (w->context) {
	case KFLAME_CTX_IRQ:
		return "interrupt";
	case KFLAME_CTX_SOFTIRQ:
		return "softirq";
	case KFLAME_CTX_IDLE:
		return "idle task";
	default:
		return w->comm[0] ? w->comm : "[no name]";
	}
}

/* What row_of() needs */
struct locks {
	const struct profile *p;
};

/* A wait_row_fn */
static int row_of(void *ctx, const struct profile_count *c, const struct frame *frames, size_t nr, struct wait_row *row)
{
	const struct profile *p = ((const struct locks *)ctx)->p;

	if (!wait_name(c->context) || wait_is_for_cpu(c->context))
		return 0;
	row->lock = locks_find(frames, nr, &row->frame);
	row->comm = c->comm[0] ? c->comm : "[no name]";
	row->woken_by = c->waker < p->nr_wakers ? waker_name(&p->wakers[c->waker]) : NULL;
	return row->lock ? 1 : 0;
}

int locks_make(struct wait_table *t, const struct profile *p, struct filter *filter)
{
	*t = (struct wait_table){ .rows = NULL };
	return wait_table_make(t, p, filter, row_of, &(struct locks){ p });
}

/* A wait_row_fn */
static int row_of_spin(void *ctx, const struct profile_count *c, const struct frame *frames, size_t nr,
		       struct wait_row *row)
{
	(void)ctx;
	if (wait_name(c->context))
		return 0;
	row->lock = locks_find_spin(frames, nr, &row->frame);
	row->comm = c->comm[0] ? c->comm : "[no name]";
	return row->lock ? 1 : 0;
}

int locks_make_spins(struct wait_table *t, const struct profile *p, struct filter *filter)
{
	*t = (struct wait_table){ .rows = NULL };
	return wait_table_make(t, p, filter, row_of_spin, NULL);
}
