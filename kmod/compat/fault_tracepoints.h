/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fault_tracepoints.h - tracepoints of page faults, where the kernel has them
 *
 * KF_FAULT_TRACEPOINTS is defined if the kernel can have them: x86, with KF_TRACEPOINTS.
 */
#ifndef KF_FAULT_TRACEPOINTS_H
#define KF_FAULT_TRACEPOINTS_H

#include "compat/features.h"
#include "compat/tracepoints.h"

#if defined(KF_TRACEPOINTS) && defined(CONFIG_X86_64)
#if defined(KF_HAVE_TRACE_EVENTS_EXCEPTIONS)
#include <trace/events/exceptions.h>
#define KF_FAULT_TRACEPOINTS
#elif defined(KF_HAVE_ASM_TRACE_EXCEPTIONS)
#include <asm/trace/exceptions.h>
#define KF_FAULT_TRACEPOINTS
#endif
#endif

#ifdef KF_FAULT_TRACEPOINTS
#include <asm/processor-flags.h>
#include <asm/ptrace.h>

/* Did the code that faulted have interrupts on? */
static inline bool kf_irqs_were_on(const struct pt_regs *regs)
{
	return regs->flags & X86_EFLAGS_IF;
}

/* Compiles only if @probe has the type that these tracepoints call. */
#define kf_check_fault_probe(probe)	check_trace_callback_type_page_fault_user(probe)
#endif

#endif
