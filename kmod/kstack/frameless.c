// SPDX-License-Identifier: GPL-2.0-only
/*
 * frameless.c - the caller of a kernel function that has no frame record, see kstack/frameless.h
 *
 * Code is read by copy_from_kernel_nofault(), which tolerates bad addresses and takes no lock. An
 * address may be behind the end of a module, or be no code at all.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "base/call_site.h"
#include "compat/compat.h"
#include "kstack/frameless.h"

#if defined(CONFIG_ARM64)

#include <linux/sizes.h>
#include <asm/memory.h>

/* Enough for the loops of memcpy() and similar functions */
#define INSTRUCTIONS	64U

/* What an instruction says about the frame record before it executes */
enum says {
	NOTHING,	/* look at the next instruction */
	NO_RECORD,	/* there is no record yet, or no longer */
	DONT_KNOW,	/* there is a record, or the code continues elsewhere */
};

#define FP		29U
#define LR		KF_KLEAF_LR

/* Arm ARM (DDI 0487), C4.1 "A64 instruction set encoding" */
static __always_inline bool is_one(u32 insn, u32 mask, u32 value)
{
	return (insn & mask) == value;
}

static __always_inline bool is_b(u32 insn)
{
	return is_one(insn, 0xfc000000, 0x14000000);
}

static __always_inline bool is_bl(u32 insn)
{
	return is_one(insn, 0xfc000000, 0x94000000);
}

static __always_inline enum says ask_branch(u32 insn)
{
	/* ret; retaa, retab */
	if (insn == 0xd65f03c0 || is_one(insn, 0xfffffbff, 0xd65f0bff))
		return NO_RECORD;
	/* bl; other branches by register, eret; brk, hlt */
	if (is_bl(insn) || is_one(insn, 0xfe000000, 0xd6000000) ||
	    (is_one(insn, 0xff000000, 0xd4000000) && insn & 0xe00000))
		return DONT_KNOW;
	return NOTHING;
}

/* Does the instruction load the saved registers of the record, or one of them? */
static __always_inline bool is_load_of_record(u32 insn)
{
	const u32 rt = insn & 31, rt2 = insn >> 10 & 31;

	/* ldp, in all forms of its address */
	if (is_one(insn, 0x3e400000, 0x28400000))
		return rt == FP || rt == LR || rt2 == FP || rt2 == LR;
	/* ldr */
	return (rt == FP || rt == LR) && is_one(insn, 0x3e000000, 0x38000000) && insn >> 22 & 3;
}

static __always_inline enum says ask(u32 insn)
{
	switch (insn >> 25 & 15) {
	case 0:		/* udf */
		return DONT_KNOW;
	case 4: case 6: case 12: case 14:
		return is_load_of_record(insn) ? DONT_KNOW : NOTHING;
	case 8:		/* add x29, sp, #...: makes the record */
		return is_one(insn, 0xffc003ff, 0x910003fd) ? NO_RECORD : NOTHING;
	case 5:		/* mov x30, ... */
		return is_one(insn, 0xffe0ffff, 0xaa0003fe) ? DONT_KNOW : NOTHING;
	case 10: case 11:
		return ask_branch(insn);
	}
	return NOTHING;
}

/*
 * Read an instruction. @page: the page of the last instruction that was read, at first the page
 * that is being executed; out: the page of this one. If the address cannot be read, the result is
 * 0, which is udf.
 */
static __always_inline u32 insn_at(const __le32 *at, unsigned long *page)
{
	__le32 insn;

	if (likely(((unsigned long)at & PAGE_MASK) == *page))
		return le32_to_cpu(READ_ONCE(*at));
	if (copy_from_kernel_nofault(&insn, at, sizeof(insn)))
		return 0;
	*page = (unsigned long)at & PAGE_MASK;
	return le32_to_cpu(insn);
}

/* brk #4 to #7: a probe is there now (arch/arm64/include/asm/brk-imm.h) */
static __always_inline bool is_probe(u32 insn)
{
	return is_one(insn, 0xffffff9f, 0xd4200080);
}

/* mov x9, x30: precedes a call of a tracer, which restores x30 */
#define BEFORE_TRACER	0xaa1e03e9

/**
 * kf_kleaf_is_bare() - does the function at @pc definitely have no frame record yet?
 * @pc:		the interrupted address
 * @nr:		out: how many instructions from @pc on share this answer; 0 if it may change
 *
 * Only the code at @pc decides, and the answer is the same whether tracers are on or off. (KASAN
 * could take a read within the page for a read out of bounds.)
 *
 * Return: true; false if there is a record, or if that is unknown.
 */
__no_sanitize_address bool kf_kleaf_is_bare(unsigned long pc, u32 *nr)
{
	unsigned long page = pc & PAGE_MASK;
	const __le32 *at = (const __le32 *)pc;
	enum says says;
	u32 insn, straight = 0, i;

	*nr = 0;
	/* As in kf_kleaf_link(): firmware's code must not be read. */
	if (!(pc & BIT(55)))
		return false;
	*nr = 1;
	for (i = 0; i < INSTRUCTIONS; i++) {
		insn = insn_at(at, &page);
		says = ask(insn);
		if (says == DONT_KNOW && is_bl(insn) && insn_at(at - 1, &page) == BEFORE_TRACER)
			says = NOTHING;
		if (says != NOTHING) {
			*nr = is_probe(insn) ? 0 : straight ?: i + 1;
			return says == NO_RECORD;
		}
		if (is_b(insn) && !straight)
			straight = i + 1;
		at += is_b(insn) ? sign_extend32(insn, 25) : 1;
	}
	return false;
}

/**
 * kf_kleaf_caller() - find the return address of a function that has no frame record
 * @regs:	interrupted registers, of kernel mode
 *
 * Return: the return address that a call left; 0 if there is a record, or if that is unknown.
 */
unsigned long kf_kleaf_caller(const struct pt_regs *regs)
{
	const unsigned long pc = regs->pc, link = kf_kleaf_link(regs);
	u32 nr;

	if (!link || !kf_kleaf_is_bare(pc, &nr))
		return 0;
	return link - pc + SZ_2G < SZ_4G && kf_after_kernel_call(link) ? link : 0;
}

#elif defined(CONFIG_X86_64)

#include <asm/unwind.h>

/* Most instructions before push %rbp, or between it and mov %rsp,%rbp, including a jump */
#define INSTRUCTIONS	6U
/* How many bytes of an instruction are read */
#define BYTES		8U
/* The longest function in assembler that is searched, and how much of it is read at once */
#define ASSEMBLER	512U
#define CHUNK		64U

static __always_inline u32 byte(u64 code, unsigned int at)
{
	return code >> at * 8 & 0xff;
}

static __always_inline bool begins(u64 code, unsigned int bytes, u64 with)
{
	return (code & GENMASK_ULL(bytes * 8 - 1, 0)) == with;
}

/* mov %rsp,%rbp makes the record. */
static __always_inline bool makes_record(u64 code)
{
	return begins(code, 3, 0xe58948);
}

/* movs or stos of any size, followed by a return or by a jump to one */
static __always_inline bool is_last(u64 code, unsigned int at)
{
	const u32 what = byte(code, at) & 0xfe, next = byte(code, at + 1);

	return (what == 0xa4 || what == 0xaa) && (next == 0xc3 || next == 0xe9);
}

/*
 * Length of xor or mov between registers, or of mov $imm32 to a register; 0 for all other
 * instructions
 */
static unsigned int is_plain(u64 code)
{
	const bool rex = (byte(code, 0) & 0xf0) == 0x40, wide = rex && byte(code, 0) & 8;
	const u32 op = byte(code, rex), registers = byte(code, rex + 1) >= 0xc0;

	if ((op == 0x31 || op == 0x89) && registers)
		return rex + 2;
	if ((op & 0xf8) == 0xb8 && !wide)
		return rex + 5;
	return op == 0xc7 && registers ? rex + 6 : 0;
}

/*
 * Length of an instruction that may come before a record is made or after it was removed; 0 for all
 * others. Intel SDM volume 2: ENDBR64, NOP (the kernel puts it in place of a tracer's call), REP,
 * MOV, XOR.
 */
static unsigned int to_skip(u64 code)
{
	if (begins(code, 4, 0xfa1e0ff3))
		return 4;
	if (begins(code, 5, 0x0000441f0f))
		return 5;
	if (byte(code, 0) == 0xf3 && is_last(code, 1))
		return 2;
	if (begins(code, 2, 0x48f3) && is_last(code, 2))
		return 3;
	return is_plain(code);
}

/*
 * From @at on, does the code first make a record, or return?
 * Return: how far above sp the return address is; -1 if there is a record, or if that is unknown
 */
static int is_how_deep(unsigned long at)
{
	unsigned int i, skip;
	u64 code;

	for (i = 0; i < INSTRUCTIONS; i++) {
		if (copy_from_kernel_nofault(&code, (const void *)at, BYTES))
			return -1;
		/* push %rbp precedes this instruction, so one word is on the stack. */
		if (makes_record(code))
			return sizeof(long);
		skip = to_skip(code);
		if (byte(code, 0) == 0xe9)
			at += 5 + (s32)(code >> 8);
		else if (skip)
			at += skip;
		else	/* ret, push %rbp */
			return byte(code, 0) == 0xc3 || byte(code, 0) == 0x55 ? 0 : -1;
	}
	return -1;
}

/*
 * Did the call before @caller call the code at @ip, and does that code make no record before @ip?
 * If the code, or a function in between, made a record, the instruction that makes it would be
 * found.
 */
static bool is_in_assembler(unsigned long ip, unsigned long caller)
{
	u8 code[CHUNK];
	unsigned long at;
	unsigned int i;
	s32 distance;

	if (copy_from_kernel_nofault(code, (const void *)(caller - 5), 5) || code[0] != 0xe8)
		return false;
	memcpy(&distance, code + 1, sizeof(distance));
	at = caller + distance;
	if (ip - at >= ASSEMBLER)
		return false;
	for (; at < ip; at += CHUNK - 2) {
		if (copy_from_kernel_nofault(code, (const void *)at, CHUNK))
			return false;
		for (i = 0; i < CHUNK - 2 && at + i < ip; i++)
			if (code[i] == 0x48 && code[i + 1] == 0x89 && code[i + 2] == 0xe5)
				return false;
	}
	return true;
}

/*
 * Read the return address @above the interrupted stack pointer. Return: 0 if it is no return
 * address. That stack is right above the registers, because the interrupt pushed them there.
 */
static unsigned long return_address(const struct pt_regs *regs, unsigned int above)
{
	struct unwind_state state = { .stack_info.type = STACK_TYPE_TASK };
	const unsigned long at = regs->sp + above;

	if (regs->sp - (unsigned long)(regs + 1) > 2 * sizeof(long) || at % sizeof(long) ||
	    !offset_in_page(at))
		return 0;
	state.ip = READ_ONCE_NOCHECK(*(unsigned long *)at);
	/* Is the address in the text of the kernel or a module? No other such check is exported. */
	return unwind_get_return_address(&state) && kf_after_kernel_call(state.ip) ? state.ip : 0;
}

__no_kmsan_checks unsigned long kf_kleaf_caller(const struct pt_regs *regs)
{
	int above = is_how_deep(regs->ip);
	unsigned long caller;

	if (above >= 0)
		return return_address(regs, above);
	caller = return_address(regs, 0);
	return caller && is_in_assembler(regs->ip, caller) ? caller : 0;
}

#endif
