/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * known_callers.h - a kernel stack recognised by its callers, in the way that fits this kernel's
 * unwinder
 */
#ifndef KF_KNOWN_CALLERS_H
#define KF_KNOWN_CALLERS_H

#include "kstack/caller_cache.h"
#include "kstack/frame_records.h"

/**
 * kf_kstack_match() - find a stack of the table with the callers of this kernel stack
 * @w:		this CPU's; its cache and chains are set
 * @regs:	interrupted registers, of kernel mode
 *
 * Context: hard interrupt, interrupts off.
 * Return: id of a stack of @w->chains with the same shape and callers, 0 if none is known.
 */
static __always_inline u32 kf_kstack_match(struct kf_kwalk *w, const struct pt_regs *regs)
{
#if defined(KF_HAVE_ORC_STATE)
	return kf_kchain_match(w, regs);
#elif defined(CONFIG_ARM64)
	return kf_krecords_match(w, regs);
#else
	return 0;
#endif
}

#endif
