/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * call_site.h - does a call instruction end right before an address?
 *
 * A return address has a call before it. A tracer's trampoline, or a word that is no return
 * address, has none.
 */
#ifndef KF_CALL_SITE_H
#define KF_CALL_SITE_H

#include <linux/types.h>
#include <linux/uaccess.h>

/*
 * kf_after_call() - is the last instruction of these bytes a call?
 * @code:	the 8 bytes before an address, as a word in memory order
 *
 * Context: any. Inlined, so that it may be used while user access is open.
 */
#if defined(CONFIG_X86_64)

/* FF /2: call through a register or memory */
static __always_inline bool kf_is_call_rm(unsigned long code, int at)
{
	return ((code >> at * 8) & 0x38ff) == 0x10ff;
}

/*
 * E8 rel32, or FF /2 with 2, 3, 4, 6 or 7 bytes: no other form of a near call
 * (Intel SDM volume 2, CALL).  The eight bytes are in memory order.
 */
static __always_inline bool kf_after_call(unsigned long code)
{
	const unsigned long lowest = ~0UL / 0xff, highest = lowest << 7;

	if (((code >> 24) & 0xff) == 0xe8)
		return true;
	/* Most words have no FF byte at all. This one comparison finds them. */
	if (!((~code - lowest) & code & highest))
		return false;
	return kf_is_call_rm(code, 6) || kf_is_call_rm(code, 5) || kf_is_call_rm(code, 4) ||
	       kf_is_call_rm(code, 2) || kf_is_call_rm(code, 1);
}

#elif defined(CONFIG_ARM64)

/* BL; BLR; BLRAA, BLRAB, BLRAAZ, BLRABZ (Arm ARM, C4.1.93) */
static __always_inline bool kf_after_call(unsigned long code)
{
	/* Code is little-endian on every machine. */
	u32 insn = le64_to_cpu((__force __le64)code) >> 32;

	return (insn & 0xfc000000) == 0x94000000 ||
	       (insn & 0xfffffc1f) == 0xd63f0000 ||
	       (insn & 0xfefff800) == 0xd63f0800;
}

#else
#error "kflame knows the calls of x86-64 and arm64 only"
#endif

/**
 * kf_after_kernel_call() - does a call instruction end right before a kernel address?
 * @address:	any value; the code is read by copy_from_kernel_nofault()
 *
 * Context: any; takes no lock.
 * Return: true if a call ends there; false if none does, or if the code cannot be read.
 */
static inline bool kf_after_kernel_call(unsigned long address)
{
	unsigned long code;

	return !copy_from_kernel_nofault(&code, (void *)(address - sizeof(code)), sizeof(code)) &&
	       kf_after_call(code);
}

#endif
