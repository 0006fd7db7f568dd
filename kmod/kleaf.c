// SPDX-License-Identifier: GPL-2.0-only
/*
 * kleaf.c - the caller of a kernel function that has no frame record, see kleaf.h
 *
 * Code is read so that nothing can come of an address that is none (copy_from_kernel_nofault(),
 * which takes no lock): what is read may be behind the end of a module, or no code at all.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "kleaf.h"

/* What an instruction says of the record where it stands */
enum says {
	NOTHING,	/* the next one may */
	NO_RECORD,	/* there is none */
	DONT_KNOW,	/* there is one, or it goes on elsewhere */
};

#if defined(CONFIG_ARM64)

#include <asm/memory.h>

/* Far enough for the loops of memcpy() and its like */
#define INSTRUCTIONS	64U

#define FP		29U
#define LR		30U

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

/* Takes it the record, or a part of it, off? */
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
	case 8:		/* add x29, sp, #...: from there on the frame pointer shows a record */
		return is_one(insn, 0xffc003ff, 0x910003fd) ? NO_RECORD : NOTHING;
	case 5:		/* mov x30, ... */
		return is_one(insn, 0xffe0ffff, 0xaa0003fe) ? DONT_KNOW : NOTHING;
	case 10: case 11:
		return ask_branch(insn);
	}
	return NOTHING;
}

/* What is executed now is on @page; what is not to be read elsewhere is zero, which is udf. */
static __always_inline u32 insn_at(const __le32 *at, unsigned long page)
{
	__le32 insn;

	if (likely(((unsigned long)at & PAGE_MASK) == page))
		return le32_to_cpu(READ_ONCE(*at));
	return copy_from_kernel_nofault(&insn, at, sizeof(insn)) ? 0 : le32_to_cpu(insn);
}

/* Has it no record, at @at? KASAN may think that a page has an end. */
static __no_sanitize_address bool has_no_record(const __le32 *at)
{
	const unsigned long page = (unsigned long)at & PAGE_MASK;
	enum says says;
	unsigned int i;
	u32 insn;

	for (i = 0; i < INSTRUCTIONS; i++) {
		insn = insn_at(at, page);
		says = ask(insn);
		if (says != NOTHING)
			return says == NO_RECORD;
		at += is_b(insn) ? sign_extend32(insn, 25) : 1;
	}
	return false;
}

/**
 * kf_kleaf_caller() - the return address of a function that has no record
 * @regs:	interrupted registers, of kernel mode
 *
 * Return: the address, as a call has left it; 0 where there is a record, or it cannot be told.
 */
unsigned long kf_kleaf_caller(const struct pt_regs *regs)
{
	unsigned long lr = regs->regs[LR];
	u32 insn;

	if (!(lr & BIT(55)) || !has_no_record((const __le32 *)regs->pc))
		return 0;
	/* It may have been signed (paciasp). */
	lr |= -BIT(VA_BITS_MIN - 1);
	/* Behind bl or blr; not what a tracer has put in its place. */
	insn = insn_at((const __le32 *)lr - 1, regs->pc & PAGE_MASK);
	return is_bl(insn) || is_one(insn, 0xfefff000, 0xd63f0000) ? lr : 0;
}

#elif defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_FRAME_POINTER)

/* endbr64, a nop or a call of a tracer, push, mov: a jump, and what it leads to */
#define INSTRUCTIONS	4U
/* So many bytes of code are looked at from an address on. */
#define BYTES		8U
/* The longest function in assembler that is looked through */
#define ASSEMBLER	512U
/* push %rbp; mov %rsp,%rbp */
#define PROLOGUE	0xe5894855U
#define PROLOGUE_BYTES	4U

/* What cannot be read is zero. */
static u64 code_at(unsigned long at)
{
	u64 code = 0;

	return copy_from_kernel_nofault(&code, (const void *)at, BYTES) ? 0 : code;
}

static __always_inline u32 byte(u64 code, unsigned int at)
{
	return code >> at * 8 & 0xff;
}

static __always_inline bool begins(u64 code, unsigned int bytes, u64 with)
{
	return (code & GENMASK_ULL(bytes * 8 - 1, 0)) == with;
}

/* movs, stos: a string instruction of any size, and a return, or a jump to one, behind it */
static __always_inline bool is_last(u64 code, unsigned int at)
{
	const u32 what = byte(code, at) & 0xfe, next = byte(code, at + 1);

	return (what == 0xa4 || what == 0xaa) && (next == 0xc3 || next == 0xe9);
}

/*
 * Bytes of what is before a record is made, or after it was taken off; 0 for all else. Intel SDM
 * volume 2: ENDBR64, NOP (as the kernel has it in place of a call of a tracer), CALL, REP.
 */
static unsigned int to_skip(u64 code)
{
	if (begins(code, 4, 0xfa1e0ff3))
		return 4;
	/* It is a call of a tracer where push %rbp comes next. */
	if (begins(code, 5, 0x0000441f0f) || (byte(code, 0) == 0xe8 && byte(code, 5) == 0x55))
		return 5;
	if (byte(code, 0) == 0xf3 && is_last(code, 1))
		return 2;
	if (begins(code, 2, 0x48f3) && is_last(code, 2))
		return 3;
	return 0;
}

/* Is what makes a record, or a return, the first that comes from @at on? */
static bool has_no_record(unsigned long at)
{
	unsigned int i, skip;
	u64 code;

	for (i = 0; i < INSTRUCTIONS; i++) {
		code = code_at(at);
		skip = to_skip(code);
		if (byte(code, 0) == 0xe9)
			at += 5 + (s32)(code >> 8);
		else if (skip)
			at += skip;
		else
			return byte(code, 0) == 0xc3 || byte(code, 0) == 0x55;
	}
	return false;
}

/* Is the next instruction mov %rsp,%rbp, and push %rbp before it? */
static bool is_record_half_made(unsigned long ip)
{
	return begins(code_at(ip - 1), PROLOGUE_BYTES, PROLOGUE);
}

/*
 * Was what is at @ip called by the call before @caller, and does it make no record at all? Who
 * makes one does so at its begin. If a function that does lay between, that begin would be found.
 */
static bool is_in_assembler(unsigned long ip, unsigned long caller)
{
	u64 code = code_at(caller - 5);
	unsigned long at = caller + (s32)(code >> 8);
	unsigned int i;

	if (byte(code, 0) != 0xe8 || ip - at >= ASSEMBLER)
		return false;
	for (; at <= ip; at += BYTES - PROLOGUE_BYTES + 1) {
		code = code_at(at);
		for (i = 0; i <= BYTES - PROLOGUE_BYTES; i++)
			if (begins(code >> i * 8, PROLOGUE_BYTES, PROLOGUE))
				return false;
	}
	return true;
}

/* The word at @sp, if that is on the task's stack: it may be anything in assembler. */
static unsigned long word_at(unsigned long sp)
{
	unsigned long low = (unsigned long)task_stack_page(current);

	if (sp < low || sp > low + THREAD_SIZE - sizeof(long) || sp % sizeof(long))
		return 0;
	return READ_ONCE_NOCHECK(*(unsigned long *)sp);
}

__no_kmsan_checks unsigned long kf_kleaf_caller(const struct pt_regs *regs)
{
	const bool half = is_record_half_made(regs->ip);
	const unsigned long caller = word_at(regs->sp + (half ? sizeof(long) : 0));

	if ((long)caller >= 0)
		return 0;
	return half || has_no_record(regs->ip) || is_in_assembler(regs->ip, caller) ? caller : 0;
}

#endif
