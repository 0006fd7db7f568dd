/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ustack_read.h - user memory, as the walks of user stacks read it
 *
 * What user memory holds is hostile: pointers may loop, point anywhere, change while they
 * are read. So each address is compared with TASK_SIZE_MAX before it is used (access_ok()
 * alone is not enough: a non-canonical address makes the fault fixup warn, and with LAM its
 * limit is another).
 *
 * One access window spans a whole walk: opening one (STAC, and a fence) costs more than the
 * reads. Nothing is called inside of it but what is inlined; objtool holds us to that.
 */
#ifndef KF_USTACK_READ_H
#define KF_USTACK_READ_H

#include <linux/types.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "ustack_arch.h"

/* Nothing is ever mapped lower: mmap_min_addr is at least a page in practice. */
#define KF_USER_LOWEST	4096UL

/*
 * Both words of a frame record, and the 8 bytes before a return address, fit in. Read once
 * a walk: TASK_SIZE_MAX is patched in at each place that names it.
 */
#define KF_USER_SPAN	(TASK_SIZE_MAX - KF_USER_LOWEST - 16)

/* Addresses that may be user memory: from KF_USER_LOWEST to @span above it. */
static __always_inline bool kf_is_user(unsigned long addr, unsigned long span)
{
	return addr - KF_USER_LOWEST < span;
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

/* A word, from an address that kf_is_user(). */
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
