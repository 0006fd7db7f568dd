// SPDX-License-Identifier: GPL-2.0-only
/* kprobe.fault_handler: until 5.13, ec6aba3d2be1 */
#include <linux/kprobes.h>

int feature(const struct kprobe *kp);
int feature(const struct kprobe *kp)
{
	return !kp->fault_handler;
}
