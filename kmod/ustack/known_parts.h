/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * known_parts.h - parts of user stacks that were walked before
 *
 * Where a walk by unwind tables goes depends on the words that it reads and on the address space,
 * whose rules never change (struct kf_uknown). So a part stores which words a walk read and their
 * values. A later walk at the same place reads these words again, in a loop that does nothing else.
 * If all are equal, so are the frames. Nothing is assumed: every frame's word is read.
 *
 * A part ends where the stack pointer crosses a multiple of KF_UCHAIN_STACK. So stacks with the
 * same outer frames share parts, whatever is on top. A part is stored at the second visit, because
 * most stacks are never seen again.
 *
 * Context: the timer's hard interrupt, with user access open, so all is inlined.
 */
#ifndef KF_KNOWN_PARTS_H
#define KF_KNOWN_PARTS_H

#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "ustack/read_word.h"

/* Chosen so that all parts of a CPU fit into 128 KiB */
#define KF_UCHAIN_FRAMES	28U
#define KF_UCHAIN_STACK		2048UL
#define KF_UCHAIN_BITS		7
#define KF_UCHAINS		(1U << KF_UCHAIN_BITS)
/* Words are compared in groups of this size. The last word is repeated to fill the last group. */
#define KF_UCHAIN_STRIDE	4U

/* The address of a word of the stack, and the word's value when it was stored */
struct kf_uword {
	u64 at;
	u64 is;
};

/* The state of a walk at a frame */
struct kf_uchain_place {
	u64 aspace;
	u64 ip;
	u64 sp;
	u64 fp;
};

enum {
	KF_UCHAIN_BASE_AS_IT_WAS,
	KF_UCHAIN_BASE_SAVED,
	KF_UCHAIN_BASE_LOST,
};

/**
 * struct kf_uchain - a part of a stack
 * @from:	state of the walk where the part begins
 * @sp:		stack pointer where the part ends; the address there is the last frame's
 * @fp:		frame pointer where the part ends, if the part restores it; else it is unchanged
 * @saved:	where KFLAME_BASE_REG is saved at the end, with KF_UCHAIN_BASE_SAVED
 * @nr:		frames; 0: a walk came by, and nothing is stored yet
 * @nr_ra:	words of @ra, including the repeated ones
 * @nr_saved:	words of @is_saved, including the repeated ones
 * @records:	frames that were left by a frame record
 * @base:	what became of KFLAME_BASE_REG: KF_UCHAIN_BASE_*
 * @by_fp:	the part depends on the frame pointer where it begins. Other parts ignore the frame
 *		pointer, since code may use the register for something else
 * @last:	no quick step follows the part
 * @used:	the part was used since another walk wanted this slot
 * @ra:		return addresses, and where they were
 * @is_saved:	saved frame pointers, and where they were
 */
struct kf_uchain {
	struct kf_uchain_place from;
	u64 sp;
	u64 fp;
	u64 saved;
	u8 nr;
	u8 nr_ra;
	u8 nr_saved;
	u8 records;
	u8 base;
	bool by_fp;
	bool last;
	bool used;
	struct kf_uword ra[KF_UCHAIN_FRAMES] __aligned(64);
	struct kf_uword is_saved[KF_UCHAIN_FRAMES];
};

/* The slot for the part that begins at @p. It may hold another part, see kf_uchain_is_from(). */
static __always_inline struct kf_uchain *kf_uchain_at(struct kf_uchain *all,
						      const struct kf_uchain_place *p)
{
	return &all[hash_64(p->sp + (p->ip << 20) + p->aspace, KF_UCHAIN_BITS)];
}

static __always_inline bool kf_uchain_is_from(const struct kf_uchain *c,
					      const struct kf_uchain_place *p)
{
	return c->from.sp == p->sp && c->from.ip == p->ip && c->from.aspace == p->aspace &&
	       (!c->by_fp || c->from.fp == p->fp);
}

enum kf_uchain_is {
	KF_UCHAIN_AS_IT_WAS,
	KF_UCHAIN_CHANGED,
	KF_UCHAIN_FAULT,	/* a word cannot be read: the read took a page fault */
};

/* Do these words of the stack still have their stored values? */
static __always_inline enum kf_uchain_is kf_saved_are(const struct kf_uword *w, u32 nr)
{
	const struct kf_uword *const end = w + nr;
	unsigned long is;
	u32 i;

	for (; w != end; w += KF_UCHAIN_STRIDE)
		KF_ALL_FOUR
		for (i = 0; i < KF_UCHAIN_STRIDE; i++) {
			KF_READ_WORD(w[i].at, is, fault);
			if (unlikely(is != w[i].is))
				return KF_UCHAIN_CHANGED;
		}
	return KF_UCHAIN_AS_IT_WAS;
fault:
	return KF_UCHAIN_FAULT;
}

/* The same for return addresses, which are also copied to @to. */
static __always_inline enum kf_uchain_is kf_ras_are(const struct kf_uword *w, u32 nr, u64 *to)
{
	const struct kf_uword *const end = w + nr;
	unsigned long is;
	u32 i;

	for (; w != end; w += KF_UCHAIN_STRIDE, to += KF_UCHAIN_STRIDE)
		KF_ALL_FOUR
		for (i = 0; i < KF_UCHAIN_STRIDE; i++) {
			KF_READ_WORD(w[i].at, is, fault);
			if (unlikely(is != w[i].is))
				return KF_UCHAIN_CHANGED;
			to[i] = kf_strip_pac(is);
		}
	return KF_UCHAIN_AS_IT_WAS;
fault:
	return KF_UCHAIN_FAULT;
}

/**
 * kf_uchain_is() - do all words of a part still have their stored values?
 * @c:		a part with frames
 * @to:		out: the part's frames, and up to KF_UCHAIN_STRIDE - 1 meaningless words after them.
 *		There is room for @c->nr_ra words
 *
 * Return: enum kf_uchain_is.
 */
static __always_inline enum kf_uchain_is kf_uchain_is(const struct kf_uchain *c, u64 *to)
{
	enum kf_uchain_is is = kf_saved_are(c->is_saved, c->nr_saved);

	return likely(is == KF_UCHAIN_AS_IT_WAS) ? kf_ras_are(c->ra, c->nr_ra, to) : is;
}

/*
 * A walk came to @p, and the slot @c has another part. The other part keeps the slot until two such
 * walks came with no use of the part in between.
 */
static __always_inline void kf_uchain_meet(struct kf_uchain *c, const struct kf_uchain_place *p)
{
	if (c->used) {
		c->used = false;
		return;
	}
	c->from = *p;
	c->by_fp = false;
	c->nr = 0;
}

/* Begin to store a part. */
static __always_inline void kf_uchain_begin(struct kf_uchain *c, u64 fp)
{
	c->from.fp = fp;
	c->by_fp = false;
	c->nr = 0;
	c->nr_saved = 0;
	c->records = 0;
	c->base = KF_UCHAIN_BASE_AS_IT_WAS;
}

/* Append a frame. The part has fewer than KF_UCHAIN_FRAMES. */
static __always_inline void kf_uchain_add(struct kf_uchain *c, u64 at, u64 is)
{
	c->ra[c->nr++] = (struct kf_uword){ .at = at, .is = is };
}

static __always_inline void kf_uchain_add_saved(struct kf_uchain *c, u64 at, u64 is)
{
	c->is_saved[c->nr_saved++] = (struct kf_uword){ .at = at, .is = is };
}

/*
 * This step uses the frame pointer. The part depends on its first value unless a step restored it.
 */
static __always_inline void kf_uchain_go_by_fp(struct kf_uchain *c)
{
	if (!c->nr_saved)
		c->by_fp = true;
}

static __always_inline void kf_uchain_base(struct kf_uchain *c, u8 base, u64 saved)
{
	c->base = base;
	c->saved = saved;
}

static __always_inline u32 kf_uwords_fill_up(struct kf_uword *w, u32 nr)
{
	u32 i;

	for (i = nr; i % KF_UCHAIN_STRIDE; i++)
		w[i] = w[nr - 1];
	return i;
}

/* The part is complete. @sp, @fp: registers where it ends */
static __always_inline void kf_uchain_end(struct kf_uchain *c, u64 sp, u64 fp, bool last)
{
	BUILD_BUG_ON(KF_UCHAIN_FRAMES % KF_UCHAIN_STRIDE);
	c->nr_ra = kf_uwords_fill_up(c->ra, c->nr);
	c->nr_saved = kf_uwords_fill_up(c->is_saved, c->nr_saved);
	c->sp = sp;
	c->fp = fp;
	c->last = last;
	c->used = c->nr;
}

#endif
