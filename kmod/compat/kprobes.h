/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kprobes.h - the kernel's kprobes, where it has them
 *
 * KF_KPROBES is defined if a module can register kprobes. A kernel with CONFIG_TRIM_UNUSED_KSYMS may not
 * export the functions. KF_KRETPROBES is the same for return probes.
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

/* Remove probes; the kernel waits once for handlers that run, if it exports the function for several. */
static inline void kf_unregister_kprobes(struct kprobe **probes, int nr)
{
#ifdef KF_HAVE_EXPORT_UNREGISTER_KPROBES
	unregister_kprobes(probes, nr);
#else
	while (nr)
		unregister_kprobe(probes[--nr]);
#endif
}

static inline unsigned int kf_nmi_depth(void)
{
	return (preempt_count() & NMI_MASK) >> NMI_SHIFT;
}

/*
 * How deep in NMIs a hit is whose function was not called by an NMI. x86 enters the exception of a
 * breakpoint as an NMI, since 5.8. A probe by ftrace has no such exception.
 */
static inline unsigned int kf_kprobe_nmi_depth(struct kprobe *kp)
{
#ifdef KF_HAVE_IST_ENTER
	return 0;
#else
	return IS_ENABLED(CONFIG_X86) && !kprobe_ftrace(kp);
#endif
}

#if defined(CONFIG_KRETPROBES) && defined(KF_HAVE_EXPORT_REGISTER_KRETPROBE) && \
	defined(KF_HAVE_EXPORT_UNREGISTER_KRETPROBE)
#define KF_KRETPROBES

/* As kf_unregister_kprobes() */
static inline void kf_unregister_kretprobes(struct kretprobe **probes, int nr)
{
#ifdef KF_HAVE_EXPORT_UNREGISTER_KRETPROBES
	unregister_kretprobes(probes, nr);
#else
	while (nr)
		unregister_kretprobe(probes[--nr]);
#endif
}

/* The return probe of a call; NULL if it was removed. Until 5.11 the call has a pointer to it. */
static __always_inline struct kretprobe *kf_kretprobe_of(struct kretprobe_instance *call)
{
#ifdef KF_HAVE_GET_KRETPROBE
	return get_kretprobe(call);
#else
	return call->rp;
#endif
}

/*
 * To where the function returns, for a handler of the return. With rethooks the registers have it. A function
 * that jumps to another probed function has the address of the kernel's trampoline in its own record.
 */
static __always_inline unsigned long kf_kretprobe_caller(const struct kretprobe_instance *call,
							 struct pt_regs *regs)
{
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	return instruction_pointer(regs);
#else
	return (unsigned long)call->ret_addr;
#endif
}

#endif

#endif
#endif
