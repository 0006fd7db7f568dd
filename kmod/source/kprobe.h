/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kprobe.h - what sources of kprobes share
 */
#ifndef KF_KPROBE_H
#define KF_KPROBE_H

#include <linux/atomic.h>

struct kf_functions;

/*
 * Can a function, or an instruction in it, be probed? @name: FUNC[+OFFSET]. May sleep.
 * Return: 0; -ENOENT if there is no such function; -EINVAL if it may not be probed, and for kflame's own
 * functions; -EILSEQ if no instruction begins there; another negative errno
 */
int kf_kprobe_check(const char *name);

/* The same for each function of a list, into kf_function.err. Return: 0; -EINTR; -ENOMEM */
int kf_kprobe_check_functions(struct kf_functions *functions);

/*
 * How many more hits were not reported, because they were in a handler of another probe? @missed: the sum of
 * kprobe.nmissed. @faults: in the event's handlers, which the kernel counts as such hits, too. @seen: what
 * earlier calls have returned in all.
 */
unsigned long kf_kprobe_nested(unsigned long missed, atomic_t *faults, unsigned long *seen);

#endif
