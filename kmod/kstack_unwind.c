// SPDX-License-Identifier: GPL-2.0-only
/*
 * kstack_unwind.c - kernel stacks by the kernel's unwinder, started at the
 * interrupted registers
 *
 * x86 exports it, for both of its kinds (ORC, frame pointers).  Nothing of the
 * interrupt's own frames is walked.
 */
#include <linux/kernel.h>
#include <linux/sched.h>

#include <kflame.h>
#include "kleaf.h"
#include "kstack.h"

#if defined(CONFIG_X86) && (defined(CONFIG_UNWINDER_ORC) || defined(CONFIG_UNWINDER_FRAME_POINTER))

#include <asm/unwind.h>

/*
 * ORC keeps the address in the state, and checks it when it goes on from there; so
 * the call that would check it again is spared, at each frame. What is left to check
 * is the last one, which may be user mode's, in the registers of the entry.
 */
static __always_inline unsigned long return_address(struct unwind_state *state)
{
#ifdef CONFIG_UNWINDER_ORC
	return (long)state->ip < 0 ? state->ip : 0;
#else
	return unwind_get_return_address(state);
#endif
}

static void kstack_unwind(struct pt_regs *regs, unsigned long handler, u32 depth,
			  struct kf_kwalk *w, struct kf_frames *f)
{
	struct unwind_state state;
	unsigned long ip = kf_kleaf_caller(regs);
	u32 nr = 1, end = KFLAME_END_COMPLETE;

	/* unwind_start() goes to the caller of @regs at once: store the PC here. */
	f->ip[0] = regs->ip;
	if (ip && nr == depth) {
		end = KFLAME_END_DEPTH;
		goto out;
	}
	if (ip)
		f->ip[nr++] = ip;
	for (unwind_start(&state, current, regs, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		ip = return_address(&state);
		if (!ip)
			break;
		if (nr == depth) {
			end = KFLAME_END_DEPTH;
			goto out;
		}
		f->ip[nr++] = ip;
	}
	if (unwind_error(&state))
		end = KFLAME_END_UNWIND;
out:
	f->is = kf_shape(KFLAME_STACK_KERNEL, nr, end, KF_NO_CANDIDATE);
}

kf_kstack_fn *kf_kstack_unwind(void)
{
	return kstack_unwind;
}

#else

kf_kstack_fn *kf_kstack_unwind(void)
{
	return NULL;
}

#endif
