/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstack.h - kernel stacks from the interrupted registers
 *
 * Two ways, one file each, which give the same frames: kstack_save.c works
 * wherever CONFIG_STACKTRACE is, kstack_unwind.c where the kernel exports its
 * unwinder (x86), at less than half the cost.  The first frame is always the
 * interrupted program counter; no frame of the interrupt that samples is in it.
 *
 * Context: the timer's hard interrupt, interrupts off.
 */
#ifndef KF_KSTACK_H
#define KF_KSTACK_H

#include <asm/ptrace.h>

#include "frames.h"

/* The interrupt's own frames: about a dozen, more on stacks with KASAN. */
#define KF_TRACE_EXTRA	32U

/**
 * struct kf_kstack_scratch - room that only kstack_save.c needs, one a CPU
 */
struct kf_kstack_scratch {
	unsigned long trace[KF_MAX_DEPTH + KF_TRACE_EXTRA];
};

/**
 * kf_kstack_fn - walk a kernel stack
 * @regs:	interrupted registers, of kernel mode
 * @handler:	return address of the timer callback: where in the trace the
 *		interrupt's own frames are
 * @depth:	most frames, 1 to KF_MAX_DEPTH
 * @scratch:	of this CPU
 * @f:		out; at least one frame
 */
typedef void kf_kstack_fn(struct pt_regs *regs, unsigned long handler, u32 depth,
			  struct kf_kstack_scratch *scratch, struct kf_frames *f);

/* NULL where a way is not to be had on this kernel. */
kf_kstack_fn *kf_kstack_save(void);
kf_kstack_fn *kf_kstack_unwind(void);

#endif
