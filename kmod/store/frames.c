// SPDX-License-Identifier: GPL-2.0-only
/*
 * frames.c - comparing, copying and logging stacks, for learn_check; see store/frames.h
 */
#include <linux/printk.h>
#include <linux/string.h>

#include "store/frames.h"

bool kf_frames_are_same(const struct kf_frames *a, const struct kf_frames *b)
{
	return a->is.word == b->is.word && !memcmp(a->ip, b->ip, sizeof(*a->ip) * a->is.nr);
}

void kf_frames_copy(struct kf_frames *to, const struct kf_frames *from)
{
	to->is = from->is;
	memcpy(to->ip, from->ip, sizeof(*from->ip) * from->is.nr);
}

/**
 * kf_frames_log() - write a stack to the kernel's log; may sleep
 * @how:	how it was walked
 * @f:		the stack
 *
 * Kernel addresses are logged by name. User addresses are hashed: the same hash means the same
 * address.
 */
void kf_frames_log(const char *how, const struct kf_frames *f)
{
	u32 i;

	pr_warn("kflame: %s: %u frames, end %#x, candidate %d\n", how, f->is.nr, f->is.end,
		(s16)f->is.candidate);
	for (i = 0; i < f->is.nr; i++) {
		if (f->is.kind == KFLAME_STACK_KERNEL)
			pr_warn("kflame:   %pS\n", (void *)(unsigned long)f->ip[i]);
		else
			pr_warn("kflame:   %p\n", (void *)(unsigned long)f->ip[i]);
	}
}
