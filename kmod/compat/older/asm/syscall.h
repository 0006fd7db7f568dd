/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <asm/syscall.h>

#include "compat/features.h"

/*
 * All of them since 5.1 (b35f549df1d7 "syscalls: Remove start and number from syscall_get_arguments()
 * args")
 */
#ifdef KF_HAVE_SYSCALL_GET_ARGUMENTS_RANGE
#define syscall_get_arguments(task, regs, args)	syscall_get_arguments(task, regs, 0, 6, args)
#endif
