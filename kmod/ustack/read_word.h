/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * read_word.h - how walks of user stacks read user memory
 *
 * User memory is hostile: pointers may loop, point anywhere, and change while they are read. So each
 * address is compared with TASK_SIZE_MAX before it is used. access_ok() alone is not enough: a
 * non-canonical address makes the fault handler warn, and with LAM its limit is another one.
 *
 * One access window spans a whole walk: opening a window (STAC, and a fence) costs more than the reads.
 * Only inlined code runs inside it; objtool checks that.
 */
#ifndef KF_READ_WORD_H
#define KF_READ_WORD_H

#include <linux/types.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "ustack/user_arch.h"

/* Nothing is ever mapped lower: mmap_min_addr is at least a page in practice. */
#define KF_USER_LOWEST	4096UL

/*
 * How far from KF_USER_LOWEST on there may be user memory: both words of a frame record, and the 8
 * bytes before a return address, fit in. Read once a walk: TASK_SIZE_MAX is patched in at each place
 * that names it. Hidden: where it is a constant, gcc would find that kf_user_nospec() does nothing.
 */
static __always_inline unsigned long kf_user_span(void)
{
	unsigned long span = TASK_SIZE_MAX - KF_USER_LOWEST - 16;

	OPTIMIZER_HIDE_VAR(span);
	return span;
}

/* Addresses that may be user memory: from KF_USER_LOWEST to @span above it. */
static __always_inline bool kf_is_user(unsigned long addr, unsigned long span)
{
	return addr - KF_USER_LOWEST < span;
}

/*
 * What user memory says where to read next is compared first, but the CPU does not wait for that: it
 * would read kernel memory, and what is there would be the next address
 * (Spectre variant 1). So such an address is masked by this before it is read, which leaves it the
 * same for all that kf_is_user(). On arm64 reading does so itself (uaccess_mask_ptr()).
 */
static __always_inline unsigned long kf_user_mask(unsigned long span)
{
	return IS_ENABLED(CONFIG_X86_64) ? span | (4 * KF_USER_LOWEST - 1) : ~0UL;
}

static __always_inline unsigned long kf_user_nospec(unsigned long addr, unsigned long span)
{
	return addr & kf_user_mask(span);
}

/* Can a frame record be there? */
static __always_inline bool kf_is_record(unsigned long fp, unsigned long span)
{
	return !(fp & 7) && kf_is_user(fp, span);
}

/*
 * A loop of four, written out. Clang cannot, where a read may leave the loop, and says so as a warning.
 */
#ifdef CONFIG_CC_IS_CLANG
#define KF_ALL_FOUR
#else
#define KF_ALL_FOUR	_Pragma("GCC unroll 4")
#endif

/* A word, from an address that kf_is_user(), and went through kf_user_nospec(). */
#define KF_READ_WORD(addr, word, fault)						\
	kf_unsafe_get_user(word, (unsigned long __user *)(addr), fault)

/* Two words of a frame record: the caller's frame pointer, the return address. */
#define KF_READ_RECORD(fp, next, ret, fault)					\
do {										\
	KF_READ_WORD(fp, next, fault);						\
	KF_READ_WORD((fp) + sizeof(long), ret, fault);				\
	ret = kf_strip_pac(ret);						\
} while (0)

#endif
