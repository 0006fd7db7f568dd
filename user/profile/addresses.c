// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * addresses.c - see addresses.h
 *
 * Each recorded stack is a sequence of words. The first word has the kind, the candidate and the length.
 * - A user stack has a second word: the address space for which all its addresses were added. Its
 *   addresses follow.
 * - A user stack that shares the callers of another stack has two words. The first holds the position
 *   of the other stack, the second the innermost address.
 * - A kernel stack has the first word only. Its addresses are added as soon as its record is read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/addresses.h"
#include "profile/private.h"
#include "profile/stack_end.h"

#define MAX_IDS		(1u << 22)	/* of one table; the module's tables have at most half as many */
#define SORT_AT		(1u << 16)	/* below this many addresses, duplicates are not removed */
#define SEEN_KERNEL	(UINT64_MAX / 2)	/* key of kernel addresses; no address space has it */
#define NOWHERE		UINT64_MAX

/* In the first word of a stack */
#define IS_KERNEL	(1ull << 63)
#define HAS_CANDIDATE	(1ull << 62)	/* the candidate is address 1, the caller of a leaf function */
#define IS_LIKE		(1ull << 61)	/* shares the callers of the stack at the lower half's position */
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
 * Returns the list that the next stack belongs to. The module reports the stacks of a table, then their
 * counts, then the next table. The tool writes stacks, then their counts, at any time.
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

/* Notes where the first word of stack @id will be. Return: 0; -ENOMEM; -EBADMSG if @id is impossible. */
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

/* The first word of a stack; NULL if no record of it was read */
static uint64_t *find_in(const struct profile_late *l, uint64_t id)
{
	uint64_t i = id - l->base;

	return i < l->nr_at && l->at[i] ? &l->words[l->at[i] - 1] : NULL;
}

static int room_for(struct profile_late *l, size_t nr)
{
	int err = 0;

	/* Positions have 32 bits. A valid table is smaller, so start anew. */
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

/* Makes room for one more address. A large array loses its duplicates before it may grow. */
static int make_room(struct profile_addresses *a, void *array, const size_t *nr, size_t *cap,
		     size_t size)
{
	if (*nr < *cap)
		return 0;
	if (*nr >= SORT_AT)
		profile_addresses_settle(a);
	/* Grow if it is still half full. Otherwise every few additions would sort the array again. */
	return *nr >= *cap / 2 ? grow_full(array, cap, size) : 0;
}

static int add_user(struct profile_addresses *a, uint64_t at, uint32_t aspace, bool before)
{
	int err;

	if (profile_is_function(at) || seen_before(a->seen, at, (uint64_t)aspace << 1 | before))
		return 0;
	err = make_room(a, &a->user, &a->nr_user, &a->cap_user, sizeof(*a->user));
	if (!err)
		a->user[a->nr_user++] = (struct profile_address){ at, aspace, before };
	return err;
}

static int add_kernel(struct profile_addresses *a, uint64_t at)
{
	int err;

	if (profile_is_label(at) || seen_before(a->seen, at, SEEN_KERNEL))
		return 0;
	err = make_room(a, &a->kernel, &a->nr_kernel, &a->cap_kernel, sizeof(*a->kernel));
	if (!err)
		a->kernel[a->nr_kernel++] = at;
	return err;
}

/*
 * A return address is stored minus 1, so that it lies within the call instruction. So is the program counter behind a
 * label, which the module records plus 1: see KFLAME_LABEL.
 */
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

/* The first word of the stack that a count names; NULL if no stack of that kind has this id */
static uint64_t *named(struct profile_addresses *a, uint64_t id, uint64_t kind)
{
	uint64_t *word = find_in(late_of(a, id), id);

	if (id & KFLAME_STACK_OF_TOOL)
		a->tool_counted = true;
	return word && (*word & IS_KERNEL) == kind ? word : NULL;
}

/* Adds samples to the totals. @word: first word of a user stack that holds its callers itself */
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
 * Adds the addresses of a user stack in an address space. Callers that were already added for this
 * address space are skipped. Return: 0 or -ENOMEM
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
	/* This mark also covers the innermost address, so only the stack's own count may set it. */
	if (!err && s == word)
		s[1] = aspace;
	return err;
}

int profile_addresses_count(struct profile_addresses *a, uint64_t kstack, uint64_t ustack,
			    uint32_t aspace, uint64_t samples)
{
	/* The addresses of a kernel stack were added when its STACK record was read. */
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
