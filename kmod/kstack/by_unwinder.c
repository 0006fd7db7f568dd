// SPDX-License-Identifier: GPL-2.0-only
/*
 * by_unwinder.c - kernel stacks by the kernel's unwinder, started at the
 * interrupted registers
 *
 * x86 exports it, for both of its kinds (ORC, frame pointers).  Nothing of the
 * interrupt's own frames is walked.
 */
#include <linux/kernel.h>
#include <linux/sched.h>

#include <kflame.h>
#include "kstack/frameless.h"
#include "kstack/kstack.h"

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

/* Was what runs this frame interrupted there? Else the address is one that a call returns to. */
static __always_inline bool is_interrupted(const struct unwind_state *state)
{
#ifdef CONFIG_UNWINDER_ORC
	return state->signal;
#else
	return state->regs;
#endif
}

/* Adds a frame, where there is one.  Return: false: there is no room for it. */
static __always_inline bool add(struct kf_frames *f, u32 *nr, u32 depth, unsigned long ip)
{
	if (ip && *nr == depth)
		return false;
	if (ip)
		f->ip[(*nr)++] = ip;
	return true;
}

static void kstack_unwind(struct pt_regs *regs, unsigned long handler, u32 depth,
			  struct kf_kwalk *w, struct kf_frames *f)
{
	struct unwind_state state;
	u32 nr = 1, end = KFLAME_END_DEPTH;
	unsigned long ip;

	/* unwind_start() goes to the caller of @regs at once: store the PC here. */
	f->ip[0] = regs->ip;
	if (!add(f, &nr, depth, kf_kleaf_caller(regs)))
		goto out;
	for (unwind_start(&state, current, regs, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		ip = return_address(&state);
		if (!ip)
			break;
		/* One more, as less one is looked up: it may be a function's first instruction. */
		if (!add(f, &nr, depth, ip + is_interrupted(&state)) ||
		    (is_interrupted(&state) &&
		     !add(f, &nr, depth, kf_kleaf_caller(state.regs))))
			goto out;
	}
	end = unwind_error(&state) ? KFLAME_END_UNWIND : KFLAME_END_COMPLETE;
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
