/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frameless.h - the caller of a kernel function that has no frame record
 *
 * An unwinder that goes by frame records (arm64, and x86 without ORC) knows the interrupted address and
 * the record that the frame pointer shows. In the first and last instructions of a function that record
 * is the caller's. Some functions have none at all: most that call nothing (arm64), and some in
 * assembler. Then the trace goes on with the caller's caller, and the caller is missing.
 *
 * Whether a record exists depends on the instruction alone. So the code from the interrupted address on
 * shows it. If a return comes before anything that restores a record, or a record is made first, there
 * is none yet, and the return address is where the call left it. The code that is read is about to be
 * executed.
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
