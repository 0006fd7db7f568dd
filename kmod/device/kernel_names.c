// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel_names.c - the kernel's own names of kernel addresses, see device/kernel_names.h
 */
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "base/memory.h"
#include "device/kernel_names.h"
#include "device/stream.h"

static int by_address(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* A set of addresses: a hash with open addressing, at most half full */
struct set {
	u64 *slot;
	u32 mask, nr;
	size_t memory;
};

static int set_grow(struct set *set, u32 slots)
{
	struct set old = *set;
	size_t memory = sizeof(u64) * slots;
	u32 i, at;

	if (!kf_memory_reserve(memory))
		return -ENOMEM;
	set->slot = kvcalloc(slots, sizeof(u64), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!set->slot) {
		set->slot = old.slot;
		kf_memory_release(memory);
		return -ENOMEM;
	}
	set->mask = slots - 1;
	set->memory = memory;
	for (i = 0; old.slot && i <= old.mask; i++) {
		if (!old.slot[i])
			continue;
		at = hash_64(old.slot[i], 32) & set->mask;
		while (set->slot[at])
			at = (at + 1) & set->mask;
		set->slot[at] = old.slot[i];
	}
	kvfree(old.slot);
	kf_memory_release(old.memory);
	return 0;
}

static int set_add(struct set *set, u64 ip)
{
	u32 at = hash_64(ip, 32) & set->mask;

	while (set->slot[at]) {
		if (set->slot[at] == ip)
			return 0;
		at = (at + 1) & set->mask;
	}
	set->slot[at] = ip;
	if (++set->nr * 2 <= set->mask)
		return 0;
	return set_grow(set, (set->mask + 1) * 2);
}

/*
 * Collect the addresses to look up. A return address may lie behind the end of a function that
 * never returns, so the byte before it is looked up.
 */
static int collect(const struct kf_table *t, struct set *set)
{
	const struct kf_stack *s;
	int err = 0;
	u32 i, j;

	for (i = 0; i < t->nr_stacks && !err; i++) {
		s = &t->stacks[i];
		if (s->is.kind != KFLAME_STACK_KERNEL)
			continue;
		for (j = 0; j < s->is.nr && !err; j++)
			err = set_add(set, kf_stack_frame(t, s, j) - !!j);
		cond_resched();
	}
	return err;
}

/* Move the elements of the set to its beginning, and sort them. */
static void sort_set(struct set *set)
{
	u32 i, n = 0;

	for (i = 0; i <= set->mask; i++)
		if (set->slot[i])
			set->slot[n++] = set->slot[i];
	sort(set->slot, n, sizeof(u64), by_address, NULL);
}

#define FIRST_SLOTS	4096U

/**
 * kf_knames_init() - collect the kernel addresses of tables; may sleep
 * @k:		zeroed
 * @tables:	must not change meanwhile
 * @nr:		how many tables
 *
 * Return: 0 or -ENOMEM. The caller calls kf_knames_exit() in both cases.
 */
int kf_knames_init(struct kf_knames *k, struct kf_table *const *tables, u32 nr)
{
	struct set set = {};
	int err;
	u32 i;

	err = set_grow(&set, FIRST_SLOTS);
	if (err)
		return err;
	for (i = 0; i < nr && !err; i++)
		err = collect(tables[i], &set);
	sort_set(&set);
	k->ip = set.slot;
	k->nr = set.nr;
	k->memory = set.memory;
	return err;
}

void kf_knames_exit(struct kf_knames *k)
{
	if (!k->ip)
		return;
	kvfree(k->ip);
	kf_memory_release(k->memory);
}

/* Parse "name+0x1a/0x2f0 [module]". Return: false if the kernel has no name for the address. */
static bool parse(char *symbol, u64 ip, u64 *start, u64 *end)
{
	unsigned long long offset, size;
	char *plus = strrchr(symbol, '+'), *rest;

	if (!plus || sscanf(plus, "+0x%llx/0x%llx", &offset, &size) != 2)
		return false;
	*start = ip - offset;
	*end = *start + size;
	/* Remove "+0x1a/0x2f0", keep " [module]". */
	rest = strchr(plus, ' ');
	if (rest)
		memmove(plus, rest, strlen(rest) + 1);
	else
		*plus = '\0';
	return true;
}

/**
 * kf_knames_fill() - write a record for each function once
 * @k:		the addresses
 * @st:		the stream
 *
 * Return: true when all are written, false if the buffer is full.
 */
bool kf_knames_fill(struct kf_knames *k, struct kf_stream *st)
{
	char symbol[KSYM_SYMBOL_LEN];
	u64 start, end;

	for (; k->next < k->nr; k->next++) {
		if (k->ip[k->next] < k->named_to)
			continue;
		sprint_symbol(symbol, k->ip[k->next]);
		if (!parse(symbol, k->ip[k->next], &start, &end))
			continue;
		if (!kf_stream_ksym(st, start, end, symbol))
			return false;
		k->named_to = end;
	}
	return true;
}
