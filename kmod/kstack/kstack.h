/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstack.h - kernel stacks from the interrupted registers
 *
 * Two ways give the same frames. kstack/by_stack_trace.c works wherever CONFIG_STACKTRACE is.
 * kstack/by_unwinder.c works where the kernel exports its unwinder (x86), at less than half the cost. The
 * first frame is always the interrupted program counter. No frame of the sampling interrupt is included.
 * If another interrupt or a fault lies in the middle of a stack, only the unwinder shows that: the
 * address that it interrupted is one higher, see kflame_rec_stack.
 *
 * Two faster ways fall back to these. kstack/by_cached_steps.c takes the unwinder's steps from a cache
 * (x86 with ORC). kstack/by_frame_records.c reads frame records (arm64). Their caches are the session's,
 * see kstack/kernel_cache.h.
 *
 * Context: the timer's hard interrupt, interrupts off.
 */
#ifndef KF_KSTACK_H
#define KF_KSTACK_H

#include <asm/ptrace.h>

#include "store/frames.h"

/* The interrupt's own frames: about a dozen, more on stacks with KASAN. */
#define KF_TRACE_EXTRA	32U

/* What struct kf_kwalk counts. Each stack is one of the first three. */
enum {
	KF_KWALK_CACHED,	/* walked by the cache */
	KF_KWALK_OTHER_STACK,	/* fell back to the kernel: not on the task's own stack */
	KF_KWALK_UNSUPPORTED,		/* fell back: registers, a tracer's address, a step that is not cached */
	KF_KWALK_STEPS,		/* the unwinder was asked */
	KF_KWALK_MATCHED,		/* learn_check: matched by their callers, of those by the cache */
	KF_KWALK_DIFFERS,	/* learn_check: by the cache, and not as the kernel has it */
	KF_NR_KWALK,
};

struct kf_kcache;
struct kf_table;

/**
 * struct kf_kwalk - what walks of kernel stacks need on a CPU
 * @cache:	the session's; NULL if it has none
 * @chains:	the table whose stacks may be matched by their callers, or NULL
 * @like:	of the sample: number of a stack of @chains with the same shape and callers; then
 *		nothing was walked. 0: none was found
 * @whole:	out, where walks are by @cache: the stack may be matched by its callers from now on
 * @count:	KF_KWALK_*
 * @trace:	room that only kstack/by_stack_trace.c needs
 *
 * Ownership: of its struct kf_cpu, and written as that is.
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
 * @handler:	return address of the timer callback: where in the trace the
 *		interrupt's own frames are
 * @depth:	most frames, 1 to KF_MAX_DEPTH
 * @w:		of this CPU
 * @f:		out; at least one frame
 */
typedef void kf_kstack_fn(struct pt_regs *regs, unsigned long handler, u32 depth,
			  struct kf_kwalk *w, struct kf_frames *f);

/* NULL where a way is not to be had on this kernel. */
kf_kstack_fn *kf_kstack_save(void);
kf_kstack_fn *kf_kstack_unwind(void);

/*
 * Needs kf_kwalk.cache; NULL where there is no cache. The second is what the first is, unless
 * learn_check is on.
 */
kf_kstack_fn *kf_kstack_cached(void);
kf_kstack_fn kf_kstack_by_steps;
void kf_kstack_note(struct kf_kwalk *w, const struct pt_regs *regs, struct kf_table *t, u32 stack);

#endif
