/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * triggers.h - what freezes the recorder, beside samples and requests
 *
 * The kernel's tracepoints show that the OOM killer has chosen a victim, and that a hung task was found. They
 * are found by name. A panic is shown by the kernel's list of notifiers. Waits for a CPU and sleeping tasks
 * have files of their own.
 *
 * Context: triggers run in any context but NMIs, the panic also in those. They call kf_recorder_trip() only.
 */
#ifndef KF_TRIGGERS_H
#define KF_TRIGGERS_H

#include <linux/notifier.h>
#include <linux/types.h>

#include "recorder/blocked_tasks.h"
#include "recorder/cpu_waits.h"

struct kflame_recorder;
struct tracepoint;

/**
 * struct kf_triggers - triggers of a recorder
 * @oom:	the tracepoint whose probe is registered; NULL: none is
 * @hung:	the same
 * @panic:	registered while .notifier_call is set
 * @cpu_waits:	see recorder/cpu_waits.h
 * @blocked:	see recorder/blocked_tasks.h
 */
struct kf_triggers {
	struct tracepoint *oom;
	struct tracepoint *hung;
	struct notifier_block panic;
	struct kf_cpu_waits cpu_waits;
	struct kf_blocked_tasks blocked;
};

int kf_triggers_register(struct kf_triggers *t, const struct kflame_recorder *asked);
void kf_triggers_unregister(struct kf_triggers *t);

#endif
