// SPDX-License-Identifier: GPL-2.0-only
/* get_kretprobe(): since 5.11, d741bf41d7c7 */
#include <linux/kprobes.h>

struct kretprobe *feature(struct kretprobe_instance *call);
struct kretprobe *feature(struct kretprobe_instance *call)
{
	return get_kretprobe(call);
}
