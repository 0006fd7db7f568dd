// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * addresses.c - see addresses.h
 *
 * A recorded stack is a word, with its kind, its candidate and its length. If it is one of user
 * mode, it is another that says in which address space all of it was taken, and its addresses; or, if
 * it is like another, the first word says where that one is, and the second is the address in which it
 * differs. The addresses of kernel stacks are taken at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/addresses.h"
#include "profile/stack_end.h"

#define MAX_IDS		(1u << 22)	/* of one table; the module's have half as many at most */
#define SORT_AT		(1u << 16)	/* so many addresses may be there more than once */
#define SEEN_KERNEL	(UINT64_MAX / 2)	/* as no address space says it */
#define NOWHERE		UINT64_MAX

/* In the first word of a stack */
#define IS_KERNEL	(1ull << 63)
#define HAS_CANDIDATE	(1ull << 62)	/* and the caller of a leaf, at that */
#define IS_LIKE		(1ull << 61)	/* the lower half says where that other one is */
#define IS_CUT		(1ull << 60)	/* stack_is_cut() */
#define IS_LATE		(1ull << 59)	/* stack_is_late() */

struct profile_addresses *profile_addresses_create(void)
{
	struct profile_addresses *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->seen = seen_create();
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

void profile_addresses_destroy(struct profile_addresses *a)
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

/* The first word of a stack; NULL where it did not come */
static uint64_t *find_in(const struct profile_late *l, uint64_t id)
{
	uint64_t i = id - l->base;

	return i < l->nr_at && l->at[i] ? &l->words[l->at[i] - 1] : NULL;
}

static int room_for(struct profile_late *l, size_t nr)
{
	int err = 0;

	/* Places have 32 bits; no table is as large. */
	if (nr >= UINT32_MAX - l->nr)
		forget(l, l->base);
	while (!err && l->cap - l->nr < nr)
		err = grow_full(&l->words, &l->cap, sizeof(*l->words));
	return err;
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

/* Of return addresses they are in the call, not after it */
static int add_kernel_stack(struct profile_addresses *a, const struct kflame_rec_stack *r)
{
	int err = r->nr ? add_kernel(a, r->ip[0]) : 0;

	for (uint32_t i = 1; !err && i < r->nr; i++)
		err = add_kernel(a, r->ip[i] ? r->ip[i] - 1 : 0);
	return err;
}

int profile_addresses_stack(struct profile_addresses *a, const struct kflame_rec_stack *r)
{
	const bool kernel = r->kind == KFLAME_STACK_KERNEL;
	struct profile_late *l = late_for(a, r->id);
	int err = room_for(l, kernel ? 1 : r->nr + 2);

	if (!err)
		err = note_place(l, r->id);
	if (err)
		return err;
	l->words[l->nr++] = (kernel ? IS_KERNEL : 0) | (r->candidate == 1 ? HAS_CANDIDATE : 0) |
			    (stack_is_cut(r->end) ? IS_CUT : 0) |
			    (stack_is_late(r->end) ? IS_LATE : 0) | r->nr;
	if (kernel)
		return add_kernel_stack(a, r);
	l->words[l->nr++] = NOWHERE;
	memcpy(l->words + l->nr, r->ip, r->nr * sizeof(*r->ip));
	l->nr += r->nr;
	return 0;
}

static int take_like(struct profile_addresses *a, struct profile_late *l, uint64_t stacks,
		     const struct kflame_like *r)
{
	const uint64_t *like = find_in(l, stacks | r->like);
	int err;

	if (!r->number || !like || *like & IS_LIKE || !(uint32_t)*like)
		return -EBADMSG;
	err = note_place(l, stacks | r->number);
	if (err)
		return err;
	if (*like & IS_KERNEL) {
		l->words[l->nr++] = IS_KERNEL | IS_LIKE;
		return add_kernel(a, r->ip);
	}
	l->words[l->nr++] = IS_LIKE | (uint64_t)(like - l->words);
	l->words[l->nr++] = r->ip;
	return 0;
}

int profile_addresses_likes(struct profile_addresses *a, uint64_t stacks,
			    const struct kflame_like *r, uint32_t nr)
{
	struct profile_late *l = late_for(a, stacks);
	int err = room_for(l, (size_t)nr * 2), damage = 0;

	for (uint32_t i = 0; !err && i < nr; i++) {
		err = take_like(a, l, stacks, &r[i]);
		if (err == -EBADMSG) {
			damage = err;
			err = 0;
		}
	}
	return err ? err : damage;
}

static struct profile_late *late_of(struct profile_addresses *a, uint64_t id)
{
	return id & KFLAME_STACK_OF_TOOL ? &a->tool : &a->module;
}

/* The first word of a stack that a count names; NULL where none of that kind came */
static uint64_t *named(struct profile_addresses *a, uint64_t id, uint64_t kind)
{
	uint64_t *word = find_in(late_of(a, id), id);

	if (id & KFLAME_STACK_OF_TOOL)
		a->tool_counted = true;
	return word && (*word & IS_KERNEL) == kind ? word : NULL;
}

/* A user stack's first word, not one that is like another: so many samples more */
static void add_samples(struct profile_addresses *a, uint64_t word, uint64_t samples)
{
	if (!(uint32_t)word)
		return;
	a->samples += samples;
	if (word & IS_CUT)
		a->cut += samples;
	if (word & IS_LATE)
		a->late += samples;
}

/*
 * A user stack, which is one of an address space. Callers that were taken there are not again.
 * Return: 0 or -ENOMEM
 */
static int take_user(struct profile_addresses *a, const struct profile_late *l, uint64_t *word,
		     uint32_t aspace, uint64_t samples)
{
	uint64_t *s = *word & IS_LIKE ? &l->words[(uint32_t)*word] : word;
	const uint64_t *caller, *end;
	int err;

	add_samples(a, *s, samples);
	if (s[1] == aspace && s == word)
		return 0;
	if (!(uint32_t)*s)
		return 0;
	err = add_user(a, s == word ? s[2] : word[1], aspace, *s & HAS_CANDIDATE);
	if (s[1] == aspace)
		return err;
	caller = s + 3;
	end = s + 2 + (uint32_t)*s;
	for (; !err && caller < end; caller++)
		err = add_user(a, *caller ? *caller - 1 : 0, aspace, false);
	/* Of its own first address that says that it was taken, too. */
	if (!err && s == word)
		s[1] = aspace;
	return err;
}

int profile_addresses_count(struct profile_addresses *a, uint64_t kstack, uint64_t ustack,
			    uint32_t aspace, uint64_t samples)
{
	/* What is in a kernel stack was taken when it came. */
	const bool kernel = !kstack || named(a, kstack, IS_KERNEL);
	uint64_t *word = ustack ? named(a, ustack, 0) : NULL;
	int err = word ? take_user(a, late_of(a, ustack), word, aspace, samples) : 0;

	return err ? err : !kernel || (ustack && !word);
}

bool profile_addresses_known(struct profile_addresses *a, uint64_t stacks, uint32_t kstack,
			     uint32_t ustack, uint32_t aspace, uint64_t samples)
{
	const struct profile_late *l = &a->module;
	const uint64_t *word;

	if (stacks != l->base)
		return false;
	word = kstack ? find_in(l, stacks | kstack) : NULL;
	if (kstack && !(word && *word & IS_KERNEL))
		return false;
	word = ustack ? find_in(l, stacks | ustack) : NULL;
	if (!ustack)
		return true;
	if (!word || *word & (IS_KERNEL | IS_LIKE) || word[1] != aspace)
		return false;
	add_samples(a, *word, samples);
	return true;
}
