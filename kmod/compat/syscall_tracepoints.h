/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * syscall_tracepoints.h - types of the tracepoints of system calls
 *
 * KF_SYSCALL_TRACEPOINTS is defined if a module can register probes of them.
 */
#ifndef KF_SYSCALL_TRACEPOINTS_H
#define KF_SYSCALL_TRACEPOINTS_H

#include "compat/sched_tracepoints.h"

#if defined(KF_TRACEPOINTS) && defined(CONFIG_HAVE_SYSCALL_TRACEPOINTS)
#define KF_SYSCALL_TRACEPOINTS

#include <trace/events/syscalls.h>

#define kf_check_enter_probe(probe)	check_trace_callback_type_sys_enter(probe)
#define kf_check_leave_probe(probe)	check_trace_callback_type_sys_exit(probe)

#endif
#endif
