// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - counts of distinct samples, see store/table.h
 */
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/slab.h>

#include "store/table.h"

/*
 * Room for frames: 14 an entry on average, since most stacks share their frames with others. Small
 * tables have extra room, because a few deep stacks exceed the average.
 */
#define FRAMES_PER_ENTRY	14U
#define FRAMES_MIN		4096U

/*
 * An entry adds at most one kernel stack and one user stack. Most add fewer, so there is room for
 * one stack an entry. Small tables have room for both.
 */
#define STACKS_MIN		2048U

struct layout {
	u32 stacks, frames;
	u32 entry_slots, stack_slots, hints, few_hints;
	size_t at_entries, at_stacks, at_frames, at_samples;
	size_t at_entry_slot, at_stack_slot, at_like_slot, at_hint, at_chain_hint, at_entry_hint;
	size_t bytes;
};

static void table_layout(u32 entries, u32 samples, struct layout *l)
{
	size_t at = sizeof(struct kf_table);

	l->stacks = max(entries, min(entries * 2, STACKS_MIN));
	l->frames = max(entries * FRAMES_PER_ENTRY, FRAMES_MIN);
	/* Twice as many slots as elements keep probing short, and make it end. */
	l->entry_slots = roundup_pow_of_two(entries * 2);
	l->stack_slots = roundup_pow_of_two(l->stacks * 2);
	/*
	 * One for each entry below the high-water mark, and some to spare: two that share a slot
	 * evict each other.
	 */
	l->hints = roundup_pow_of_two(entries) << KF_TABLE_MORE_HINTS;
	l->few_hints = l->hints >> KF_TABLE_MORE_HINTS;

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
	l->at_like_slot = at;
	at += sizeof(u32) * l->stack_slots;
	l->at_hint = at;
	at += sizeof(u32) * l->hints;
	l->at_chain_hint = at;
	at += sizeof(u32) * l->few_hints;
	l->at_entry_hint = at;
	at += sizeof(u32) * l->few_hints;
	l->bytes = PAGE_ALIGN(at);
}

/**
 * kf_table_bytes() - memory that a table takes
 * @entries:	KF_TABLE_MIN_ENTRIES to KF_TABLE_MAX_ENTRIES
 * @samples:	how many sample times it has room for; 0 for none
 *
 * Return: bytes, a multiple of PAGE_SIZE.
 */
size_t kf_table_bytes(u32 entries, u32 samples)
{
	struct layout l;

	table_layout(entries, samples, &l);
	return l.bytes;
}

/**
 * kf_table_create() - make an empty table; may sleep
 * @entries:	KF_TABLE_MIN_ENTRIES to KF_TABLE_MAX_ENTRIES
 * @samples:	how many sample times it has room for; 0 for none
 * @node:	NUMA node of the memory, NUMA_NO_NODE for any
 *
 * The caller reserves the memory, see base/memory.h.
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
	t->hint_shift = 64 - ilog2(l.hints);
	t->entries = p + l.at_entries;
	t->stacks = p + l.at_stacks;
	t->frames = p + l.at_frames;
	t->samples = p + l.at_samples;
	t->entry_slot = p + l.at_entry_slot;
	t->stack_slot = p + l.at_stack_slot;
	t->like_slot = p + l.at_like_slot;
	t->hint = p + l.at_hint;
	t->chain_hint = p + l.at_chain_hint;
	t->entry_hint = p + l.at_entry_hint;
	t->slots = p + l.at_entry_slot;
	t->nr_slots = (l.bytes - l.at_entry_slot) / sizeof(u64);
	kf_table_reset(t);
	return t;
}

/* @t may be NULL. The caller ensures that nothing can reach @t any more. */
void kf_table_destroy(struct kf_table *t)
{
	kvfree(t);
}

/* Empty a table. Only its slots, hints, counters and its high-water mark need clearing. */
void kf_table_reset(struct kf_table *t)
{
	memset64(t->slots, 0, t->nr_slots);
	t->nr_entries = 0;
	t->nr_stacks = 0;
	t->nr_frames = 0;
	t->nr_samples = 0;
	t->lost_samples = 0;
	WRITE_ONCE(t->past_mark, false);
}

/**
 * kf_table_copy() - copy the content of a table, for reading only
 * @to:		made with the same number of entries
 * @from:	must not change meanwhile
 *
 * Slots and hints are not copied, so nothing can be added to the copy. Sample times are not copied:
 * no session that uses this function records them.
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
 * Rotate, add, multiply. It takes few instructions a word, because it runs for every frame of each
 * new stack. Multiplying carries each bit into the upper half, so the upper half is the hash.
 */
static __always_inline u64 mix(u64 hash, u64 word)
{
	return (rol64(hash, 5) ^ word) * 0x9e3779b97f4a7c15ULL;
}

static __always_inline u32 finish(u64 hash)
{
	return (hash ^ hash >> 29) >> 32;
}

static __always_inline u64 mix_words(u64 hash, const u64 *w, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		hash = mix(hash, w[i]);
	return hash;
}

/*
 * The slot of the first stack with this shape and these callers, or the empty slot where it
 * belongs.
 */
static u32 *find_like(const struct kf_table *t, union kf_shape is, const u64 *callers, u32 nr)
{
	u64 hash = mix_words(mix(t->seed, is.word), callers, nr);
	u32 slot = finish(hash) & t->stack_mask, n;
	const struct kf_stack *s;

	for (; (n = t->like_slot[slot]); slot = (slot + 1) & t->stack_mask) {
		s = &t->stacks[n - 1];
		if (s->is.word == is.word &&
		    kf_words_equal(&t->frames[s->first] + 1, callers, nr))
			break;
	}
	return &t->like_slot[slot];
}

/*
 * The slot of the stack at @ip with the callers of stack @like, or the empty slot where it belongs.
 */
static u32 *find_at(const struct kf_table *t, u32 like, u64 ip)
{
	u32 slot = finish(mix(mix(t->seed, like), ip)) & t->stack_mask, n;

	for (; (n = t->stack_slot[slot]); slot = (slot + 1) & t->stack_mask)
		if (t->stacks[n - 1].ip == ip && t->stacks[n - 1].like == like)
			break;
	return &t->stack_slot[slot];
}

/*
 * Store the frames of the first stack with its shape and callers. Return: their index in the arena.
 */
static u32 keep_frames(struct kf_table *t, const u64 *ip, u32 nr)
{
	u32 first = t->nr_frames, i;
	u64 *frame = &t->frames[first];

	for (i = 0; i < nr; i++)
		frame[i] = ip[i];
	t->nr_frames += nr;
	if (t->nr_frames * 2 >= t->max_frames)
		WRITE_ONCE(t->past_mark, true);
	return first;
}

/* Append a stack. Return: its id. */
static u32 add_stack(struct kf_table *t, const struct kf_stack *s)
{
	t->stacks[t->nr_stacks++] = *s;
	if (t->nr_stacks * 2 >= t->max_stacks)
		WRITE_ONCE(t->past_mark, true);
	return t->nr_stacks;
}

/**
 * kf_table_find_stack() - kf_table_stack() without its hint: look a stack up by all frames
 * @t:		the table
 * @is:		its shape
 * @ip:		its frames
 *
 * Return: as kf_table_stack().
 */
u32 kf_table_find_stack(struct kf_table *t, union kf_shape is, const u64 *ip)
{
	/* A stack without frames has address 0 and no callers. Its shape identifies it. */
	const u64 at = is.nr ? ip[0] : 0;
	const u32 next = t->nr_stacks + 1;
	u32 *like = find_like(t, is, ip + 1, is.nr ? is.nr - 1 : 0);

	if (*like)
		return kf_table_find_like(t, *like, at);
	if (next > t->max_stacks || t->max_frames - t->nr_frames < is.nr)
		return 0;
	*like = add_stack(t, &(struct kf_stack){
		.is = is, .ip = at, .first = keep_frames(t, ip, is.nr), .like = next,
	});
	*find_at(t, next, at) = next;
	return next;
}

/**
 * kf_table_find_like() - kf_table_stack_like() without its hint
 * @t:		the table
 * @like:	id of the first stack with its shape and callers
 * @ip:		its innermost address
 *
 * Return: as kf_table_stack_like().
 */
u32 kf_table_find_like(struct kf_table *t, u32 like, u64 ip)
{
	const struct kf_stack *first = &t->stacks[like - 1];
	u32 *place = find_at(t, like, ip);

	if (!*place && t->nr_stacks < t->max_stacks)
		*place = add_stack(t, &(struct kf_stack){
			.is = first->is, .ip = ip, .first = first->first, .like = like,
		});
	return *place;
}

/**
 * kf_table_add_calls() - make room for the stored callers of a stack
 * @t:		the table
 * @like:	id of a stack with frames, the first with its shape and callers
 * @words:	how many words
 *
 * The room is part of the arena of frames, see kf_table_takes_calls().
 *
 * Return: NULL if there is no room; the callers stored before are dropped in any case.
 */
u64 *kf_table_add_calls(struct kf_table *t, u32 like, u32 words)
{
	struct kf_stack *s = &t->stacks[like - 1];

	s->calls = 0;
	if (!kf_table_takes_calls(t, words))
		return NULL;
	s->calls = t->nr_frames;
	t->nr_frames += words;
	return &t->frames[s->calls];
}

/* Copy the frames of a stack to @to, which has room for them. */
void kf_stack_copy(const struct kf_table *t, const struct kf_stack *s, u64 *to)
{
	memcpy(to, &t->frames[s->first], sizeof(*to) * s->is.nr);
	if (s->is.nr)
		to[0] = s->ip;
}

static __always_inline u32 key_hash(u32 seed, const struct kf_key *key)
{
	const u64 *w = (const u64 *)key;

	/* The key has no padding, because it is compared and hashed as words. */
	BUILD_BUG_ON(sizeof(*key) != 32 + KFLAME_COMM_LEN || sizeof(*key) % sizeof(u64));
	return finish(mix_words(seed, w, KF_KEY_WORDS));
}

/**
 * kf_table_find_entry() - find an entry by its whole key, or make it
 * @t:		the table
 * @key:	as for kf_table_count()
 *
 * Return: the entry's id; 0 if there is no room.
 */
u32 kf_table_find_entry(struct kf_table *t, const struct kf_key *key)
{
	u32 hash = key_hash(t->seed, key);
	u32 slot = hash & t->entry_mask;
	struct kf_entry *e;
	u32 n;

	while ((n = t->entry_slot[slot])) {
		e = &t->entries[n - 1];
		if (e->hash == hash && kf_key_equal(&e->key, key))
			return n;
		slot = (slot + 1) & t->entry_mask;
	}
	if (t->nr_entries == t->max_entries)
		return 0;

	e = &t->entries[t->nr_entries];
	e->key = *key;
	e->samples = 0;
	e->weight_ns = 0;
	e->late_ns = 0;
	e->hash = hash;
	e->pad = 0;
	t->entry_slot[slot] = t->nr_entries + 1;
	WRITE_ONCE(t->nr_entries, t->nr_entries + 1);
	if (t->nr_entries * 2 >= t->max_entries)
		WRITE_ONCE(t->past_mark, true);
	return t->nr_entries;
}

/**
 * kf_table_bucket() - search for an entry by its whole key, as kf_table_find_entry() does; make none
 * @t:		the table; the caller owns it
 * @key:	as for kf_table_count()
 *
 * Return: where the search ends.
 */
struct kf_bucket kf_table_bucket(const struct kf_table *t, const struct kf_key *key)
{
	struct kf_bucket b = { .hash = key_hash(t->seed, key), .probes = 1 };
	const struct kf_entry *e;

	for (b.slot = b.hash & t->entry_mask; (b.entry = t->entry_slot[b.slot]); b.probes++) {
		e = &t->entries[b.entry - 1];
		if (e->hash == b.hash && kf_key_equal(&e->key, key))
			break;
		b.slot = (b.slot + 1) & t->entry_mask;
	}
	return b;
}

/**
 * kf_table_note() - record the time of a sample that was counted
 * @t:		the table, made with room for sample times; the caller owns it
 * @entry:	the entry's id, from kf_table_count() of this table
 * @time_ns:	when the sample was due
 * @weight_ns:	time that the sample stands for
 * @late_ns:	the part of it that came late
 *
 * If there is no room, @t->lost_samples counts the sample.
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
	if (t->nr_samples * 2 > t->max_samples)
		WRITE_ONCE(t->past_mark, true);
}
