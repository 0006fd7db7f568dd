/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame_records.h - kernel stacks by frame records, without stack_trace_save() (arm64)
 *
 * stack_trace_save() first walks the frames of the sampling interrupt, and asks for each frame
 * which stack it lies on. On the task's own stack, frame records are a linked list: each holds the
 * address of the next one and a return address. The list ends at the entry from user mode, or where
 * the thread begins. One thing is missing from it: tracers and return probes replace return
 * addresses, and only the kernel knows the original. So an address is not taken for a return
 * address until stack_trace_save() has returned it for a record that held it. Then it is verified
 * for the session, because a tracer's replacements are a few fixed addresses of the image. All else
 * falls back to stack_trace_save(), and addresses are verified from its result.
 *
 * A stack with known callers is compared with the table's while it is read. The key is the
 * innermost caller; the first caller that differs is the key of the next lookup.
 *
 * Whether the interrupted address has a record (kstack/frameless.h) is cached for the image:
 * sixteen instructions in a word. Code of modules and BPF may be replaced, so there the question is
 * asked each time.
 *
 * Ownership: struct kf_krecords is the session's, from START to destroy; all its CPUs read and
 * write it. There is no lock. Each cached fact is one word that contains its own address. If two
 * CPUs write one word at once, one of the facts is found again later.
 * Context: hard interrupt, interrupts off.
 */
#ifndef KF_FRAME_RECORDS_H
#define KF_FRAME_RECORDS_H

#ifdef CONFIG_ARM64

#include <linux/ptrace.h>
#include <linux/types.h>

#include "kstack/frameless.h"
#include "kstack/kernel_cache.h"
#include "kstack/kstack.h"
#include "kstack/own_stack.h"
#include "store/table.h"

/* A busy machine uses some two thousand return addresses. The places cover a MiB of code. */
#define KF_RETURNS_BITS	13
#define KF_PLACES_BITS	14

/* Instructions are at multiples of four, so the low bits of an address hold facts about it. */
#define KF_RETURN_PLAIN	1UL	/* a record held it, and stack_trace_save() returned it */
#define KF_RETURN_CALL	2UL	/* a call ends before it */

/*
 * A block is the code that one word describes: the block's number, from 1, and two bits an
 * instruction
 */
#define KF_BLOCK_BITS	6
#define KF_PLACE_BARE	1UL	/* no record there */
#define KF_PLACE_OTHER	2UL	/* there is a record, or it is unknown */

/**
 * struct kf_krecords - what one session caches about kernel stacks
 * @returns:	return addresses, and KF_RETURN_*
 * @places:	blocks of the kernel's image, and KF_PLACE_* of each address
 * @cache:	learn_check
 */
struct kf_krecords {
	unsigned long returns[1 << KF_RETURNS_BITS];
	unsigned long places[1 << KF_PLACES_BITS];
	struct kf_kcache cache;
};

static __always_inline struct kf_krecords *kf_krecords_of(struct kf_kcache *cache)
{
	return container_of(cache, struct kf_krecords, cache);
}

/* Addresses that are certain to be in the image; empty if the kernel has no names. */
struct kf_image {
	unsigned long low, size;
};

extern struct kf_image kf_image;

static __always_inline bool kf_is_in_image(unsigned long address)
{
	return address - kf_image.low < kf_image.size;
}

/*
 * A return address has two slots. The first is in the first half of the array (hence 33). The
 * second is half an array further, and takes the address that is evicted from the first. With one
 * slot, two addresses of the same stack could evict each other at each walk.
 */
static __always_inline unsigned long *kf_return_place(struct kf_krecords *k, unsigned long address)
{
	return &k->returns[(u32)(address >> 2) * 0x61c88647U >> (33 - KF_RETURNS_BITS)];
}

static __always_inline unsigned long *kf_return_second(unsigned long *place)
{
	return place + (1 << (KF_RETURNS_BITS - 1));
}

/* The block of an address of the image, numbered from 1 */
static __always_inline unsigned long kf_block(unsigned long address)
{
	return ((address - kf_image.low) >> KF_BLOCK_BITS) + 1;
}

/* The slot for the word of a block */
static __always_inline unsigned long *kf_block_place(struct kf_krecords *k, unsigned long block)
{
	return &k->places[block % (1 << KF_PLACES_BITS)];
}

/* The position of an address's bits in that word */
static __always_inline unsigned int kf_block_shift(unsigned long address)
{
	return (address - kf_image.low) % (1 << KF_BLOCK_BITS) / 2;
}

/* KF_PLACE_* of an address, 0 if it is not cached */
static __always_inline unsigned long kf_place_of(struct kf_krecords *k, unsigned long address)
{
	unsigned long word;

	if (unlikely(!kf_is_in_image(address)))
		return 0;
	word = READ_ONCE(*kf_block_place(k, kf_block(address)));
	return word >> 32 == kf_block(address) ? word >> kf_block_shift(address) & 3 : 0;
}

static __always_inline bool kf_return_is(struct kf_krecords *k, unsigned long address,
					 unsigned long what)
{
	unsigned long *place = kf_return_place(k, address);
	const unsigned long of = ~3UL | what, is = address | what;

	return likely((READ_ONCE(*place) & of) == is) ||
	       (READ_ONCE(*kf_return_second(place)) & of) == is;
}

/*
 * Strip the signature of an address that may be signed. (Before 5.14 no separate option says so.)
 */
static __always_inline unsigned long kf_kernel_address(unsigned long signed_one)
{
	return IS_ENABLED(CONFIG_ARM64_PTR_AUTH) ? kf_kleaf_unsigned(signed_one) : signed_one;
}

/* The record where a walk ends */
static __always_inline unsigned long kf_last_record(void)
{
	return (unsigned long)&task_pt_regs(current)->stackframe;
}

/* Can a frame record be at @fp? It must be above @low, the end of the record before. */
static __always_inline bool kf_is_kernel_record(unsigned long fp, unsigned long low,
						const struct kf_bounds *stack)
{
	return fp >= low && fp <= stack->high - 16 && !(fp % 16);
}

static __always_inline unsigned long kf_record_return(unsigned long fp)
{
	return kf_kernel_address(kf_kstack_word(fp + sizeof(long)));
}

/*
 * Not an address: the walk falls back to stack_trace_save(), because only the kernel knows the
 * caller. The interrupted address is in a trampoline, to which a function has just returned, or the
 * link register leads to one.
 */
#define KF_LEAF_ODD	(~0UL)

/* Before 5.11 the first record of a thread has no successor. */
static __always_inline bool kf_is_last(unsigned long fp, unsigned long last)
{
	return fp == last || !fp;
}

unsigned long kf_krecords_ask(struct kf_krecords *k, const struct pt_regs *regs);

/* kf_kleaf_caller() with cached answers. It may also return KF_LEAF_ODD. */
static __always_inline unsigned long kf_krecords_leaf(struct kf_krecords *k,
						      const struct pt_regs *regs)
{
	const unsigned long known = kf_place_of(k, regs->pc);
	unsigned long link;

	if (likely(known == KF_PLACE_OTHER))
		return 0;
	if (likely(known == KF_PLACE_BARE)) {
		link = kf_kleaf_link(regs);
		if (!link || likely(kf_return_is(k, link, KF_RETURN_CALL)))
			return link;
	}
	return kf_krecords_ask(k, regs);
}

/*
 * Are the callers from @fp on those of stack @like? @caller: a caller before these without a
 * record, or 0
 * @other: out, if not: the first caller that differs, or 0
 *
 * All records are below the last one. So one comparison shows that a record follows and that it is
 * on the stack. The alignment of all records is checked at the end.
 */
static __always_inline bool kf_krecords_are(const struct kf_table *t, u32 like, unsigned long caller,
					    unsigned long fp, unsigned long *other)
{
	const unsigned long last = kf_last_record();
	const struct kf_stack *s;
	const u64 *was, *end;
	unsigned long next, ret, bits = 0;

	*other = 0;
	if (unlikely(!like))
		return false;
	s = &t->stacks[like - 1];
	was = &t->frames[s->first] + 1;
	end = was + s->is.nr - 1;
	if (caller && caller != *was++)
		return false;
	while (likely(was < end)) {
		/* The compiler reads both words by one instruction. */
		next = kf_kstack_word(fp);
		ret = kf_record_return(fp);
		if (unlikely(ret != *was)) {
			*other = ret;
			return false;
		}
		was++;
		if (next >= last)
			return next == last && was == end && !(bits % 16);
		if (unlikely(next < fp + 16))
			return kf_is_last(next, last) && was == end && !(bits % 16);
		bits |= next;
		fp = next;
	}
	return false;
}

u32 kf_krecords_other(const struct kf_table *t, unsigned long first, unsigned long caller,
		      unsigned long fp, unsigned long other);

/* kf_kstack_match() on arm64 */
static __always_inline u32 kf_krecords_match(struct kf_kwalk *w, const struct pt_regs *regs)
{
	const struct kf_bounds stack = kf_own_stack();
	const unsigned long fp = regs->regs[29];
	unsigned long caller, first, other;
	u32 like;

	if (unlikely(!kf_is_on(&stack, regs->sp) || fp < regs->sp || fp >= kf_last_record() ||
		     fp % 16))
		return 0;
	caller = kf_krecords_leaf(kf_krecords_of(w->cache), regs);
	if (unlikely(caller == KF_LEAF_ODD))
		return 0;
	first = caller ?: kf_record_return(fp);
	like = *kf_table_chain_place(w->chains, first, 0);
	if (likely(kf_krecords_are(w->chains, like, caller, fp, &other)))
		return like;
	return other ? kf_krecords_other(w->chains, first, caller, fp, other) : 0;
}

#endif

#endif
