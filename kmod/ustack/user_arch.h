/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user_arch.h - what user stacks look like on this architecture
 *
 * kf_user_fp() frame pointer kf_user_lowest_fp() lowest address where a frame record can be
 * kf_user_is_compat() is it a 32-bit program? kf_user_tables_loaded() are the page tables of this
 * mm loaded on this CPU? kf_strip_pac() return address without authentication bits
 * kf_candidate_on_stack may a leaf's return address be the word at sp? kf_ra_below_cfa distance of
 * the return address below the CFA if it is fixed; else 0 kf_cfa_behind_record does a frame always
 * end where its frame record ends? kf_candidate_in_register() without kf_candidate_on_stack: value
 * of the link register kf_user_reg(), kf_sigcontext_reg() any register, and where a signal frame
 * has it kf_user_thread_pointer() where the C library keeps the data of a thread
 * KF_NR_USER_REGS how many registers there are; the last are sp and the program counter
 *
 * All are inlined, because they are used while user access is open.
 */
#ifndef KF_USER_ARCH_H
#define KF_USER_ARCH_H

#include <linux/mm_types.h>
#include <asm/ptrace.h>

#include <kflame.h>

#if defined(CONFIG_X86_64)

#include <asm/fsgsbase.h>
#include <asm/processor.h>

#define kf_candidate_on_stack	true
#define kf_ra_below_cfa		8UL
#define kf_cfa_behind_record	true

static __always_inline unsigned long kf_user_fp(struct pt_regs *regs)
{
	return regs->bp;
}

static __always_inline unsigned long kf_user_lowest_fp(struct pt_regs *regs)
{
	return regs->sp;
}

static inline bool kf_user_is_compat(struct pt_regs *regs)
{
	return !user_64bit_mode(regs);
}

static inline bool kf_user_tables_loaded(struct mm_struct *mm)
{
	return read_cr3_pa() == __pa(mm->pgd);
}

/* The thread pointer of current. The register is the user's own: the kernel uses gs. */
static inline unsigned long kf_user_thread_pointer(void)
{
	return x86_fsbase_read_cpu();
}

static __always_inline unsigned long kf_strip_pac(unsigned long ip)
{
	return ip;
}

static __always_inline unsigned long kf_candidate_in_register(struct pt_regs *regs)
{
	return 0;
}

/* Undo the return of @function to @regs. Return: the word that then is at sp; 0: the link register has it */
static inline unsigned long kf_user_undo_return(struct pt_regs *regs, unsigned long function)
{
	const unsigned long caller = regs->ip;

	regs->ip = function;
	regs->sp -= sizeof(long);
	return caller;
}

/* Registers by their DWARF numbers (psABI, figure 3.36) */
static __always_inline unsigned long kf_user_reg(struct pt_regs *regs, u32 reg)
{
#define AT(name) (offsetof(struct pt_regs, name) / sizeof(long))
	static const u8 at[16] = {
		AT(ax), AT(dx), AT(cx), AT(bx), AT(si), AT(di), AT(bp), AT(sp),
		AT(r8), AT(r9), AT(r10), AT(r11), AT(r12), AT(r13), AT(r14), AT(r15),
	};
#undef AT
	return ((const unsigned long *)regs)[at[reg & 15]];
}

#define KF_NR_USER_REGS		KFLAME_REGS_X86_64

/* Where a signal frame has a register: struct sigcontext_64 in asm/sigcontext.h of user space */
static __always_inline unsigned long kf_sigcontext_reg(u32 reg)
{
	static const u8 at[16] = { 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7 };

	return at[reg & 15] * sizeof(long);
}

#define KF_SIGCONTEXT_FP	(10 * sizeof(long))
#define KF_SIGCONTEXT_SP	(15 * sizeof(long))
#define KF_SIGCONTEXT_IP	(16 * sizeof(long))
#define KF_SIGCONTEXT_BYTES	(17 * sizeof(long))
#define KF_LINK_REG		0U	/* x86 has no link register */

#elif defined(CONFIG_ARM64)

#include <asm/compat.h>
#include <asm/memory.h>
#include <asm/sysreg.h>

#define kf_candidate_on_stack	false
#define kf_ra_below_cfa		0UL
#define kf_cfa_behind_record	false	/* frames of gcc begin with the record */

static __always_inline unsigned long kf_user_fp(struct pt_regs *regs)
{
	return regs->regs[29];
}

static __always_inline unsigned long kf_user_lowest_fp(struct pt_regs *regs)
{
	return regs->sp;
}

static inline unsigned long kf_user_undo_return(struct pt_regs *regs, unsigned long function)
{
	regs->regs[30] = regs->pc;
	regs->pc = function;
	return 0;
}

static inline bool kf_user_is_compat(struct pt_regs *regs)
{
	return compat_user_mode(regs);
}

/* On arm64 EFI calls run in a kernel thread. */
static inline bool kf_user_tables_loaded(struct mm_struct *mm)
{
	return true;
}

static inline unsigned long kf_user_thread_pointer(void)
{
	return read_sysreg(tpidr_el0);
}

/*
 * Authentication uses bits above the size of a user address, and in a user address all of these are
 * clear. The size is the hardware's (vabits_actual), not the one that the kernel was built for.
 */
static __always_inline unsigned long kf_strip_pac(unsigned long ip)
{
	return ip & (BIT_ULL(vabits_actual) - 1);
}

static __always_inline unsigned long kf_candidate_in_register(struct pt_regs *regs)
{
	return kf_strip_pac(regs->regs[30]);
}

/* Registers by their DWARF numbers */
static __always_inline unsigned long kf_user_reg(struct pt_regs *regs, u32 reg)
{
	return reg < 31 ? regs->regs[reg] : regs->sp;
}

#define KF_NR_USER_REGS		KFLAME_REGS_ARM64

/* Where a signal frame has a register: struct sigcontext in asm/sigcontext.h of user space */
static __always_inline unsigned long kf_sigcontext_reg(u32 reg)
{
	return (1 + reg) * sizeof(long);
}

#define KF_SIGCONTEXT_FP	(30 * sizeof(long))
#define KF_SIGCONTEXT_SP	(32 * sizeof(long))
#define KF_SIGCONTEXT_IP	(33 * sizeof(long))
#define KF_SIGCONTEXT_BYTES	(34 * sizeof(long))
#define KF_LINK_REG		30U

#else
#error "kflame walks user stacks on x86-64 and arm64 only"
#endif

#endif
