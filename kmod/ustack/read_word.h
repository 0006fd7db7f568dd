/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * read_word.h - how walks of user stacks read user memory
 *
 * User memory is hostile: pointers may loop, point anywhere, and change while they are read. So
 * each address is compared with TASK_SIZE_MAX before it is used. access_ok() alone is not enough: a
 * non-canonical address makes the fault handler warn, and with LAM access_ok() has another limit.
 *
 * One access window spans a whole walk: opening a window (STAC, and a fence) costs more than the
 * reads. Only inlined code runs inside it; objtool checks that.
 */
#ifndef KF_READ_WORD_H
#define KF_READ_WORD_H

#include <linux/types.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "ustack/user_arch.h"

/* Nothing is mapped below it, since mmap_min_addr is at least a page in practice. */
#define KF_USER_LOWEST	4096UL

/*
 * The size of the range from KF_USER_LOWEST on in which addresses are valid. It leaves room for
 * both words of a frame record and for the 8 bytes before a return address. A walk reads it once,
 * because the kernel patches TASK_SIZE_MAX into each instruction that uses it. The value is hidden
 * from the compiler: where TASK_SIZE_MAX is a constant, gcc would find that kf_user_nospec() does
 * nothing.
 */
static __always_inline unsigned long kf_user_span(void)
{
	unsigned long span = TASK_SIZE_MAX - KF_USER_LOWEST - 16;

	OPTIMIZER_HIDE_VAR(span);
	return span;
}

/* May the address be user memory? Such addresses are in the @span bytes from KF_USER_LOWEST on. */
static __always_inline bool kf_is_user(unsigned long addr, unsigned long span)
{
	return addr - KF_USER_LOWEST < span;
}

/*
 * The next address to read comes from user memory. kf_is_user() checks it, but a speculating CPU
 * does not wait for the check. The CPU could read kernel memory and use the value as the next
 * address (Spectre variant 1). So an address is masked by this value before it is read. The mask
 * changes no address that passes kf_is_user(). On arm64 the read itself masks the address
 * (uaccess_mask_ptr()).
 */
static __always_inline unsigned long kf_user_mask(unsigned long span)
{
	return IS_ENABLED(CONFIG_X86_64) ? span | (4 * KF_USER_LOWEST - 1) : ~0UL;
}

static __always_inline unsigned long kf_user_nospec(unsigned long addr, unsigned long span)
{
	return addr & kf_user_mask(span);
}

/* Can a frame record be at @fp? */
static __always_inline bool kf_is_record(unsigned long fp, unsigned long span)
{
	return !(fp & 7) && kf_is_user(fp, span);
}

/*
 * Unroll a loop of four. Clang cannot unroll a loop that a read may leave, and would warn.
 */
#ifdef CONFIG_CC_IS_CLANG
#define KF_ALL_FOUR
#else
#define KF_ALL_FOUR	_Pragma("GCC unroll 4")
#endif

/* Read a word. @addr passed kf_is_user() and kf_user_nospec(). */
#define KF_READ_WORD(addr, word, fault)						\
	kf_unsafe_get_user(word, (unsigned long __user *)(addr), fault)

/* Read the two words of a frame record: the caller's frame pointer and the return address. */
#define KF_READ_RECORD(fp, next, ret, fault)					\
do {										\
	KF_READ_WORD(fp, next, fault);						\
	KF_READ_WORD((fp) + sizeof(long), ret, fault);				\
	ret = kf_strip_pac(ret);						\
} while (0)

#endif
