/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frameless.h - the caller of a kernel function that has no frame record
 *
 * Who unwinds by frame records (arm64's kernel, and x86's without ORC) has the interrupted
 * address, and then the record that the frame pointer shows. At the first and the last instructions
 * of a function, and all through one that makes none, as most that call nothing (arm64) or are
 * written in assembler, that record is its caller's: the trace goes on with the caller's
 * caller, and the caller is missing.
 *
 * Whether there is a record depends on the instruction alone: compilers, and who writes assembler
 * that can be unwound, see to that, or no record could be trusted. So the code from there on tells
 * it: if a return comes before anything that takes a record off, or the making of one comes first,
 * there is none, and the return address is where the call has left it. What is read is code that is
 * about to be executed.
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

/* An address of the kernel that may have been signed (paciasp), as it was before */
static __always_inline unsigned long kf_kleaf_unsigned(unsigned long address)
{
	return address | -BIT(VA_BITS_MIN - 1);
}

/*
 * What the link register has, as an address of the kernel: it may be used otherwise. 0: there is none,
 * or firmware runs (EFI), in the lower half, whose tables may have been switched away.
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

/* ORC has rows for every instruction. */
static inline unsigned long kf_kleaf_caller(const struct pt_regs *regs)
{
	return 0;
}

#endif

#endif
