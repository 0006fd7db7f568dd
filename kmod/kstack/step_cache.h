/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * step_cache.h - cached steps of the kernel's unwinder (x86 with ORC)
 *
 * ORC (arch/x86/kernel/unwind_orc.c) leaves a frame by a row that it searches for: where the stack
 * pointer was before the call (the CFA, a distance from sp or bp), and where bp was saved. Neither
 * changes while the code is loaded. The rows are not exported, but the unwinder is. So the first
 * time an address is met, the unwinder takes one step on a private stack. Each word of that stack
 * says where it lies. What the step read and where it ended is the row, in whatever format the
 * kernel keeps it. From then on a step reads two words of the stack.
 *
 * The interrupted address is looked up as it is. A return address is looked up less one, as the
 * unwinder does. Hence two caches. Addresses of the image and of modules are cached. When a module
 * is loaded or unloaded, all steps of modules are dropped (kstack/module_text.h). BPF programs and
 * tracers' trampolines are never cached, because nothing reports their end. A return address
 * without a call before it, or at the start of a function, was put there by a tracer or kretprobe
 * and is not cached either.
 *
 * Ownership: the session's, from START to destroy; all its CPUs read and write it.
 * Context: kf_kstep_learn() and lookups in hard interrupts. There is no lock. A step is one word
 * that contains its own address. A CPU that does not see another CPU's step asks the unwinder
 * itself.
 */
#ifndef KF_STEP_CACHE_H
#define KF_STEP_CACHE_H

#include <linux/bits.h>
#include <linux/types.h>
#include <asm/ptrace.h>

#include "compat/compat.h"
#include "kstack/kernel_cache.h"
#include "kstack/module_text.h"

#ifdef KF_HAVE_ORC_STATE

#include <asm/pgtable_types.h>

/*
 * Sampled addresses may be any instructions of hot code. Return addresses are behind calls on the
 * way to it. A busy kernel has some ten thousand sampled addresses and some two thousand return
 * addresses. An evicted step is asked for again. The caches take 328 KiB in all, and
 * kstack/module_text.h 64 to 96 KiB.
 */
#define KF_STEPS_SAMPLED_BITS	15
#define KF_STEPS_CALLED_BITS	13

/*
 * Most questions to the unwinder in one sample. One takes some 1,500 instructions, with interrupts
 * off. Later samples ask the rest: a new deep stack costs 12,000 instructions a sample, not
 * 190,000.
 */
#define KF_STEPS_A_SAMPLE	8U

/* Words of the tagged stack, on which the unwinder makes its step */
#define KF_STEPS_TAGS		1024U

/**
 * struct kf_ksteps - cached steps of one session
 * @sampled:	by interrupted address; see KF_STEP_*
 * @called:	by return address
 * @tags:	the tagged stack: each word tells its index; written at START only
 * @regs:	registers that point into @tags; bp of the second set points one word further;
 *		written at START only
 * @text:	which addresses are code of modules
 * @cache:	learn_check
 */
struct kf_ksteps {
	u64 sampled[1 << KF_STEPS_SAMPLED_BITS];
	u64 called[1 << KF_STEPS_CALLED_BITS];
	unsigned long tags[KF_STEPS_TAGS];
	struct pt_regs regs[2];
	struct kf_ktext text;
	struct kf_kcache cache;
};

static __always_inline struct kf_ksteps *kf_ksteps_of(struct kf_kcache *cache)
{
	return container_of(cache, struct kf_ksteps, cache);
}

/*
 * A step has three fields: the lower half of the address, which is sign-extended to the whole;
 * distances in bytes; and the kind. Nearly all steps are plain calls, whose CFA is at a distance
 * from sp. Only plain calls have the top bit without another bit of the kind. A word of zeros is an
 * unsupported step.
 */
#define KF_STEP_IP		GENMASK_ULL(31, 0)
#define KF_STEP_BY_BP		BIT_ULL(32)		/* CFA from bp, else from sp */
#define KF_STEP_CFA_SHIFT	32
#define KF_STEP_CFA		GENMASK_ULL(15, 3)	/* that far from sp or bp */
#define KF_STEP_SAVED_SHIFT	48
/*
 * Where bp was saved; 0: it was not. In a plain call this is 8 more than the distance from sp, in
 * other steps the distance below the CFA.
 */
#define KF_STEP_SAVED		GENMASK_ULL(12, 0)
#define KF_STEP_KIND		GENMASK_ULL(63, 61)
#define KF_STEP_PLAIN		BIT_ULL(63)
#define KF_STEP_CALL		(3ULL << 61)		/* a call, too; the CFA is that from bp */
#define KF_STEP_END		(2ULL << 61)		/* no further frame */
#define KF_STEP_REGS		(1ULL << 61)		/* registers at CFA, no return address below */
#define KF_STEP_UNSUPPORTED	0ULL			/* ask the unwinder each time */

static __always_inline unsigned long kf_step_cfa(u64 step)
{
	return step >> KF_STEP_CFA_SHIFT & KF_STEP_CFA;
}

static __always_inline unsigned long kf_step_saved(u64 step)
{
	return step >> KF_STEP_SAVED_SHIFT & KF_STEP_SAVED;
}

u64 kf_kstep_learn(struct kf_ksteps *k, unsigned long ip, bool called, u64 *asked);

/*
 * The range in which the kernel's image may be, with KASLR, too. Modules and similar code follow.
 */
#define KF_IMAGE_START	__START_KERNEL_map

static __always_inline bool kf_in_image(unsigned long ip)
{
	BUILD_BUG_ON(MODULES_VADDR - KF_IMAGE_START > KF_STEP_IP);
	return ip - KF_IMAGE_START < MODULES_VADDR - KF_IMAGE_START;
}

/*
 * A step of @ip has two slots. The first is in the first half of the cache (hence 33: bits - 1 of
 * the hash are the index). The second is half a cache further. It takes a step of the image that is
 * evicted from the first slot, or a module's step if another module's step is in the first one.
 */
static __always_inline u64 *kf_step_place(u64 *cache, unsigned int bits, unsigned long ip)
{
	return &cache[(u32)ip * 0x61c88647U >> (33 - bits)];
}

/* An empty slot belongs to no address, or is an unsupported step. */
static __always_inline bool kf_step_is(u64 step, unsigned long ip)
{
	return (long)(s32)step == (long)ip;
}

/* Is it a step of the image? If not, it is a module's, or the slot is empty. */
static __always_inline bool kf_step_is_of_image(u64 step)
{
	return kf_in_image((long)(s32)step);
}

/*
 * The cached step from an address; KF_STEP_UNSUPPORTED if none is cached. Arguments: see kf_kstep()
 */
static __always_inline u64 kf_kstep_known(struct kf_ksteps *k, unsigned long ip, bool called)
{
	const unsigned int bits = called ? KF_STEPS_CALLED_BITS : KF_STEPS_SAMPLED_BITS;
	u64 *place = kf_step_place(called ? k->called : k->sampled, bits, ip);
	u64 step = READ_ONCE(*place);

	if (likely(kf_step_is(step, ip)))
		return step;
	step = READ_ONCE(place[1 << (bits - 1)]);
	return kf_step_is(step, ip) ? step : KF_STEP_UNSUPPORTED;
}

/**
 * kf_kstep() - get the step from an address
 * @k:		the session's
 * @ip:		an address
 * @called:	it is a return address; a compile-time constant
 * @asked:	counts questions to the unwinder
 * @enough:	the unwinder is not asked once the count has reached this value
 *
 * Context: hard interrupt, interrupts off.
 * Return: the step, KF_STEP_*.
 */
static __always_inline u64 kf_kstep(struct kf_ksteps *k, unsigned long ip, bool called,
				    u64 *asked, u64 enough)
{
	u64 step = kf_kstep_known(k, ip, called);

	/* An unsupported step has the bits of its address: the unwinder is not asked again. */
	if (likely(step) || *asked == enough)
		return step;
	return kf_kstep_learn(k, ip, called, asked);
}

#endif

#endif
