/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - counts of distinct samples: one fixed block of memory, filled without locks by one
 * owner
 *
 * Stacks are interned whole: two stacks are the same only if every frame is. A hash never decides.
 * Most new stacks differ from an existing one in the innermost address only, because hot code is
 * hot at many addresses. For such a stack the table keeps that address and the id of the existing
 * stack. Entries have an address space, stacks and a thread, and are compared whole too. Nothing is
 * ever removed: a table is filled, taken by its reader, and emptied as a whole.
 *
 * Context: kf_table_stack() and kf_table_count() run in hard interrupts. They allocate nothing and
 * take no lock. The caller makes sure that a table has one owner: the CPU it belongs to, with
 * interrupts off, or the reader that took it.
 */
#ifndef KF_TABLE_H
#define KF_TABLE_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <kflame.h>
#include "store/frames.h"

/**
 * struct kf_key - what makes two samples the same; no padding, compared as words
 * @aspace:	address space id, 0 for none
 * @kstack:	id of the kernel stack from kf_table_stack(), 0 for none
 * @ustack:	id of the user stack, 0 for none
 * @cpu:	CPU id
 * @context:	KFLAME_CTX_*, and the id of the event: see kf_key_context()
 * @tgid:	process id
 * @tid:	thread id, 0 unless threads are separate
 * @comm:	filled with zeros after the end of the name
 */
struct kf_key {
	u64 aspace;
	u32 kstack;
	u32 ustack;
	u32 cpu;
	u32 context;
	u32 tgid;
	u32 tid;
	char comm[KFLAME_COMM_LEN];
} __aligned(8);

#define KF_KEY_EVENT_SHIFT	16
#define KF_KEY_WAKER		(1U << 15) /* the entry is a waker: it counts nothing */

/*
 * The kind of a stack that joins a kernel stack with the waker that ended the wait. It has two words: the
 * kernel stack's id or 0, and the waker's entry. An entry names it in place of its kernel stack. So
 * samples without wakers need no room for them in their keys.
 */
#define KF_STACK_WAKE		3U

/* Context and event in one word. Of the timer's samples, whose id is 0, it is the context. */
static __always_inline u32 kf_key_context(u32 context, u32 event)
{
	return context | event << KF_KEY_EVENT_SHIFT;
}

static inline u32 kf_key_event(const struct kf_key *key)
{
	return key->context >> KF_KEY_EVENT_SHIFT;
}

static inline u32 kf_key_only_context(const struct kf_key *key)
{
	return key->context & (KF_KEY_WAKER - 1);
}

struct kf_entry {
	struct kf_key key;
	u64 samples;
	u64 weight_ns;
	u64 late_ns;
	u32 hash;
	u32 pad;
};

/**
 * struct kf_stack - one distinct stack of a table
 * @is:		its shape
 * @ip:		its innermost address; 0 if it has no frames
 * @first:	where the frames of stack @like begin in the table's arena; both stacks share all of
 *		them but the innermost
 * @like:	id of the first stack with this shape and these callers; may be the stack's own id
 * @calls:	of stack @like: where its stored callers are in the arena (kstack/caller_cache.h);
 *		0: none
 * @pad:	makes the struct's size a power of two
 */
struct kf_stack {
	union kf_shape is;
	u64 ip;
	u32 first;
	u32 like;
	u32 calls;
	u32 pad;
};

/**
 * struct kf_table - see the head of this file
 * @serial:	makes the ids of stacks and entries of this filling differ from all others in the
 *		session; set by the reader when it hands the table over
 * @seed:	seed of the hashes, different in each table
 * @max_entries: room in @entries
 * @nr_entries:	used of them
 * @max_stacks:	room in @stacks
 * @nr_stacks:	used of them
 * @max_frames:	room in @frames
 * @nr_frames:	used of them
 * @max_samples: room in @samples
 * @nr_samples:	used of them
 * @lost_samples: sample times of this filling that found no room in @samples
 * @past_mark:	the table is past its high-water mark: half of some array is used
 * @entry_mask:	maps a hash to its slot in @entry_slot
 * @stack_mask:	maps a hash to its slot in @stack_slot and @like_slot
 * @hint_shift:	maps a hash to its slot in @hint; plus KF_TABLE_MORE_HINTS, in the other two hints
 * @hint:	the stack with frames that was met last, by a cheap key
 * @chain_hint:	the stack with stored callers, by its first caller, and by a later one
 *		(kstack/caller_cache.h)
 * @entry_hint:	the entry that was counted last, by its stacks
 * @entry_slot:	open hash of entries: 0, or 1 + index
 * @stack_slot:	open hash of stacks
 * @like_slot:	open hash of the first stack of each shape and callers
 * @slots:	all slots and hints, which are adjacent, to clear them at once
 * @nr_slots:	size of @slots in words
 * @entries:	what was counted
 * @stacks:	the stack with id N is stacks[N - 1]
 * @frames:	the arena with the frames of each first stack, and with stored callers
 * @samples:	which entry was counted when
 */
struct kf_table {
	u32 serial;
	u32 seed;
	u32 max_entries, nr_entries;
	u32 max_stacks, nr_stacks;
	u32 max_frames, nr_frames;
	u32 max_samples, nr_samples;
	u32 lost_samples;
	bool past_mark;
	u32 entry_mask, stack_mask;
	u32 hint_shift;
	u32 *hint;
	u32 *chain_hint;
	u32 *entry_hint;
	u32 *entry_slot;
	u32 *stack_slot;
	u32 *like_slot;
	u64 *slots;
	size_t nr_slots;
	struct kf_entry *entries;
	struct kf_stack *stacks;
	u64 *frames;
	struct kflame_sample *samples;
};

/**
 * struct kf_bucket - where the search for a key ends
 * @hash:	hash of the key
 * @slot:	index in kf_table.entry_slot of the entry, or of the empty slot where it belongs
 * @probes:	slots that the search looked at
 * @entry:	the entry's id; 0: there is none
 */
struct kf_bucket {
	u32 hash;
	u32 slot;
	u32 probes;
	u32 entry;
};

#define KF_TABLE_MIN_ENTRIES	16U
#define KF_TABLE_MAX_ENTRIES	(1U << 20)
#define KF_TABLE_MIN_SAMPLES	256U
/*
 * There are 2^KF_TABLE_MORE_HINTS times as many hints for stacks as for stored callers or entries.
 */
#define KF_TABLE_MORE_HINTS	1

size_t kf_table_bytes(u32 entries, u32 samples);
struct kf_table *kf_table_create(u32 entries, u32 samples, int node);
void kf_table_destroy(struct kf_table *t);
void kf_table_reset(struct kf_table *t);
void kf_table_copy(struct kf_table *to, const struct kf_table *from);

u32 kf_table_find_stack(struct kf_table *t, union kf_shape is, const u64 *ip);
u32 kf_table_find_like(struct kf_table *t, u32 like, u64 ip);
u64 *kf_table_add_calls(struct kf_table *t, u32 like, u32 words);
void kf_stack_copy(const struct kf_table *t, const struct kf_stack *s, u64 *to);
u32 kf_table_find_entry(struct kf_table *t, const struct kf_key *key);
struct kf_bucket kf_table_bucket(const struct kf_table *t, const struct kf_key *key);
void kf_table_note(struct kf_table *t, u32 entry, u64 time_ns, u64 weight_ns, u64 late_ns);

/* Should the reader take this table now, so that it never gets full? */
static inline bool kf_table_past_mark(const struct kf_table *t)
{
	return READ_ONCE(t->past_mark);
}

/* Is there room for stored callers? They may not pass the high-water mark. */
static inline bool kf_table_takes_calls(const struct kf_table *t, u32 words)
{
	return (t->nr_frames + words) * 2 < t->max_frames;
}

static __always_inline bool kf_words_equal(const u64 *a, const u64 *b, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* The hint for stacks with this shape, this innermost frame and this middle frame */
static __always_inline u32 *kf_table_hint(const struct kf_table *t, union kf_shape is,
					  const u64 *ip)
{
	u64 some = is.word ^ (is.nr ? ip[0] ^ rol64(ip[is.nr / 2], 32) : 0);

	return &t->hint[(some * 0x9e3779b97f4a7c15ULL) >> t->hint_shift];
}

static __always_inline u64 kf_table_spread(u64 ip, u64 other)
{
	return (ip ^ rol64(other, 32)) * 0x9e3779b97f4a7c15ULL;
}

/*
 * The hint for a stack before it is walked, by its innermost address and another cheap key. The
 * stack's id can be written there.
 */
static __always_inline u32 *kf_table_place(const struct kf_table *t, u64 ip, u64 other)
{
	return &t->hint[kf_table_spread(ip, other) >> t->hint_shift];
}

/* The hint for kernel stacks with this first caller, and maybe another key */
static __always_inline u32 *kf_table_chain_place(const struct kf_table *t, u64 caller, u64 other)
{
	return &t->chain_hint[kf_table_spread(caller, other) >> t->hint_shift >>
			      KF_TABLE_MORE_HINTS];
}

/* The hint for entries with these stacks */
static __always_inline u32 *kf_table_entry_place(const struct kf_table *t, const struct kf_key *key)
{
	return &t->entry_hint[kf_table_spread(key->kstack, key->ustack) >> t->hint_shift >>
			      KF_TABLE_MORE_HINTS];
}

/* Does the stack have these frames? @is.nr is at least 1. */
static __always_inline bool kf_stack_is(const struct kf_table *t, const struct kf_stack *s,
					union kf_shape is, const u64 *ip)
{
	return s->is.word == is.word && s->ip == ip[0] &&
	       kf_words_equal(&t->frames[s->first] + 1, ip + 1, is.nr - 1U);
}

/* Frame @i of a stack */
static inline u64 kf_stack_frame(const struct kf_table *t, const struct kf_stack *s, u32 i)
{
	return i ? t->frames[s->first + i] : s->ip;
}

/**
 * kf_table_stack() - intern a stack
 * @t:		the table; the caller owns it, see the head of table.h
 * @is:		its shape
 * @ip:		@is.nr addresses, innermost first
 *
 * Most stacks were met a moment ago. So a similar stack is compared whole before anything
 * is hashed.
 *
 * Return: the stack's id in this table, from 1; 0 if there is no room.
 */
static __always_inline u32 kf_table_stack(struct kf_table *t, union kf_shape is, const u64 *ip)
{
	u32 *hint = kf_table_hint(t, is, ip), n = *hint;

	if (likely(n && kf_stack_is(t, &t->stacks[n - 1], is, ip)))
		return n;
	n = kf_table_find_stack(t, is, ip);
	/* A hint must have frames, because kf_stack_is() compares at least one. */
	if (n && is.nr)
		*hint = n;
	return n;
}

/**
 * kf_table_stack_like() - intern a stack that shares its callers with a stack of the table
 * @t:		the table; the caller owns it
 * @like:	id of the first stack with its shape and callers
 * @ip:		its innermost address
 *
 * Return: as kf_table_stack().
 */
static __always_inline u32 kf_table_stack_like(struct kf_table *t, u32 like, u64 ip)
{
	u32 *hint = kf_table_place(t, ip, like), n = *hint;

	if (likely(n && t->stacks[n - 1].ip == ip && t->stacks[n - 1].like == like))
		return n;
	n = kf_table_find_like(t, like, ip);
	if (n)
		*hint = n;
	return n;
}

#define KF_KEY_WORDS	(sizeof(struct kf_key) / sizeof(u64))

static __always_inline bool kf_key_equal(const struct kf_key *a, const struct kf_key *b)
{
	return kf_words_equal((const u64 *)a, (const u64 *)b, KF_KEY_WORDS);
}

/**
 * kf_table_count() - add to an entry, or make it
 * @t:		the table; the caller owns it
 * @key:	its stacks are ids from kf_table_stack() of this table
 * @samples:	number of samples
 * @weight_ns:	time that the samples stand for
 * @late_ns:	the part of it that came late
 *
 * An entry's stacks are its most distinctive part. So the last entry with the same stacks is
 * compared first.
 *
 * Return: the entry's id in this table, from 1; 0 if there is no room: then nothing is
 * counted.
 */
static __always_inline u32 kf_table_count(struct kf_table *t, const struct kf_key *key,
					  u64 samples, u64 weight_ns, u64 late_ns)
{
	u32 *hint = kf_table_entry_place(t, key), n = *hint;
	struct kf_entry *e;

	if (unlikely(!n || !kf_key_equal(&t->entries[n - 1].key, key))) {
		n = kf_table_find_entry(t, key);
		if (!n)
			return 0;
		*hint = n;
	}
	e = &t->entries[n - 1];
	e->samples += samples;
	e->weight_ns += weight_ns;
	e->late_ns += late_ns;
	return n;
}

#endif
