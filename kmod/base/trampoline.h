/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trampoline.h - where functions return to whose return is probed
 *
 * The kernel puts the address of its trampoline in place of the return address. Since 5.16 its unwinder finds
 * the return address. Before, a stack cannot be walked beyond such a function.
 */
#ifndef KF_TRAMPOLINE_H
#define KF_TRAMPOLINE_H

#include <linux/compiler.h>

/*
 * The trampoline's address; 0: it is not known, or the unwinder needs no help. Written before kflame probes
 * the first return, always with the same value.
 */
extern unsigned long kf_trampoline;

/* Does the stack end for the unwinder at this return address? */
static inline bool kf_is_trampoline(unsigned long address)
{
	return address && address == READ_ONCE(kf_trampoline);
}

#endif
