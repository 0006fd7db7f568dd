// SPDX-License-Identifier: GPL-2.0-only
/*
 * by_unwinder.c - kernel stacks by the kernel's unwinder, started at the
 * interrupted registers
 *
 * x86 exports its unwinder, in both kinds (ORC and frame pointers). The frames of the
 * sampling interrupt are not walked.
 */
#include <linux/kernel.h>
#include <linux/sched.h>

#include <kflame.h>
#include "kstack/frameless.h"
#include "kstack/kstack.h"

#if defined(CONFIG_X86) && (defined(CONFIG_UNWINDER_ORC) || defined(CONFIG_UNWINDER_FRAME_POINTER))

#include <asm/unwind.h>

/*
 * ORC keeps the address in the state, and checks it when it continues from there. So the
 * call that would check it again is saved for each frame. Only the last address
 * needs a check here: it may be user mode's, from the entry's registers.
 */
static __always_inline unsigned long return_address(struct unwind_state *state)
{
#ifdef CONFIG_UNWINDER_ORC
	return (long)state->ip < 0 ? state->ip : 0;
#else
	return unwind_get_return_address(state);
#endif
}

/* Was this frame interrupted at its address? Otherwise the address is a return address. */
static __always_inline bool is_interrupted(const struct unwind_state *state)
{
#ifdef CONFIG_UNWINDER_ORC
	return state->signal;
#else
	return state->regs;
#endif
}

/* Add a frame, unless @ip is 0. Return: false if there is no room. */
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

	/* unwind_start() starts at the caller of @regs, so store the program counter here. */
	f->ip[0] = regs->ip;
	if (!add(f, &nr, depth, kf_kleaf_caller(regs)))
		goto out;
	for (unwind_start(&state, current, regs, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		ip = return_address(&state);
		if (!ip)
			break;
			/*
			 * Readers look up the address less one. An interrupted address may be the
			 * first of its function, so add one.
			 */
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
