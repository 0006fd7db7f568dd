// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksteps.c - learning what the kernel's unwinder does, see ksteps.h
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "ksteps.h"
#include "ustack_arch.h"

static bool wanted, checked;

bool kf_ksteps_wanted(void)
{
	return wanted;
}

bool kf_ksteps_checked(void)
{
	return checked;
}

/* What a session's steps take; 0 where nothing is learnt. */
size_t kf_ksteps_bytes(void)
{
	if (!wanted)
		return 0;
	return sizeof(struct kf_ksteps) +
	       (checked ? sizeof(struct kf_frames) * num_possible_cpus() : 0);
}

#ifdef KF_HAVE_ORC_STATE

#include <asm/unwind.h>

/* No address, no number that a stack has: who takes one for an address reads nothing. */
#define TAG		0x6b66000000000000UL

/*
 * Where sp and bp are, in words, when it is asked for the first and second time: they move by
 * different distances, so that it shows from which of them the CFA is measured.
 */
struct place {
	unsigned int sp, bp;
};

static const struct place places[2] = { { 16, 608 }, { 48, 624 } };

/**
 * kf_ksteps_init() - set what new sessions do, once, at load
 * @learn:	learn, where the kernel's unwinder allows it
 * @check:	and walk each stack both ways
 */
void kf_ksteps_init(bool learn, bool check)
{
	wanted = learn;
	checked = learn && check;
}

/**
 * kf_ksteps_create() - nothing learnt yet; may sleep
 *
 * The memory, kf_ksteps_bytes(), is accounted by the caller, see memory.h.
 * Return: NULL without memory.
 */
struct kf_ksteps *kf_ksteps_create(void)
{
	struct kf_ksteps *k = kvzalloc(sizeof(*k), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	unsigned int i;

	if (!k)
		return NULL;
	for (i = 0; i < KF_STEPS_TAGS; i++)
		k->tags[i] = TAG + i;
	if (checked) {
		k->other = alloc_percpu_gfp(struct kf_frames, GFP_KERNEL | __GFP_NOWARN);
		if (!k->other) {
			kf_ksteps_destroy(k);
			return NULL;
		}
	}
	return k;
}

/* Takes NULL; the caller proves that no CPU walks by it any more. */
void kf_ksteps_destroy(struct kf_ksteps *k)
{
	if (!k)
		return;
	free_percpu(k->other);
	kvfree(k);
}

/*
 * Let the unwinder take one step from @ip, that is looked up as it is, on the tagged stack.
 * As long as @quiet it takes an error for a known one, and says nothing of it. It has all
 * registers, or it would complain of rows that go by another than sp and bp: by those it gets
 * to the same place each time, which tells that they are not to be learnt.
 */
static bool ask(struct kf_ksteps *k, unsigned long ip, const struct place *at, bool quiet,
		struct unwind_state *state)
{
	struct pt_regs regs;

	/* Words of eight bytes: what of them is taken for cs is that of the kernel. */
	memset64((u64 *)&regs, (unsigned long)&k->tags[KF_STEPS_TAGS / 2],
		 sizeof(regs) / sizeof(u64));
	regs.bp = (unsigned long)&k->tags[at->bp];
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
		.sp = (unsigned long)&k->tags[at->sp],
		.bp = regs.bp,
		.ip = ip,
		.regs = &regs,
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
 * What the step was, from where @at says it began. @base: out: index of what is taken for
 * the CFA. Return: where bp was saved, of a plain call; else KF_STEP_REGS or KF_STEP_ODD.
 */
static u64 read_step(const struct kf_ksteps *k, const struct unwind_state *state,
		     const struct place *at, unsigned int *base)
{
	unsigned long saved;

	if (state->regs) {
		*base = index_of(k, (unsigned long)state->regs);
		return *base < KF_STEPS_TAGS && state->full_regs ? KF_STEP_REGS : KF_STEP_ODD;
	}
	*base = index_of(k, state->sp);
	/* A row for an interrupted place, or a return address that is not right below. */
	if (state->signal || *base == KF_STEPS_TAGS || state->ip != TAG + *base - 1)
		return KF_STEP_ODD;
	if (state->bp == (unsigned long)&k->tags[at->bp])
		return 0;
	saved = TAG + *base - state->bp;
	if (!saved || saved > KF_STEP_WORDS)
		return KF_STEP_ODD;
	return (u64)saved << KF_STEP_SAVED_SHIFT;
}

/* Ask twice, from different places: what is the same both times is what the row says. */
static u64 ask_step(struct kf_ksteps *k, unsigned long ip)
{
	unsigned int base[2], from;
	struct unwind_state state;
	u64 step;

	if (!ask(k, ip, &places[0], true, &state)) {
		/* Did not even look at registers: an end, or nothing is known of this place. */
		if (!state.signal || ask(k, ip, &places[0], false, &state) || state.error)
			return KF_STEP_ODD;
		return KF_STEP_END;
	}
	step = read_step(k, &state, &places[0], &base[0]);
	if (step == KF_STEP_ODD || !ask(k, ip, &places[1], false, &state) ||
	    state.error || read_step(k, &state, &places[1], &base[1]) != step)
		return KF_STEP_ODD;

	if (base[1] - base[0] == places[1].sp - places[0].sp) {
		from = places[0].sp;
	} else if (base[1] - base[0] == places[1].bp - places[0].bp) {
		from = places[0].bp;
		step |= KF_STEP_BY_BP;
	} else {
		return KF_STEP_ODD;
	}
	if (base[0] < from)
		return KF_STEP_ODD;
	return step | (u64)(base[0] - from) << KF_STEP_CFA_SHIFT;
}

/* Not to be inlined: its name is long, and rarely needed. */
static noinline bool begins_function(unsigned long ip)
{
	char name[KSYM_SYMBOL_LEN];
	const char *plus;

	sprint_symbol(name, ip);
	plus = strrchr(name, '+');
	/* A kernel without names does not say: nothing is learnt then. */
	return !plus || !strncmp(plus, "+0x0/", 5);
}

static bool is_return_address(unsigned long ip)
{
	unsigned long code;

	return !copy_from_kernel_nofault(&code, (void *)(ip - sizeof(code)), sizeof(code)) &&
	       kf_after_call(code) && !begins_function(ip);
}

/**
 * kf_kstep_learn() - learn how a place is left
 * @k:		the session's
 * @ip:		an address in the image, see kf_in_image()
 * @called:	it is a return address
 *
 * Context: hard interrupt, interrupts off.
 * Return: the step. It is in the cache now, in front of that which was there.
 */
u64 kf_kstep_learn(struct kf_ksteps *k, unsigned long ip, bool called)
{
	u64 *set = called ? kf_step_set(k->called, KF_STEPS_CALLED_BITS, ip) :
			    kf_step_set(k->sampled, KF_STEPS_SAMPLED_BITS, ip);
	u64 step = KF_STEP_ODD;

	lockdep_assert_irqs_disabled();
	if (!called)
		step = ask_step(k, ip);
	else if (is_return_address(ip))
		step = ask_step(k, ip - 1);
	step |= ip & KF_STEP_IP;
	WRITE_ONCE(set[1], READ_ONCE(set[0]));
	WRITE_ONCE(set[0], step);
	return step;
}

#else

void kf_ksteps_init(bool learn, bool check)
{
}

struct kf_ksteps *kf_ksteps_create(void)
{
	return NULL;
}

void kf_ksteps_destroy(struct kf_ksteps *k)
{
}

#endif
