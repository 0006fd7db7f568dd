// SPDX-License-Identifier: GPL-2.0-only
/*
 * by_stack_trace.c - kernel stacks by stack_trace_save(), the portable way
 *
 * stack_trace_save() starts at its own caller, so the trace begins with the frames
 * of the sampling interrupt. These are cut off: the stack begins at the interrupted
 * program counter.
 */
#include <linux/kernel.h>
#include <linux/stacktrace.h>
#ifdef CONFIG_KPROBES_ON_FTRACE
#include <linux/ftrace.h>
#endif

#include <kflame.h>
#include "base/trampoline.h"
#include "kstack/frameless.h"
#include "kstack/kstack.h"

#ifdef CONFIG_STACKTRACE

/*
 * The search for the interrupted program counter begins behind the return address of our
 * callback. The core also calls soft timers from that address with interrupts on, so
 * an interrupt may hit that very address.
 */
static unsigned int skip_handler(const unsigned long *trace, unsigned int nr,
				 unsigned long handler)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (trace[i] == handler)
			return i + 1;
	return 0;
}

/* A probe by ftrace is a call at the address in the registers. The trace has its return address. */
static bool is_pc(unsigned long address, unsigned long pc)
{
#ifdef CONFIG_KPROBES_ON_FTRACE
	if (address == pc + MCOUNT_INSN_SIZE)
		return true;
#endif
	return address == pc;
}

static void kstack_save(struct pt_regs *regs, unsigned long handler, u32 depth,
			struct kf_kwalk *w, struct kf_frames *f)
{
	unsigned long *trace = w->trace;
	unsigned long pc = instruction_pointer(regs);
	unsigned int room = min_t(u32, depth + KF_TRACE_EXTRA, ARRAY_SIZE(w->trace));
	u32 end = KFLAME_END_COMPLETE;
	unsigned int nr, i, frames = 1;
	unsigned long caller;

	f->ip[0] = pc;
	nr = stack_trace_save(trace, room, 0);
	for (i = skip_handler(trace, nr, handler); i < nr; i++)
		if (is_pc(trace[i], pc))
			break;
	if (i == nr) {
		f->is = kf_shape(KFLAME_STACK_KERNEL, 1, KFLAME_END_NOT_FOUND, KF_NO_CANDIDATE);
		return;
	}
	caller = kf_kleaf_caller(regs);
	if (caller && frames < depth)
		f->ip[frames++] = caller;
	for (i++; i < nr && frames < depth && !kf_is_trampoline(trace[i]); i++)
		f->ip[frames++] = trace[i];
	if (i < nr && kf_is_trampoline(trace[i]))
		end = KFLAME_END_UNWIND;
	else if (i < nr || nr == room || (caller && depth == 1))
		end = KFLAME_END_DEPTH;
	f->is = kf_shape(KFLAME_STACK_KERNEL, frames, end, KF_NO_CANDIDATE);
}

kf_kstack_fn *kf_kstack_save(void)
{
	return kstack_save;
}

#else

kf_kstack_fn *kf_kstack_save(void)
{
	return NULL;
}

#endif
