/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - counts of distinct samples: one fixed block of memory, filled
 * without locks by one owner at a time
 *
 * Stacks are interned first, whole: two stacks are the same when every frame
 * is, never because a hash is.  Entries hang on (address space, stacks, ...)
 * and are compared whole too.  Nothing is ever removed: a table is filled,
 * taken by its reader, emptied as one.
 *
 * Context: kf_table_stack() and kf_table_count() run in hard interrupts; they
 * allocate nothing and take no lock.  The caller makes sure that a table has
 * one owner: the CPU it hangs on, with interrupts off, or the reader that took
 * it away.
 */
#ifndef KF_TABLE_H
#define KF_TABLE_H

#include <linux/types.h>
#include <kflame.h>

/**
 * struct kf_key - what makes two samples the same; no padding, compared as bytes
 * @aspace:	address space id, 0 for none
 * @kstack:	kernel stack as kf_table_stack() numbered it, 0 for none
 * @ustack:	user stack, likewise
 * @cpu:	CPU number
 * @context:	KFLAME_CTX_*
 * @tgid:	process id
 * @tid:	thread id, 0 unless threads are told apart
 * @comm:	zero filled after the end of the name
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
 * @hash:	of everything below, and the frames
 * @first:	index of its first frame in the table's arena
 * @kind:	KFLAME_STACK_*
 * @end:	KFLAME_END_*, and KFLAME_BY_*
 * @candidate:	as in struct kflame_rec_stack
 * @nr:		number of frames
 */
struct kf_stack {
	u32 hash;
	u32 first;
	u16 kind;
	u16 end;
	u32 candidate;
	u32 nr;
};

/**
 * struct kf_table - see the head of this file
 * @serial:	tells the stacks and entries of this filling from those of all others in the
 *		session; set by the reader when it hands the table over
 * @mark:	number of entries (and in proportion stacks, frames) from which the
 *		reader is to be woken
 * @entries:	the first @nr_entries are used
 * @stacks:	likewise; stack number N of a key is stacks[N - 1]
 * @frames:	the arena the stacks' frames are in
 * @samples:	which entry was counted when; the first @nr_samples are used
 * @lost_samples: that found no room there, of this filling
 */
struct kf_table {
	u32 serial;
	u32 seed;
	u32 max_entries, nr_entries;
	u32 max_stacks, nr_stacks;
	u32 max_frames, nr_frames;
	u32 max_samples, nr_samples;
	u32 lost_samples;
	u32 entry_mask, stack_mask;
	u32 *entry_slot;
	u32 *stack_slot;
	struct kf_entry *entries;
	struct kf_stack *stacks;
	u64 *frames;
	struct kflame_sample *samples;
};

#define KF_TABLE_MIN_ENTRIES	16U
#define KF_TABLE_MAX_ENTRIES	(1U << 20)
#define KF_TABLE_MIN_SAMPLES	256U

size_t kf_table_bytes(u32 entries, u32 samples);
struct kf_table *kf_table_create(u32 entries, u32 samples, int node);
void kf_table_destroy(struct kf_table *t);
void kf_table_reset(struct kf_table *t);
void kf_table_copy(struct kf_table *to, const struct kf_table *from);

u32 kf_table_stack(struct kf_table *t, const struct kf_stack *like, const u64 *ip);
u32 kf_table_count(struct kf_table *t, const struct kf_key *key, u64 samples,
		   u64 weight_ns, u64 late_ns);
void kf_table_note(struct kf_table *t, u32 entry, u64 time_ns, u64 weight_ns, u64 late_ns);

/* Is it time to take this table away, so that it never gets full? */
static inline bool kf_table_past_mark(const struct kf_table *t)
{
	return READ_ONCE(t->nr_entries) * 2 >= t->max_entries ||
	       READ_ONCE(t->nr_frames) * 2 >= t->max_frames ||
	       READ_ONCE(t->nr_samples) * 2 > t->max_samples;
}

#endif
