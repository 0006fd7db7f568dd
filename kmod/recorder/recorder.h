/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorder.h - the flight recorder: a session with epochs, and what freezes it
 *
 * Life: start, freeze, start again or stop. There is at most one recorder. The lock in recorder.c guards
 * which one, and is held for all of start, freeze on request, status, read and stop. A trigger takes no
 * lock:
 *
 *   RUNNING --trigger, any context--> FREEZING --same context, some instructions later--> FROZEN
 *   FROZEN --start, process context--> RUNNING
 *
 * kf_recorder_trip() sets kf_session.frozen, so no epoch ends any more. Then it sends an interrupt to each
 * CPU, which disarms the CPU's timer. The CPU that trips may be in a callback of that timer. So it sends
 * itself an irq_work instead, which runs after the callback. The next operation in process context stops
 * the session (settle() in recorder.c).
 *
 * Teardown, in this order:
 *
 *   1. the triggers	detached and unregistered: none calls kf_recorder_trip() any more
 *   2. the session	stopped: no watch fires any more
 *   3. the interrupts	that a trigger has sent: waited for
 *   4. the session	destroyed; then the memory is freed
 *
 * A file that reads the recorder forbids starting and stopping it. It holds the module, so at unload there
 * is none.
 *
 * Memory, reserved at start and released at stop: the session's, kf_panic_text_bytes(), and sizeof(struct
 * kf_recorder_cpu) on each possible CPU.
 */
#ifndef KF_RECORDER_H
#define KF_RECORDER_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/smp.h>
#include <linux/types.h>

#include <kflame.h>
#include "recorder/panic_text.h"
#include "recorder/triggers.h"
#include "sample/watch.h"

struct kf_recorder;
struct kf_session;

enum kf_recorder_state {
	KF_RECORDER_RUNNING,
	KF_RECORDER_FREEZING,
	KF_RECORDER_FROZEN,
};

/**
 * struct kf_recorder_cpu - how a CPU is stopped
 * @r:		the recorder
 * @csd:	from another CPU
 * @self:	from the CPU itself; hard
 */
struct kf_recorder_cpu {
	struct kf_recorder *r;
	call_single_data_t csd;
	struct irq_work self;
};

/**
 * struct kf_recorder - see the head of this file
 * @session:	has epochs, and samples all CPUs by the timer
 * @asked:	what it was started with, with defaults filled in
 * @state:	enum kf_recorder_state
 * @pending:	interrupts that were sent and have not disarmed their CPU yet
 * @cause:	KFLAME_FREEZE_*; written while FREEZING, as the next three
 * @detail:	what the trigger measured
 * @frozen_ns:	when the trigger came, CLOCK_MONOTONIC
 * @frozen_realtime_ns: the same instant in wall-clock time
 * @settled:	the session was stopped since the freeze
 * @readers:	files that read it
 * @cpu:	per CPU
 * @watch:	for the session, and for events of others (sample/freeze.h)
 * @triggers:	registered while it exists
 * @panic:	for the text at a panic
 * @memory:	bytes reserved beside the session's
 * @is_attached: events of other sessions freeze it
 */
struct kf_recorder {
	struct kf_session *session;
	struct kflame_recorder asked;
	atomic_t state;
	atomic_t pending;
	u32 cause;
	u64 detail;
	u64 frozen_ns;
	u64 frozen_realtime_ns;
	bool settled;
	u32 readers;
	struct kf_recorder_cpu __percpu *cpu;
	struct kf_watch watch;
	struct kf_triggers triggers;
	struct kf_panic_text panic;
	size_t memory;
	bool is_attached;
};

int kf_recorder_ioctl(struct kflame_recorder *req);
int kf_recorder_freeze(void);
int kf_recorder_resume(void);
int kf_recorder_start_at_load(const char *span, u32 freq);
struct kf_recorder *kf_recorder_read(void);
void kf_recorder_read_end(struct kf_recorder *r);
bool kf_recorder_exists(void);
bool kf_recorder_trip(struct kf_recorder *r, u32 cause, u64 detail);
void kf_recorder_exit(void);

#endif
