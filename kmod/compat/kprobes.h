/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kprobes.h - the kernel's kprobes, where it has them
 *
 * KF_KPROBES is defined if a module can register kprobes. A kernel with CONFIG_TRIM_UNUSED_KSYMS may not
 * export the functions.
 */
#ifndef KF_KPROBES_H
#define KF_KPROBES_H

#include "compat/features.h"

#if defined(CONFIG_KPROBES) && defined(KF_HAVE_EXPORT_REGISTER_KPROBE) && \
	defined(KF_HAVE_EXPORT_UNREGISTER_KPROBE)
#define KF_KPROBES

#include <linux/kprobes.h>
#include <linux/preempt.h>

/*
 * Until 5.13 a fault in a handler counted as a hit that the kernel missed (kprobe.nmissed). The fault
 * handler is called once for each such fault.
 */
#ifdef KF_HAVE_KPROBE_FAULT_HANDLER
#define kf_kprobe_on_fault(kp, handler)	((kp)->fault_handler = (handler))
#else
#define kf_kprobe_on_fault(kp, handler)	((void)(kp), (void)(handler))
#endif

static inline unsigned int kf_nmi_depth(void)
{
	return (preempt_count() & NMI_MASK) >> NMI_SHIFT;
}

/*
 * How deep in NMIs a hit is whose function was not called by an NMI. x86 enters the exception of a
 * breakpoint as an NMI. A probe by ftrace has no such exception.
 */
static inline unsigned int kf_kprobe_nmi_depth(struct kprobe *kp)
{
	return IS_ENABLED(CONFIG_X86) && !kprobe_ftrace(kp);
}

#endif
#endif
