// SPDX-License-Identifier: GPL-2.0-only
/*
 * kretprobe_trampoline.c - where probed functions return to, instead of to their callers
 *
 * The kernel does not say where its trampoline is. So a function of this file is probed once, and its return
 * tells.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>

#include "base/trampoline.h"
#include "compat/kprobes.h"
#include "source/kretprobe_trampoline.h"

#ifdef KF_KRETPROBES

/* A function to learn the trampoline's address from */
static noinline void probed(void)
{
	barrier();
}

/* No more than one START needs to learn it. Two of them at once learn the same. */
static bool is_learnt;

/* A kernel whose unwinder knows the trampoline passes the return address instead. */
static int learn(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const unsigned long ip = instruction_pointer(regs);

	if (ip != kf_kretprobe_caller(ri, regs))
		WRITE_ONCE(kf_trampoline, ip);
	return 0;
}

/* arm64 does not need the trampoline's address, because its frame records go on beyond the trampoline. */

/**
 * kf_kretprobe_learn() - learn the address of the kernel's trampoline, kf_trampoline, where walks need it
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int kf_kretprobe_learn(void)
{
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)probed, .handler = learn, .maxactive = 1,
	};
	int err;

	if (!IS_ENABLED(CONFIG_X86) || READ_ONCE(is_learnt))
		return 0;
	err = register_kretprobe(&rp);
	if (err)
		return err;
	probed();
	unregister_kretprobe(&rp);
	WRITE_ONCE(is_learnt, true);
	return 0;
}

#endif
