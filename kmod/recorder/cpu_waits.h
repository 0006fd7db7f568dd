/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu_waits.h - a trigger: a task waits for a CPU for too long
 *
 * A wait begins when a task is woken or preempted, and ends when it gets a CPU. The scheduler's tracepoints
 * show both. The trigger fires at the end of a wait over the limit. A timer also looks at the waits that have
 * not ended. So a task that never gets a CPU fires, too.
 *
 * A slot (source/slots.h) belongs to a task while it waits. All users of a task's slot hold the lock of its
 * run queue. Tasks that find no slot are not watched. Neither are SCHED_IDLE tasks, which are meant to wait.
 *
 * Context: probes run with the lock of a run queue held, interrupts off. The timer runs in hard interrupt
 * context.
 */
#ifndef KF_CPU_WAITS_H
#define KF_CPU_WAITS_H

#include <linux/hrtimer.h>
#include <linux/types.h>

#include "source/slots.h"

struct tracepoint;

/**
 * struct kf_cpu_waits - tasks that wait for a CPU
 * @limit_ns:	longest wait that does not fire
 * @slots:	whose they are
 * @since_ns:	by slot, when the wait began, by ktime_get_mono_fast_ns(); 0: no wait
 * @bytes:	reserved of the module's memory
 * @swtch:	the tracepoint whose probe is registered; NULL: none is
 * @wakeup:	the same
 * @wakeup_new:	the same
 * @timer:	looks at waits that have not ended, and is pinned. Armed while @is_timed
 * @tick_ns:	from one look to the next
 * @is_timed:	was @timer started?
 *
 * Ownership: part of struct kf_triggers. Zero is a valid value, without memory and probes.
 */
struct kf_cpu_waits {
	u64 limit_ns;
	struct kf_slots slots;
	u64 *since_ns;
	size_t bytes;
	struct tracepoint *swtch;
	struct tracepoint *wakeup;
	struct tracepoint *wakeup_new;
	struct hrtimer timer;
	u64 tick_ns;
	bool is_timed;
};

int kf_cpu_waits_register(struct kf_cpu_waits *w, u64 limit_ns);
void kf_cpu_waits_unregister(struct kf_cpu_waits *w);

#endif
