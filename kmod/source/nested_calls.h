/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nested_calls.h - when calls of a program's function began that have not returned
 *
 * A task may have several such calls: functions call themselves. So each task has a slot (source/slots.h)
 * with room for as many calls as the kernel itself follows. A call is known by its stack pointer.
 *
 * Context: in the task, interrupts off, no NMI. Only the task itself uses its slot.
 */
#ifndef KF_NESTED_CALLS_H
#define KF_NESTED_CALLS_H

#include <linux/types.h>

#include "source/slots.h"

/* The kernel follows no more calls of a task at once: MAX_URETPROBE_DEPTH. */
#define KF_MOST_NESTED	64U

/**
 * struct kf_nested_calls - the calls of a task
 * @nr:		how many
 * @sp:		their stack pointers, falling; calls that were jumped to have that of their caller
 * @began_ns:	when they began, CLOCK_MONOTONIC
 */
struct kf_nested_calls {
	u32 nr;
	unsigned long sp[KF_MOST_NESTED];
	u64 began_ns[KF_MOST_NESTED];
};

/**
 * struct kf_nested - those of all tasks
 * @slots:	whose they are
 * @calls:	by slot
 * @bytes:	reserved of the module's memory
 *
 * Ownership: the source's. Zero is a valid value, without memory.
 */
struct kf_nested {
	struct kf_slots slots;
	struct kf_nested_calls *calls;
	size_t bytes;
};

bool kf_nested_is_supported(void);
int kf_nested_init(struct kf_nested *n);
void kf_nested_exit(struct kf_nested *n);
bool kf_nested_begin(struct kf_nested *n, unsigned long sp, u64 now_ns);
u64 kf_nested_end(struct kf_nested *n, unsigned long sp);

#endif
