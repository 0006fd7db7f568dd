// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - counts of distinct samples, see table.h
 */
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/slab.h>

#include "table.h"

/*
 * Room for frames: 32 an entry on average, and some for small tables, in which
 * a few deep stacks are no average.
 */
#define FRAMES_PER_ENTRY	32U
#define FRAMES_MIN		4096U

/* An entry brings at most one new kernel and one new user stack. */
#define STACKS_PER_ENTRY	2U

struct layout {
	u32 stacks, frames;
	u32 entry_slots, stack_slots;
	size_t at_entries, at_stacks, at_frames, at_samples, at_entry_slot, at_stack_slot;
	size_t bytes;
};

static void table_layout(u32 entries, u32 samples, struct layout *l)
{
	size_t at = sizeof(struct kf_table);

	l->stacks = entries * STACKS_PER_ENTRY;
	l->frames = max(entries * FRAMES_PER_ENTRY, FRAMES_MIN);
	/* Twice as many slots as things: probing stays short, and always ends. */
	l->entry_slots = roundup_pow_of_two(entries * 2);
	l->stack_slots = roundup_pow_of_two(l->stacks * 2);

	l->at_entries = at;
	at += sizeof(struct kf_entry) * entries;
	l->at_frames = at;
	at += sizeof(u64) * l->frames;
	l->at_samples = at;
	at += sizeof(struct kflame_sample) * samples;
	l->at_stacks = at;
	at += sizeof(struct kf_stack) * l->stacks;
	at = ALIGN(at, 8);
	l->at_entry_slot = at;
	at += sizeof(u32) * l->entry_slots;
	l->at_stack_slot = at;
	at += sizeof(u32) * l->stack_slots;
	l->bytes = PAGE_ALIGN(at);
}

/**
 * kf_table_bytes() - memory that a table takes
 * @entries:	KF_TABLE_MIN_ENTRIES to KF_TABLE_MAX_ENTRIES
 * @samples:	of so many it notes when they were; 0 for none
 */
size_t kf_table_bytes(u32 entries, u32 samples)
{
	struct layout l;

	table_layout(entries, samples, &l);
	return l.bytes;
}

/**
 * kf_table_create() - an empty table; may sleep
 * @entries:	KF_TABLE_MIN_ENTRIES to KF_TABLE_MAX_ENTRIES
 * @samples:	of so many it notes when they were; 0 for none
 * @node:	NUMA node to take it from, NUMA_NO_NODE for any
 *
 * The memory is accounted by the caller, see memory.h.
 * Return: NULL without memory.
 */
struct kf_table *kf_table_create(u32 entries, u32 samples, int node)
{
	struct kf_table *t;
	struct layout l;
	void *p;

	table_layout(entries, samples, &l);
	p = kvmalloc_node(l.bytes, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN, node);
	if (!p)
		return NULL;
	t = p;
	memset(t, 0, sizeof(*t));
	t->seed = get_random_u32();
	t->max_entries = entries;
	t->max_stacks = l.stacks;
	t->max_frames = l.frames;
	t->max_samples = samples;
	t->entry_mask = l.entry_slots - 1;
	t->stack_mask = l.stack_slots - 1;
	t->entries = p + l.at_entries;
	t->stacks = p + l.at_stacks;
	t->frames = p + l.at_frames;
	t->samples = p + l.at_samples;
	t->entry_slot = p + l.at_entry_slot;
	t->stack_slot = p + l.at_stack_slot;
	kf_table_reset(t);
	return t;
}

/* Takes NULL; the caller proves that nobody can reach @t any more. */
void kf_table_destroy(struct kf_table *t)
{
	kvfree(t);
}

/* Empties a table.  Its slots are all that must be cleared. */
void kf_table_reset(struct kf_table *t)
{
	memset(t->entry_slot, 0, sizeof(u32) * (t->entry_mask + 1));
	memset(t->stack_slot, 0, sizeof(u32) * (t->stack_mask + 1));
	t->nr_entries = 0;
	t->nr_stacks = 0;
	t->nr_frames = 0;
	t->nr_samples = 0;
	t->lost_samples = 0;
}

/**
 * kf_table_copy() - the content of a table, for reading only
 * @to:		made with the same number of entries
 * @from:	must not change meanwhile
 *
 * The slots are not copied: nothing can be added to the copy. Nor is what was when, since
 * nobody who copies has any.
 */
void kf_table_copy(struct kf_table *to, const struct kf_table *from)
{
	to->serial = from->serial;
	to->nr_entries = from->nr_entries;
	to->nr_stacks = from->nr_stacks;
	to->nr_frames = from->nr_frames;
	memcpy(to->entries, from->entries, sizeof(*from->entries) * from->nr_entries);
	memcpy(to->stacks, from->stacks, sizeof(*from->stacks) * from->nr_stacks);
	memcpy(to->frames, from->frames, sizeof(*from->frames) * from->nr_frames);
}

/*
 * Rotate, add, multiply: few instructions a word, for this runs for every frame of
 * every sample. The upper half, to which each bit has been carried, is the hash.
 */
static __always_inline u64 mix(u64 hash, u64 word)
{
	return (rol64(hash, 5) ^ word) * 0x9e3779b97f4a7c15ULL;
}

static __always_inline u32 finish(u64 hash)
{
	return (hash ^ hash >> 29) >> 32;
}

/* Two words at a time: half of what a loop for one would run is the loop. */
static __always_inline u64 mix_words(u64 hash, const u64 *w, u32 n)
{
	u32 i;

	for (i = 0; i + 1 < n; i += 2)
		hash = mix(mix(hash, w[i]), w[i + 1]);
	return i < n ? mix(hash, w[i]) : hash;
}

static __always_inline bool words_equal(const u64 *a, const u64 *b, u32 n)
{
	u32 i;

	for (i = 0; i + 1 < n; i += 2)
		if ((a[i] ^ b[i]) | (a[i + 1] ^ b[i + 1]))
			return false;
	return i == n || a[i] == b[i];
}

static __always_inline u32 stack_hash(u32 seed, const struct kf_stack *like, const u64 *ip)
{
	u64 h = mix(seed, (u64)like->nr << 32 | (u32)like->kind << 16 | like->end);

	return finish(mix_words(mix(h, like->candidate), ip, like->nr));
}

static __always_inline bool stack_equal(const struct kf_table *t, const struct kf_stack *a,
					const struct kf_stack *like, u32 hash, const u64 *ip)
{
	return a->hash == hash && a->nr == like->nr && a->kind == like->kind &&
	       a->end == like->end && a->candidate == like->candidate &&
	       words_equal(&t->frames[a->first], ip, like->nr);
}

/**
 * kf_table_stack() - intern a stack
 * @t:		the table; the caller owns it, see the head of table.h
 * @like:	kind, end, candidate and nr; the rest is not read
 * @ip:		@like->nr addresses, innermost first
 *
 * Return: the stack's number in this table, from 1; 0 if there is no room.
 */
u32 kf_table_stack(struct kf_table *t, const struct kf_stack *like, const u64 *ip)
{
	u32 hash = stack_hash(t->seed, like, ip);
	u32 slot = hash & t->stack_mask;
	struct kf_stack *s;
	u32 n;

	while ((n = t->stack_slot[slot])) {
		if (stack_equal(t, &t->stacks[n - 1], like, hash, ip))
			return n;
		slot = (slot + 1) & t->stack_mask;
	}
	if (t->nr_stacks == t->max_stacks || t->max_frames - t->nr_frames < like->nr)
		return 0;

	s = &t->stacks[t->nr_stacks];
	*s = *like;
	s->hash = hash;
	s->first = t->nr_frames;
	memcpy(&t->frames[s->first], ip, sizeof(*ip) * like->nr);
	t->nr_frames += like->nr;
	t->stack_slot[slot] = ++t->nr_stacks;
	return t->nr_stacks;
}

#define KEY_WORDS	(sizeof(struct kf_key) / sizeof(u64))

static __always_inline u32 key_hash(u32 seed, const struct kf_key *key)
{
	/* No padding: it is compared, and hashed, as words. */
	BUILD_BUG_ON(sizeof(*key) != 32 + KFLAME_COMM_LEN || sizeof(*key) % sizeof(u64));
	return finish(mix_words(seed, (const u64 *)key, KEY_WORDS));
}

/**
 * kf_table_count() - add to an entry, which is made if it is not there
 * @t:		the table; the caller owns it
 * @key:	stacks are numbers that kf_table_stack() of this table gave
 * @samples:	how often
 * @weight_ns:	time they stand for
 * @late_ns:	part of it that came late
 *
 * Return: the entry's number in this table, from 1; 0 if there is no room; nothing is
 * counted then.
 */
u32 kf_table_count(struct kf_table *t, const struct kf_key *key, u64 samples,
		   u64 weight_ns, u64 late_ns)
{
	u32 hash = key_hash(t->seed, key);
	u32 slot = hash & t->entry_mask;
	struct kf_entry *e;
	u32 n;

	while ((n = t->entry_slot[slot])) {
		e = &t->entries[n - 1];
		if (e->hash == hash &&
		    words_equal((const u64 *)&e->key, (const u64 *)key, KEY_WORDS)) {
			e->samples += samples;
			e->weight_ns += weight_ns;
			e->late_ns += late_ns;
			return n;
		}
		slot = (slot + 1) & t->entry_mask;
	}
	if (t->nr_entries == t->max_entries)
		return 0;

	e = &t->entries[t->nr_entries];
	e->key = *key;
	e->samples = samples;
	e->weight_ns = weight_ns;
	e->late_ns = late_ns;
	e->hash = hash;
	e->pad = 0;
	t->entry_slot[slot] = t->nr_entries + 1;
	WRITE_ONCE(t->nr_entries, t->nr_entries + 1);
	return t->nr_entries;
}

/**
 * kf_table_note() - note when a sample was that was counted
 * @t:		the table, which was made for samples; the caller owns it
 * @entry:	what kf_table_count() of this table gave
 * @time_ns:	when it was due
 * @weight_ns:	time it stands for
 * @late_ns:	part of it that came late
 *
 * Where there is no room, that is counted.
 */
void kf_table_note(struct kf_table *t, u32 entry, u64 time_ns, u64 weight_ns, u64 late_ns)
{
	if (t->nr_samples == t->max_samples) {
		t->lost_samples++;
		return;
	}
	t->samples[t->nr_samples] = (struct kflame_sample){
		.time_ns = time_ns, .weight_ns = weight_ns, .late_ns = late_ns, .count = entry,
	};
	WRITE_ONCE(t->nr_samples, t->nr_samples + 1);
}
