// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile_addresses.c - see profile_addresses.h
 *
 * A stack that was told is a word, with its kind, its candidate and its length, and its addresses.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile_addresses.h"

#define KEEP_WORDS	(1u << 17)	/* of stacks: then those before them are forgotten */
#define SORT_AT		(1u << 16)	/* so many addresses may be there more than once */
#define SEEN_KERNEL	(UINT64_MAX / 2)	/* as no address space says it */

/* In the first word of a stack */
#define IS_KERNEL	(1ull << 63)
#define HAS_CANDIDATE	(1ull << 62)	/* and the caller of a leaf, at that */

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
	idmap_free(&l->ids);
	free(l->words);
}

void profile_addresses_free(struct profile_addresses *a)
{
	if (!a)
		return;
	free_late(&a->late[0]);
	free_late(&a->late[1]);
	free_late(&a->tool);
	free(a->seen);
	free(a->user);
	free(a->kernel);
	free(a);
}

static void forget(struct profile_late *l)
{
	idmap_free(&l->ids);
	l->nr = 0;
}

/* The counts of a table follow its stacks: those of the one before last are not named any more. */
static void pass_on(struct profile_addresses *a)
{
	struct profile_late oldest = a->late[1];

	forget(&oldest);
	a->late[1] = a->late[0];
	a->late[0] = oldest;
}

/* Where the next stack belongs.  The tool tells stacks, then counts of these, at any time. */
static struct profile_late *late_for(struct profile_addresses *a, uint64_t id)
{
	if (id & KFLAME_STACK_OF_TOOL) {
		if (a->tool_counted)
			forget(&a->tool);
		a->tool_counted = false;
		return &a->tool;
	}
	if (id >> 32 != a->filling && a->late[0].nr > KEEP_WORDS)
		pass_on(a);
	a->filling = id >> 32;
	return &a->late[0];
}

static int room_for(struct profile_late *l, size_t nr)
{
	size_t cap = l->cap ? l->cap : 4096;
	uint64_t *words;

	if (l->cap - l->nr >= nr)
		return 0;
	/* Places are told by 32 bits; no table is as large. */
	if (nr >= UINT32_MAX - l->nr)
		forget(l);
	while (cap - l->nr < nr)
		cap *= 2;
	words = realloc(l->words, cap * sizeof(*words));
	if (!words)
		return -ENOMEM;
	l->words = words;
	l->cap = cap;
	return 0;
}

int profile_addresses_stack(struct profile_addresses *a, const struct kflame_rec_stack *r)
{
	struct profile_late *l = late_for(a, r->id);
	int err = room_for(l, r->nr + 1);

	if (!err)
		err = idmap_set(&l->ids, r->id, (uint32_t)l->nr);
	if (err)
		return err;
	l->words[l->nr] = (r->kind == KFLAME_STACK_KERNEL ? IS_KERNEL : 0) |
			  (r->candidate == 1 ? HAS_CANDIDATE : 0) | r->nr;
	memcpy(l->words + l->nr + 1, r->ip, r->nr * sizeof(*r->ip));
	l->nr += r->nr + 1;
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

static const uint64_t *find_in(const struct profile_late *l, uint64_t id)
{
	uint32_t at = idmap_find(&l->ids, id);

	return at == INDEX_NONE ? NULL : &l->words[at];
}

/* The words of a stack; NULL: it was not told */
static const uint64_t *find(struct profile_addresses *a, uint64_t id)
{
	const uint64_t *s;

	if (id & KFLAME_STACK_OF_TOOL) {
		a->tool_counted = true;
		return find_in(&a->tool, id);
	}
	s = find_in(&a->late[0], id);
	return s ? s : find_in(&a->late[1], id);
}

static int take_kernel(struct profile_addresses *a, const uint64_t *s)
{
	int err = 0;

	for (uint32_t k = 0; !err && k < (uint32_t)*s; k++)
		err = add_kernel(a, k && s[k + 1] ? s[k + 1] - 1 : s[k + 1]);
	return err;
}

static int take_user(struct profile_addresses *a, const uint64_t *s, uint32_t aspace)
{
	int err = 0;

	for (uint32_t k = 0; !err && k < (uint32_t)*s; k++)
		err = add_user(a, k && s[k + 1] ? s[k + 1] - 1 : s[k + 1], aspace,
			       !k && *s & HAS_CANDIDATE);
	return err;
}

int profile_addresses_count(struct profile_addresses *a, const struct kflame_rec_count *r,
			    uint32_t aspace)
{
	const uint64_t *kernel = r->kstack ? find(a, r->kstack) : NULL;
	const uint64_t *user = r->ustack ? find(a, r->ustack) : NULL;
	bool has_kernel = kernel && *kernel & IS_KERNEL, has_user = user && !(*user & IS_KERNEL);
	int err = 0;

	if (has_kernel)
		err = take_kernel(a, kernel);
	if (!err && has_user)
		err = take_user(a, user, aspace);
	return err ? err : (r->kstack && !has_kernel) || (r->ustack && !has_user);
}
