// SPDX-License-Identifier: GPL-2.0-only
/* sleeping.c - the kernel stack of a task that sleeps, from where it was switched out */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include <kflame.h>
#include "kstack/kstack.h"

#if defined(CONFIG_X86) && (defined(CONFIG_UNWINDER_ORC) || defined(CONFIG_UNWINDER_FRAME_POINTER))

#include <asm/unwind.h>

bool kf_kstack_sleeping(struct task_struct *t, u32 depth, struct kf_frames *f)
{
	u32 nr = 0, end = KFLAME_END_COMPLETE;
	struct unwind_state state;
	unsigned long ip;

	for (unwind_start(&state, t, NULL, NULL); !unwind_done(&state); unwind_next_frame(&state)) {
		ip = unwind_get_return_address(&state);
		if (!ip)
			break;
		if (nr == depth) {
			end = KFLAME_END_DEPTH;
			break;
		}
		f->ip[nr++] = ip;
	}
	if (end == KFLAME_END_COMPLETE && unwind_error(&state))
		end = KFLAME_END_UNWIND;
	f->is = kf_shape(KFLAME_STACK_KERNEL, nr, end, KF_NO_CANDIDATE);
	return nr;
}

#elif defined(CONFIG_ARM64)

#include "kstack/frame_records.h"

bool kf_kstack_sleeping(struct task_struct *t, u32 depth, struct kf_frames *f)
{
	const unsigned long page = (unsigned long)task_stack_page(t);
	const struct kf_bounds stack = { page, page + THREAD_SIZE };
	const unsigned long last = (unsigned long)&task_pt_regs(t)->stackframe;
	unsigned long fp = t->thread.cpu_context.fp, low = t->thread.cpu_context.sp, ret;
	u32 nr = 0, end = KFLAME_END_COMPLETE;

	for (ret = t->thread.cpu_context.pc; ret; ret = kf_record_return(fp), fp = kf_kstack_word(fp)) {
		if (nr == depth) {
			end = KFLAME_END_DEPTH;
			break;
		}
		f->ip[nr++] = ret;
		/* Before 5.11 the first record of a thread has no successor. */
		if (fp == last || !fp)
			break;
		if (!kf_is_kernel_record(fp, low, &stack)) {
			end = KFLAME_END_UNWIND;
			break;
		}
		low = fp + 16;
	}
	f->is = kf_shape(KFLAME_STACK_KERNEL, nr, end, KF_NO_CANDIDATE);
	return nr;
}

#else

bool kf_kstack_sleeping(struct task_struct *t, u32 depth, struct kf_frames *f)
{
	return false;
}

#endif
