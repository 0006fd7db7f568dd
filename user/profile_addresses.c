// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile_addresses.c - see profile_addresses.h
 *
 * A stack that was told is a word, with its kind, its candidate and its length; another that says
 * where its callers were taken; and its addresses. One that is like another is a word that says
 * where that one is, and the address in which it differs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile_addresses.h"

#define MAX_IDS		(1u << 22)	/* of one table; the module's have half as many at most */
#define SORT_AT		(1u << 16)	/* so many addresses may be there more than once */
#define SEEN_KERNEL	(UINT64_MAX / 2)	/* as no address space says it */
#define NOWHERE		UINT64_MAX

/* In the first word of a stack */
#define IS_KERNEL	(1ull << 63)
#define HAS_CANDIDATE	(1ull << 62)	/* and the caller of a leaf, at that */
#define IS_LIKE		(1ull << 61)	/* the lower half says where that other one is */

struct profile_addresses *profile_addresses_new(void)
{
	struct profile_addresses *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->seen = seen_new();
	if (!a->seen) {
		free(a);
		return NULL;
	}
	return a;
}

static void free_late(struct profile_late *l)
{
	free(l->at);
	free(l->words);
}

void profile_addresses_free(struct profile_addresses *a)
{
	if (!a)
		return;
	free_late(&a->module);
	free_late(&a->tool);
	free(a->seen);
	free(a->user);
	free(a->kernel);
	free(a);
}

static void forget(struct profile_late *l, uint64_t base)
{
	l->base = base;
	l->nr = 0;
	l->nr_at = 0;
}

/*
 * Where the next stack belongs. The module tells the stacks of a table, then their counts, then
 * another table; the tool stacks, then counts of these, at any time.
 */
static struct profile_late *late_for(struct profile_addresses *a, uint64_t id)
{
	const uint64_t table = id & ~(uint64_t)UINT32_MAX;

	if (id & KFLAME_STACK_OF_TOOL) {
		if (a->tool_counted || !a->tool.nr)
			forget(&a->tool, id);
		a->tool_counted = false;
		return &a->tool;
	}
	if (table != a->module.base)
		forget(&a->module, table);
	return &a->module;
}

/* Note where the first word of that stack will be. Return: 0, -ENOMEM; -EBADMSG: no such id can be. */
static int note_place(struct profile_late *l, uint64_t id)
{
	uint64_t i = id - l->base;
	int err = i < MAX_IDS ? 0 : -EBADMSG;

	while (!err && l->cap_at <= i)
		err = grow_full(&l->at, &l->cap_at, sizeof(*l->at));
	if (err)
		return err;
	if (i >= l->nr_at) {
		memset(l->at + l->nr_at, 0, (i + 1 - l->nr_at) * sizeof(*l->at));
		l->nr_at = i + 1;
	}
	l->at[i] = (uint32_t)l->nr + 1;
	return 0;
}

/* The first word of a stack; NULL where it was not told */
static uint64_t *find_in(const struct profile_late *l, uint64_t id)
{
	uint64_t i = id - l->base;

	return i < l->nr_at && l->at[i] ? &l->words[l->at[i] - 1] : NULL;
}

static int room_for(struct profile_late *l, size_t nr)
{
	int err = 0;

	/* Places are told by 32 bits; no table is as large. */
	if (nr >= UINT32_MAX - l->nr)
		forget(l, l->base);
	while (!err && l->cap - l->nr < nr)
		err = grow_full(&l->words, &l->cap, sizeof(*l->words));
	return err;
}

int profile_addresses_stack(struct profile_addresses *a, const struct kflame_rec_stack *r)
{
	struct profile_late *l = late_for(a, r->id);
	int err = room_for(l, r->nr + 2);

	if (!err)
		err = note_place(l, r->id);
	if (err)
		return err;
	l->words[l->nr] = (r->kind == KFLAME_STACK_KERNEL ? IS_KERNEL : 0) |
			  (r->candidate == 1 ? HAS_CANDIDATE : 0) | r->nr;
	l->words[l->nr + 1] = NOWHERE;
	memcpy(l->words + l->nr + 2, r->ip, r->nr * sizeof(*r->ip));
	l->nr += r->nr + 2;
	return 0;
}

int profile_addresses_like(struct profile_addresses *a, uint64_t stacks,
			   const struct kflame_like *r)
{
	struct profile_late *l = late_for(a, stacks | r->number);
	int err = room_for(l, 2);
	const uint64_t *like;

	if (err)
		return err;
	like = find_in(l, stacks | r->like);
	if (!like || *like & IS_LIKE || !(uint32_t)*like)
		return -EBADMSG;
	err = note_place(l, stacks | r->number);
	if (err)
		return err;
	l->words[l->nr] = IS_LIKE | (uint64_t)(like - l->words);
	l->words[l->nr + 1] = r->ip;
	l->nr += 2;
	return 0;
}

static int by_user(const void *a, const void *b)
{
	const struct profile_address *x = a, *y = b;

	if (x->aspace != y->aspace)
		return x->aspace < y->aspace ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (int)x->before_candidate - (int)y->before_candidate;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void profile_addresses_settle(struct profile_addresses *a)
{
	a->nr_user = sort_once(a->user, a->nr_user, sizeof(*a->user), by_user);
	a->nr_kernel = sort_once(a->kernel, a->nr_kernel, sizeof(*a->kernel), by_number);
}

/* For one more; what is there twice goes, as soon as there are many, before more is taken. */
static int make_room(struct profile_addresses *a, void *array, const size_t *nr, size_t *cap,
		     size_t size)
{
	if (*nr < *cap)
		return 0;
	if (*nr >= SORT_AT)
		profile_addresses_settle(a);
	/* Not to be sorted again before half as many have come. */
	return *nr >= *cap / 2 ? grow_full(array, cap, size) : 0;
}

static int add_user(struct profile_addresses *a, uint64_t at, uint32_t aspace, bool before)
{
	int err;

	if (seen_before(a->seen, at, (uint64_t)aspace << 1 | before))
		return 0;
	err = make_room(a, &a->user, &a->nr_user, &a->cap_user, sizeof(*a->user));
	if (!err)
		a->user[a->nr_user++] = (struct profile_address){ at, aspace, before };
	return err;
}

static int add_kernel(struct profile_addresses *a, uint64_t at)
{
	int err;

	if (seen_before(a->seen, at, SEEN_KERNEL))
		return 0;
	err = make_room(a, &a->kernel, &a->nr_kernel, &a->cap_kernel, sizeof(*a->kernel));
	if (!err)
		a->kernel[a->nr_kernel++] = at;
	return err;
}

static struct profile_late *late_of(struct profile_addresses *a, uint64_t id)
{
	return id & KFLAME_STACK_OF_TOOL ? &a->tool : &a->module;
}

/* The stack whose callers it has */
static uint64_t *callers_of(const struct profile_late *l, uint64_t *s)
{
	return *s & IS_LIKE ? &l->words[(uint32_t)*s] : s;
}

static int add(struct profile_addresses *a, uint64_t at, uint64_t where, bool before)
{
	return where == SEEN_KERNEL ? add_kernel(a, at) : add_user(a, at, (uint32_t)where, before);
}

/*
 * @where: index of the address space, or SEEN_KERNEL. Callers that were taken there are not again.
 * Return: 0 or -ENOMEM; 1: no stack of that kind was told
 */
static int take(struct profile_addresses *a, uint64_t id, uint64_t where)
{
	struct profile_late *l = late_of(a, id);
	uint64_t *told = find_in(l, id), *s;
	const uint64_t *caller, *end;
	int err;

	if (id & KFLAME_STACK_OF_TOOL)
		a->tool_counted = true;
	if (!told)
		return 1;
	s = callers_of(l, told);
	if (!(*s & IS_KERNEL) != (where != SEEN_KERNEL))
		return 1;
	if (!(uint32_t)*s)
		return 0;
	err = add(a, *told & IS_LIKE ? told[1] : s[2], where, *s & HAS_CANDIDATE);
	if (s[1] == where)
		return err;
	caller = s + 3;
	end = s + 2 + (uint32_t)*s;
	for (; !err && caller < end; caller++)
		err = add(a, *caller ? *caller - 1 : 0, where, false);
	if (!err)
		s[1] = where;
	return err;
}

int profile_addresses_count(struct profile_addresses *a, uint64_t kstack, uint64_t ustack,
			    uint32_t aspace)
{
	int kernel = kstack ? take(a, kstack, SEEN_KERNEL) : 0, user;

	if (kernel < 0)
		return kernel;
	user = ustack ? take(a, ustack, aspace) : 0;
	return user < 0 ? user : kernel | user;
}
