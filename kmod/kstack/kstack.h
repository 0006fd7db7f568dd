/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstack.h - kernel stacks from the interrupted registers
 *
 * Two ways give the same frames. kstack/by_stack_trace.c works wherever CONFIG_STACKTRACE is.
 * kstack/by_unwinder.c works where the kernel exports its unwinder (x86), at less than half the
 * cost. The first frame is always the interrupted program counter. No frame of the sampling
 * interrupt is included. If another interrupt or a fault lies in the middle of a stack, only the
 * unwinder shows that: the address that it interrupted is one higher, see kflame_rec_stack.
 *
 * Two faster ways fall back to these. kstack/by_cached_steps.c takes the unwinder's steps from a
 * cache (x86 with ORC). kstack/by_frame_records.c reads frame records (arm64). Their caches are the
 * session's, see kstack/kernel_cache.h.
 *
 * Context: interrupts off: the timer's hard interrupt, a fault, or the scheduler with the lock of a run
 * queue held.
 */
#ifndef KF_KSTACK_H
#define KF_KSTACK_H

#include <asm/ptrace.h>

#include "store/frames.h"

/* Most frames of the interrupt itself: about a dozen, more with KASAN. */
#define KF_TRACE_EXTRA	32U

/* Counters of struct kf_kwalk. Each stack counts as one of the first three. */
enum {
	KF_KWALK_CACHED,	/* walked by the cache */
	KF_KWALK_OTHER_STACK,	/* fell back to the kernel: not on the task's own stack */
	KF_KWALK_UNSUPPORTED,	/* fell back: registers, a tracer's address, a step that is not cached */
	KF_KWALK_STEPS,		/* the unwinder was asked */
	KF_KWALK_MATCHED,	/* learn_check: matched by their callers, of those by the cache */
	KF_KWALK_DIFFERS,	/* learn_check: by the cache, and not as the kernel has it */
	KF_NR_KWALK,
};

struct kf_kcache;
struct kf_table;
struct task_struct;

/**
 * struct kf_kwalk - data of one CPU for walks of kernel stacks
 * @cache:	the session's; NULL if it has none
 * @chains:	the table whose stacks may be matched by their callers, or NULL
 * @like:	id of a stack of @chains with the same shape and callers as the sample's; then
 *		nothing was walked. 0: none was found
 * @whole:	out, for walks by @cache: the stack may be matched by its callers from now on
 * @count:	KF_KWALK_*
 * @trace:	scratch of kstack/by_stack_trace.c
 *
 * Ownership: part of struct kf_cpu, with the same rules for writing.
 */
struct kf_kwalk {
	struct kf_kcache *cache;
	const struct kf_table *chains;
	u32 like;
	bool whole;
	u64 count[KF_NR_KWALK];
	unsigned long trace[KF_MAX_DEPTH + KF_TRACE_EXTRA];
};

/**
 * kf_kstack_fn - walk a kernel stack
 * @regs:	interrupted registers, of kernel mode
 * @handler:	return address of the timer callback: it shows where in the trace the
 *		interrupt's own frames are
 * @depth:	most frames, 1 to KF_MAX_DEPTH
 * @w:		this CPU's
 * @f:		out; at least one frame
 */
typedef void kf_kstack_fn(struct pt_regs *regs, unsigned long handler, u32 depth,
			  struct kf_kwalk *w, struct kf_frames *f);

/* Each is NULL if this kernel does not support that way of walking. */
kf_kstack_fn *kf_kstack_save(void);
kf_kstack_fn *kf_kstack_unwind(void);

/*
 * The walk by kf_kwalk.cache; NULL on kernels without a cache. It is kf_kstack_by_steps(), unless
 * learn_check is on.
 */
kf_kstack_fn *kf_kstack_cached(void);
kf_kstack_fn kf_kstack_by_steps;

/**
 * kf_kstack_sleeping() - walk the kernel stack of another task
 * @t:		it sleeps, and cannot be woken meanwhile: the caller holds its pi_lock
 * @depth:	most frames
 * @f:		out: from where it was switched out
 *
 * Return: false if this kernel has no way to walk it; then @f must not be used.
 */
bool kf_kstack_sleeping(struct task_struct *t, u32 depth, struct kf_frames *f);

/* Add a frame to the @nr frames of @f, unless @ip is 0. Return: false if there is no room. */
static __always_inline bool kf_kstack_add(struct kf_frames *f, u32 *nr, u32 depth, unsigned long ip)
{
	if (ip && *nr == depth)
		return false;
	if (ip)
		f->ip[(*nr)++] = ip;
	return true;
}

void kf_kstack_note(struct kf_kwalk *w, const struct pt_regs *regs, struct kf_table *t, u32 stack);

#endif
