// SPDX-License-Identifier: GPL-2.0-only
/*
 * step_cache.c - caching what the kernel's unwinder does, see kstack/step_cache.h
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "base/call_site.h"
#include "base/learn.h"
#include "compat/compat.h"
#include "kstack/step_cache.h"

#ifdef KF_HAVE_ORC_STATE

#include <asm/unwind.h>

/*
 * Neither an address nor a value that a stack holds. If the unwinder uses it as an address, the
 * read fails.
 */
#define TAG		0x6b66000000000000UL

/*
 * Where sp, all other registers and bp point to on the tagged stack, in words. The CFA that the
 * unwinder computes is above the register from which it is measured, so the CFA shows which
 * register that is. Nearly no frame is as large as the distances (CONFIG_FRAME_WARN is 2 KiB on
 * stacks of 16 KiB). A larger one is detected when bp is moved, and is not cached.
 */
#define AT_SP		16U
#define AT_OTHERS	352U
#define AT_BP		688U

/* Called at load. Return: 0, or a negative errno: then kf_kstack_exit() must not be called. */
int __init kf_kstack_init(void)
{
	return kf_learns() ? kf_ktext_init() : 0;
}

/* Called when no session exists any more */
void kf_kstack_exit(void)
{
	if (kf_learns())
		kf_ktext_exit();
}

/* Memory for a session's cache */
size_t kf_kcache_bytes(void)
{
	return sizeof(struct kf_ksteps) + kf_kcheck_bytes();
}

static void forget_some(u64 *cache, unsigned int bits)
{
	unsigned int i;
	u64 step;

	for (i = 0; i < 1U << bits; i++) {
		step = READ_ONCE(cache[i]);
		if (step && !kf_step_is_of_image(step))
			WRITE_ONCE(cache[i], KF_STEP_UNSUPPORTED);
	}
}

/*
 * Drop the steps of modules. A step of the image that is being stored at the same time may be lost,
 * too.
 */
static void forget(struct kf_ktext *text)
{
	struct kf_ksteps *k = container_of(text, struct kf_ksteps, text);

	forget_some(k->sampled, KF_STEPS_SAMPLED_BITS);
	forget_some(k->called, KF_STEPS_CALLED_BITS);
}

/**
 * kf_kcache_create() - make an empty cache
 *
 * Context: may sleep. The caller reserves the memory, kf_kcache_bytes(), see base/memory.h.
 * Return: NULL without memory.
 */
struct kf_kcache *kf_kcache_create(void)
{
	struct kf_ksteps *k = kvzalloc(sizeof(*k), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	unsigned int i;

	if (!k)
		return NULL;
	for (i = 0; i < KF_STEPS_TAGS; i++)
		k->tags[i] = TAG + i;
	for (i = 0; i < ARRAY_SIZE(k->regs); i++) {
		/*
		 * All words get this address. The part of it that serves as cs means kernel mode.
		 */
		memset64((u64 *)&k->regs[i], (unsigned long)&k->tags[AT_OTHERS],
			 sizeof(k->regs[i]) / sizeof(u64));
		k->regs[i].bp = (unsigned long)&k->tags[AT_BP + i];
	}
	if (kf_kcache_init(&k->cache)) {
		kvfree(k);
		return NULL;
	}
	kf_ktext_start(&k->text, forget);
	return &k->cache;
}

/* @cache may be NULL. The caller ensures that no CPU uses it any more. */
void kf_kcache_destroy(struct kf_kcache *cache)
{
	struct kf_ksteps *k;

	if (!cache)
		return;
	k = kf_ksteps_of(cache);
	kf_ktext_stop(&k->text);
	kf_kcache_exit(cache);
	kvfree(k);
}

/*
 * Let the unwinder make one step on the tagged stack. @ip is looked up as it is, and bp points to
 * word @bp. With @quiet an error is already set, so the unwinder reports none. All registers are
 * given: otherwise the unwinder would complain about rows that use a register other than sp and bp.
 */
static bool ask(struct kf_ksteps *k, unsigned long ip, unsigned int bp, bool quiet,
		struct unwind_state *state)
{
	*state = (struct unwind_state) {
		.stack_info = {
			.type = STACK_TYPE_TASK,
			.begin = k->tags,
			.end = k->tags + KF_STEPS_TAGS,
		},
		.task = current,
		.error = quiet,
		.signal = true,
		.full_regs = true,
		.sp = (unsigned long)&k->tags[AT_SP],
		.bp = (unsigned long)&k->tags[bp],
		.ip = ip,
		.regs = &k->regs[bp - AT_BP],
	};
	return unwind_next_frame(state);
}

/* Index of a word of the tagged stack by its address, KF_STEPS_TAGS if it is not on that stack. */
static unsigned int index_of(const struct kf_ksteps *k, unsigned long address)
{
	unsigned long offset = address - (unsigned long)k->tags;

	return offset % sizeof(long) ? KF_STEPS_TAGS :
				       min_t(unsigned long, offset / sizeof(long), KF_STEPS_TAGS);
}

/*
 * Read the step from the unwinder's state; bp pointed to word @bp. @base: out: index of the CFA.
 * @saved: out: how many words below the CFA bp was saved; 0: it was not.
 * Return: KF_STEP_CALL, KF_STEP_REGS or KF_STEP_UNSUPPORTED.
 */
static u64 read_step(const struct kf_ksteps *k, const struct unwind_state *state,
		     unsigned int bp, unsigned int *base, unsigned long *saved)
{
	*saved = 0;
	if (state->regs) {
		*base = index_of(k, (unsigned long)state->regs);
		return *base < KF_STEPS_TAGS && state->full_regs ? KF_STEP_REGS : KF_STEP_UNSUPPORTED;
	}
	*base = index_of(k, state->sp);
	/* A row for an interrupted address, or the return address is not right below the CFA. */
	if (state->signal || *base == KF_STEPS_TAGS || state->ip != TAG + *base - 1)
		return KF_STEP_UNSUPPORTED;
	if (state->bp == (unsigned long)&k->tags[bp])
		return KF_STEP_CALL;
	*saved = TAG + *base - state->bp;
	return *saved && *saved < KF_STEPS_TAGS ? KF_STEP_CALL : KF_STEP_UNSUPPORTED;
}

/* Pack a step into a word; distances in bytes */
static u64 pack_step(u64 kind, bool by_bp, unsigned long cfa, unsigned long saved)
{
		/* A bp that is saved above the CFA or below sp is not supported. */
	if (kind == KF_STEP_CALL && !by_bp) {
		if (!cfa || saved > cfa)
			return KF_STEP_UNSUPPORTED;
		kind = KF_STEP_PLAIN;
		saved = saved ? cfa - saved + sizeof(long) : 0;
	}
	BUILD_BUG_ON(KF_STEPS_TAGS * sizeof(long) > KF_STEP_SAVED + 1 ||
		     KF_STEPS_TAGS * sizeof(long) > KF_STEP_CFA + sizeof(long));
	return kind | (by_bp ? KF_STEP_BY_BP : 0) | (u64)cfa << KF_STEP_CFA_SHIFT |
	       (u64)saved << KF_STEP_SAVED_SHIFT;
}

/*
 * The step seems to go by bp. Verify that: if bp is moved, the CFA must move by the same distance.
 * If not, the frame is a very large one by sp. For unknown code the unwinder also goes by bp, and
 * reports an error.
 */
static bool is_by_bp(struct kf_ksteps *k, unsigned long ip, u64 kind, unsigned int base,
		     unsigned long saved)
{
	struct unwind_state state;
	unsigned int moved;
	unsigned long also;

	return ask(k, ip, AT_BP + 1, false, &state) && !state.error &&
	       read_step(k, &state, AT_BP + 1, &moved, &also) == kind &&
	       moved == base + 1 && also == saved;
}

static u64 ask_step(struct kf_ksteps *k, unsigned long ip)
{
	struct unwind_state state;
	unsigned int base, from;
	unsigned long saved;
	u64 kind;

	if (!ask(k, ip, AT_BP, true, &state)) {
		/*
		 * The unwinder did not look at registers: this is an end, or the address is unknown
		 * to it.
		 */
		if (!state.signal || ask(k, ip, AT_BP, false, &state) || state.error)
			return KF_STEP_UNSUPPORTED;
		return KF_STEP_END;
	}
	kind = read_step(k, &state, AT_BP, &base, &saved);
	if (kind == KF_STEP_UNSUPPORTED || base < AT_SP || (base >= AT_OTHERS && base < AT_BP))
		return KF_STEP_UNSUPPORTED;
	from = base < AT_OTHERS ? AT_SP : AT_BP;
	if (from == AT_BP && !is_by_bp(k, ip, kind, base, saved))
		return KF_STEP_UNSUPPORTED;
	return pack_step(kind, from == AT_BP, (base - from) * sizeof(long),
			 saved * sizeof(long));
}

/* Is it the start of a trampoline, which a tracer or kretprobe put in place of a return address? */
static bool begins_function(unsigned long ip)
{
	return kf_in_image(ip) && kf_begins_function(ip);
}

/*
 * Choose the slot for the step of @ip. A step of the image in the first slot moves to the second
 * one. A step of a module is never moved: a step that is just being dropped might survive in the
 * other slot.
 */
static u64 *place_for(u64 *cache, unsigned int bits, unsigned long ip)
{
	u64 *place = kf_step_place(cache, bits, ip), *second = place + (1 << (bits - 1));
	const u64 step = READ_ONCE(*place), other = READ_ONCE(*second);

	if (kf_step_is_of_image(step)) {
		WRITE_ONCE(*second, step);
		return place;
	}
	return step && !kf_in_image(ip) && (!other || kf_step_is_of_image(other)) ? second : place;
}

/**
 * kf_kstep_learn() - ask the unwinder for the step from an address, and cache it
 * @k:		the session's
 * @ip:		an address
 * @called:	it is a return address
 * @asked:	counts questions to the unwinder, about code that may be cached
 *
 * Context: hard interrupt, interrupts off.
 * Return: the step. If it may be cached, it is in the cache now.
 */
u64 kf_kstep_learn(struct kf_ksteps *k, unsigned long ip, bool called, u64 *asked)
{
	const unsigned int bits = called ? KF_STEPS_CALLED_BITS : KF_STEPS_SAMPLED_BITS;
	const unsigned long generation = kf_ktext_generation(&k->text);
	u64 step = KF_STEP_UNSUPPORTED, *place;

	lockdep_assert_irqs_disabled();
	if (!kf_in_image(ip) && !kf_ktext_is_module(&k->text, ip))
		return KF_STEP_UNSUPPORTED;
	++*asked;
	if (!called) {
		step = ask_step(k, ip);
	} else if (!begins_function(ip)) {
		/* Not cached: a breakpoint may be there just now. */
		if (!kf_after_kernel_call(ip))
			return KF_STEP_UNSUPPORTED;
		step = ask_step(k, ip - 1);
	}
	step |= ip & KF_STEP_IP;
	place = place_for(called ? k->called : k->sampled, bits, ip);
	WRITE_ONCE(*place, step);
	if (!kf_in_image(ip) && kf_ktext_is_over(&k->text, generation))
		WRITE_ONCE(*place, KF_STEP_UNSUPPORTED);
	return step;
}

#endif
