// SPDX-License-Identifier: GPL-2.0-only
/*
 * syscall_label.c - the file that a system call is about, as a label
 *
 * Most calls that are about an open file have its descriptor as their first argument. Where a call has two,
 * the label is of the file that is read.
 */
#include <linux/file.h>
#include <linux/sched.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "source/file_label.h"
#include "source/syscall_label.h"

#define NO_FILE	-1

/* Return: which argument of the call is the descriptor, from 0; NO_FILE */
static int descriptor_of(long nr)
{
	switch (nr) {
	case __NR_read:
	case __NR_write:
	case __NR_pread64:
	case __NR_pwrite64:
	case __NR_readv:
	case __NR_writev:
	case __NR_preadv:
	case __NR_pwritev:
	case __NR_preadv2:
	case __NR_pwritev2:
	case __NR_lseek:
	case __NR_fsync:
	case __NR_fdatasync:
	case __NR_sync_file_range:
	case __NR_syncfs:
	case __NR_fallocate:
	case __NR_ftruncate:
	case __NR_fadvise64:
	case __NR_readahead:
	case __NR_splice:
	case __NR_tee:
	case __NR_vmsplice:
	case __NR_copy_file_range:
	case __NR_fstat:
	case __NR_fstatfs:
	case __NR_fchmod:
	case __NR_fchown:
	case __NR_fchdir:
	case __NR_getdents64:
	case __NR_fgetxattr:
	case __NR_fsetxattr:
	case __NR_flock:
	case __NR_fcntl:
	case __NR_ioctl:
	case __NR_close:
	case __NR_sendto:
	case __NR_recvfrom:
	case __NR_sendmsg:
	case __NR_recvmsg:
	case __NR_sendmmsg:
	case __NR_recvmmsg:
	case __NR_accept:
	case __NR_accept4:
	case __NR_connect:
	case __NR_shutdown:
	case __NR_getsockopt:
	case __NR_setsockopt:
	case __NR_epoll_pwait:
	case __NR_io_uring_enter:
		return 0;
#ifdef __NR_getdents
	case __NR_getdents:
		return 0;
#endif
#ifdef __NR_epoll_wait
	case __NR_epoll_wait:
		return 0;
#endif
	case __NR_sendfile:
		return 1;
	case __NR_mmap:
		return 4;
	default:
		return NO_FILE;
	}
}

/**
 * kf_syscall_label() - the label of the file that a system call is about
 * @labels:	the session's
 * @regs:	as they are when the call begins
 * @nr:		its number
 *
 * The reference to the file is needed because another thread may close it. fput() leaves the end of a file to
 * the task's way back to user mode.
 *
 * Context: in the task that makes the call, interrupts off, no NMI; takes no lock.
 * Return: as kf_labels_intern(); 0 if the call is about no open file.
 */
u32 kf_syscall_label(struct kf_labels *labels, struct pt_regs *regs, long nr)
{
	const int arg = descriptor_of(nr);
	unsigned long args[6];
	struct file *file;
	u32 label;

	if (arg == NO_FILE)
		return 0;
	syscall_get_arguments(current, regs, args);
	file = fget(args[arg]);
	if (!file)
		return 0;
	label = kf_file_label(labels, (unsigned long)file);
	fput(file);
	return label;
}
