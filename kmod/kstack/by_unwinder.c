// SPDX-License-Identifier: GPL-2.0-only
/*
 * by_unwinder.c - kernel stacks by the kernel's unwinder, started at the
 * interrupted registers, or where a sleeping task was switched out
 *
 * x86 exports its unwinder, in both kinds (ORC and frame pointers). The frames of the
 * sampling interrupt are not walked.
 */
#include <linux/kernel.h>
#include <linux/sched.h>

#include <kflame.h>
#include "base/trampoline.h"
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

/* Add the frames from @state on to the @nr frames that @f has. This completes @f. */
static __always_inline void add_frames(struct unwind_state *state, u32 nr, u32 depth,
				       struct kf_frames *f)
{
	u32 end = KFLAME_END_DEPTH;
	unsigned long ip;

	for (; !unwind_done(state); unwind_next_frame(state)) {
		ip = return_address(state);
		if (!ip)
			break;
		if (kf_is_trampoline(ip)) {
			end = KFLAME_END_UNWIND;
			goto out;
		}
			/*
			 * Readers look up the address less one. An interrupted address may be the
			 * first of its function, so add one.
			 */
		if (!kf_kstack_add(f, &nr, depth, ip + is_interrupted(state)) ||
		    (is_interrupted(state) && !kf_kstack_add(f, &nr, depth, kf_kleaf_caller(state->regs))))
			goto out;
	}
	end = unwind_error(state) ? KFLAME_END_UNWIND : KFLAME_END_COMPLETE;
out:
	f->is = kf_shape(KFLAME_STACK_KERNEL, nr, end, KF_NO_CANDIDATE);
}

static void kstack_unwind(struct pt_regs *regs, unsigned long handler, u32 depth,
			  struct kf_kwalk *w, struct kf_frames *f)
{
	struct unwind_state state;
	u32 nr = 1;

	/* unwind_start() starts at the caller of @regs, so store the program counter here. */
	f->ip[0] = regs->ip;
	if (!kf_kstack_add(f, &nr, depth, kf_kleaf_caller(regs))) {
		f->is = kf_shape(KFLAME_STACK_KERNEL, nr, KFLAME_END_DEPTH, KF_NO_CANDIDATE);
		return;
	}
	unwind_start(&state, current, regs, NULL);
	add_frames(&state, nr, depth, f);
}

bool kf_kstack_sleeping(struct task_struct *t, u32 depth, struct kf_frames *f)
{
	struct unwind_state state;

	unwind_start(&state, t, NULL, NULL);
	add_frames(&state, 0, depth, f);
	return f->is.nr;
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

/* arm64 has its own in kstack/by_frame_records.c. */
#ifndef CONFIG_ARM64
bool kf_kstack_sleeping(struct task_struct *t, u32 depth, struct kf_frames *f)
{
	return false;
}
#endif

#endif
