// SPDX-License-Identifier: GPL-2.0-only
/*
 * step_cache.c - learning what the kernel's unwinder does, see kstack/step_cache.h
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

/* Neither an address nor a number that a stack holds. A read by one of these as an address fails. */
#define TAG		0x6b66000000000000UL

/*
 * Where sp, all other registers and bp are, in words, when it is asked: what it then takes for the
 * CFA lies above that from which it is measured, and shows by that which one it was. Nearly no
 * frame is as large as the distances (CONFIG_FRAME_WARN is 2 KiB where stacks are 16); one that is
 * shows when bp is moved, and is not cached.
 */
#define AT_SP		16U
#define AT_OTHERS	352U
#define AT_BP		688U

/* At load. Return: 0, or a negative errno, and kf_kstack_exit() is not due. */
int __init kf_kstack_init(void)
{
	return kf_learns() ? kf_ktext_init() : 0;
}

/* When no session is there any more */
void kf_kstack_exit(void)
{
	if (kf_learns())
		kf_ktext_exit();
}

/* What a session's cache takes */
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

/* Drop the steps of modules. A step of the image that is being stored may get lost, too. */
static void forget(struct kf_ktext *text)
{
	struct kf_ksteps *k = container_of(text, struct kf_ksteps, text);

	forget_some(k->sampled, KF_STEPS_SAMPLED_BITS);
	forget_some(k->called, KF_STEPS_CALLED_BITS);
}

/**
 * kf_kcache_create() - an empty cache
 *
 * Context: may sleep. The memory, kf_kcache_bytes(), is accounted by the caller, see base/memory.h.
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
		/* Words of eight bytes: what of them is taken for cs is that of the kernel. */
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

/* Takes NULL; the caller proves that no CPU walks by it any more. */
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
 * Let the unwinder take one step from @ip, that is looked up as it is, on the tagged stack, bp at
 * word @bp of it. As long as @quiet it takes an error for a known one, and says nothing of it. It
 * has all registers, or it would complain of rows that go by another than sp and bp.
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

/* Index of a word of the tagged stack by its address, KF_STEPS_TAGS if it is none. */
static unsigned int index_of(const struct kf_ksteps *k, unsigned long address)
{
	unsigned long offset = address - (unsigned long)k->tags;

	return offset % sizeof(long) ? KF_STEPS_TAGS :
				       min_t(unsigned long, offset / sizeof(long), KF_STEPS_TAGS);
}

/*
 * What the step was, with bp at word @bp. @base: out: index of what is taken for the CFA; @saved:
 * how many words below it bp was saved, 0: it was not.
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
	/* A row for an interrupted place, or a return address that is not right below. */
	if (state->signal || *base == KF_STEPS_TAGS || state->ip != TAG + *base - 1)
		return KF_STEP_UNSUPPORTED;
	if (state->bp == (unsigned long)&k->tags[bp])
		return KF_STEP_CALL;
	*saved = TAG + *base - state->bp;
	return *saved && *saved < KF_STEPS_TAGS ? KF_STEP_CALL : KF_STEP_UNSUPPORTED;
}

/* A step as it is kept; distances in bytes */
static u64 pack_step(u64 kind, bool by_bp, unsigned long cfa, unsigned long saved)
{
	/* What is saved above the CFA, or below sp, is not for us to understand. */
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
 * Is it by bp, as it looks? Then all moves with bp. If not, it is a very large frame by sp; and of
 * what the unwinder knows nothing, it goes on by bp and calls that an error.
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
		/* Did not even look at registers: an end, or nothing is known of this place. */
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

/* Where a trampoline begins: put in place of a return address by a tracer or kretprobe. */
static bool begins_function(unsigned long ip)
{
	return kf_in_image(ip) && kf_begins_function(ip);
}

/*
 * Where a step of @ip is to be kept. One of the image that is in the first place moves to the second
 * one. Those of modules stay where they were kept at first: moved, one that is just being dropped
 * might be kept.
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
 * kf_kstep_learn() - learn how a place is left
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
		/* Not for good: there may be a breakpoint just now. */
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
