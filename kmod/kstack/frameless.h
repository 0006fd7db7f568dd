/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frameless.h - the caller of a kernel function that has no frame record
 *
 * An unwinder that goes by frame records (arm64, and x86 without ORC) knows the interrupted address
 * and the record that the frame pointer shows. In the first and last instructions of a function
 * that record is the caller's. Some functions have none at all: most that call nothing (arm64), and
 * some in assembler. Then the trace goes on with the caller's caller, and the caller is missing.
 *
 * Whether a record exists depends on the instruction alone. So the code from the interrupted
 * address on shows it. If a return comes before anything that restores a record, or a record is
 * made first, there is none yet, and the return address is where the call left it. The code that is
 * read is about to be executed.
 *
 * Context: the timer's hard interrupt.
 */
#ifndef KF_FRAMELESS_H
#define KF_FRAMELESS_H

#include <linux/types.h>
#include <asm/ptrace.h>

#include "store/frames.h"

#ifdef CONFIG_ARM64

#include <linux/bits.h>
#include <asm/memory.h>

#define KF_KLEAF_LR	30U

/* A kernel address without its signature (paciasp), if it was signed */
static __always_inline unsigned long kf_kleaf_unsigned(unsigned long address)
{
	return address | -BIT(VA_BITS_MIN - 1);
}

/*
 * The link register as a kernel address. Return: 0 if it holds something else, or if firmware (EFI)
 * runs in the lower half of the address space: its page tables may no longer be loaded.
 */
static __always_inline unsigned long kf_kleaf_link(const struct pt_regs *regs)
{
	const unsigned long lr = regs->regs[KF_KLEAF_LR];

	return lr & regs->pc & BIT(55) && !(lr % sizeof(u32)) ? kf_kleaf_unsigned(lr) : 0;
}

bool kf_kleaf_is_bare(unsigned long pc, u32 *nr);

#endif

#if defined(CONFIG_ARM64) || (defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_FRAME_POINTER))

unsigned long kf_kleaf_caller(const struct pt_regs *regs);

#else

/* ORC has an entry for every instruction, so no caller is missing. */
static inline unsigned long kf_kleaf_caller(const struct pt_regs *regs)
{
	return 0;
}

#endif

#endif
