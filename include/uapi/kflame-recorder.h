/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * kflame-recorder.h - the flight recorder: the last seconds, kept in the module
 *
 * Included by kflame.h.
 *
 * The recorder samples all CPUs by the timer, and has no reader. It counts samples in tables, one for
 * each epoch on each CPU. When the last epoch ends, the oldest one is overwritten. So its memory never
 * grows. A trigger freezes it: nothing is overwritten any more, and sampling ends.
 *
 * The module has at most one recorder. It does not belong to an open file: it runs until
 * KFLAME_RECORDER_STOP, or until the module is unloaded.
 */
#ifndef _UAPI_KFLAME_RECORDER_H
#define _UAPI_KFLAME_RECORDER_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* kflame_recorder.op */
#define KFLAME_RECORDER_STATUS	0 /* only answer */
#define KFLAME_RECORDER_START	1 /* begin, or go on after a freeze */
#define KFLAME_RECORDER_FREEZE	2 /* keep what there is */
#define KFLAME_RECORDER_STOP	3 /* end it, and free its memory */
#define KFLAME_RECORDER_READ	4 /* from now on, read(2) of this file is the frozen recorder */

/* kflame_recorder.state */
#define KFLAME_RECORDER_OFF	0
#define KFLAME_RECORDER_RUNNING	1
#define KFLAME_RECORDER_FROZEN	2

/* kflame_recorder.cause: what froze it. 1U << cause is its bit in kflame_recorder.triggers */
#define KFLAME_FREEZE_NONE	0
#define KFLAME_FREEZE_REQUEST	1 /* KFLAME_RECORDER_FREEZE, or the module's parameter; always on */
#define KFLAME_FREEZE_PANIC	2 /* the kernel panics; always on */
#define KFLAME_FREEZE_LATE	3 /* a timer interrupt came too late: kflame_recorder.late_ns */
#define KFLAME_FREEZE_SOFTIRQ	4 /* a CPU was in softirqs for too long: kflame_recorder.softirq_ns */
#define KFLAME_FREEZE_OOM	5 /* the OOM killer has chosen a process: @detail is its pid */
#define KFLAME_FREEZE_HUNG	6 /* the kernel has found a hung task: @detail is its pid */
#define KFLAME_FREEZE_MEMORY	7 /* available memory is below kflame_recorder.least_memory */
#define KFLAME_FREEZE_RUNQ	8 /* a task has waited for a CPU for too long: kflame_recorder.runq_ns */
#define KFLAME_FREEZE_BLOCKED	9 /* more tasks sleep uninterruptibly than kflame_recorder.most_blocked */
#define KFLAME_FREEZE_PROBE	10 /* a hit of an event with KFLAME_EF_FREEZE: @detail is its weight */
#define KFLAME_FREEZE_PRESSURE	11 /* a process requested it, because of /proc/pressure */
#define KFLAME_FREEZE_SIGNAL	12 /* a process requested it, because of a signal */
#define KFLAME_NR_FREEZE	13

/* kflame_recorder.detail of KFLAME_FREEZE_PRESSURE: the file in /proc/pressure */
#define KFLAME_PRESSURE_CPU	0
#define KFLAME_PRESSURE_IO	1
#define KFLAME_PRESSURE_MEMORY	2
#define KFLAME_PRESSURE_IRQ	3
#define KFLAME_NR_PRESSURES	4

/**
 * struct kflame_recorder - KFLAME_IOC_RECORDER
 * @size:	sizeof(struct kflame_recorder)
 * @op:		KFLAME_RECORDER_*
 * @span_ns:	START: how long samples are kept, 1 s to 1 h; out: the same
 * @period_ns:	START: between samples, 0 for the default (99 Hz); out: used
 * @epochs:	START: epochs that overwriting goes by, 2 to 256, 0 for the default (12). One more is
 *		allocated, so that the last @span_ns are always there; out: used
 * @entries:	START: table entries for each epoch and CPU, 16 to 32768, 0 for the default; out: used
 * @late_ns:	START: freeze when a sample comes later than this, 0: never; out: the same. Lateness
 *		is counted in whole periods, so it is at least @period_ns
 * @softirq_ns:	START: freeze when all samples of a CPU in this time were in softirqs, 0: never; out:
 *		the same
 * @least_memory: START: freeze when less memory than this is available, in bytes. Each CPU looks when an
 *		epoch ends, and at least once a second; 0: never; out: the same
 * @triggers:	START: bits of KFLAME_FREEZE_OOM and KFLAME_FREEZE_HUNG that are wanted; out: all
 *		triggers that are on
 * @state:	out: KFLAME_RECORDER_*
 * @cause:	FREEZE: 0, KFLAME_FREEZE_PRESSURE or KFLAME_FREEZE_SIGNAL; out: KFLAME_FREEZE_*
 * @pad:	zero
 * @memory:	out: bytes that the recorder has reserved since START, for the CPUs that were online then. In
 *		addition, a CPU that comes online for the first time later takes its share then. Records of
 *		processes take memory as they are written, up to 16 MiB. So does a file that reads
 *		the recorder, until it is closed
 * @frozen_ns:	out: when the trigger came
 * @freeze_ns:	out: how long after the trigger the last CPU took no sample any more
 * @detail:	FREEZE with @cause: KFLAME_PRESSURE_*, or the id of the signal; out: what the trigger
 *		measured: ns, bytes, tasks or a pid
 * @samples:	out: samples since the first START: @counted + @lost
 * @counted:	out: samples that were counted: @kept + @expired
 * @lost:	out: samples that were lost, of any cause
 * @kept:	out: samples in tables now
 * @expired:	out: samples that were overwritten
 * @kept_ns:	out: weights of @kept
 * @expired_ns:	out: weights of @expired
 * @runq_ns:	START: freeze when a task waits for a CPU for longer than this, 0: never; out: the same. A
 *		task waits from when it was woken or preempted. SCHED_IDLE tasks do not count
 * @most_blocked: START: freeze when more tasks than this sleep uninterruptibly, 0: never; out: the same.
 *		Frozen tasks do not count. The module looks once a second
 * @pad2:	zero
 *
 * START with zero in all of its inputs continues a frozen recorder, with what it was started with.
 * Inputs of other operations are zero, and so are answers in any request.
 *
 * Errors: EINVAL: an unknown operation, a value out of range, or an input that must be zero. EBUSY: START
 * while it runs, or with other inputs while it is frozen; START or STOP while a file reads it; FREEZE while
 * it is frozen; READ while it runs, or by a file that was configured or read. ENODATA: FREEZE, STOP or READ
 * without a recorder. ENOMEM: @memory would exceed the cap. EOPNOTSUPP: this kernel does not have a trigger
 * that was asked for. EPERM: START, FREEZE and STOP need CAP_SYS_ADMIN.
 */
struct kflame_recorder {
	__u32 size;
	__u32 op;
	__aligned_u64 span_ns;
	__aligned_u64 period_ns;
	__u32 epochs;
	__u32 entries;
	__aligned_u64 late_ns;
	__aligned_u64 softirq_ns;
	__aligned_u64 least_memory;
	__u32 triggers;
	__u32 state;
	__u32 cause;
	__u32 pad;
	__aligned_u64 memory;
	__aligned_u64 frozen_ns;
	__aligned_u64 freeze_ns;
	__aligned_u64 detail;
	__aligned_u64 samples;
	__aligned_u64 counted;
	__aligned_u64 lost;
	__aligned_u64 kept;
	__aligned_u64 expired;
	__aligned_u64 kept_ns;
	__aligned_u64 expired_ns;
	__aligned_u64 runq_ns;
	__u32 most_blocked;
	__u32 pad2;
};

#define KFLAME_RECORDER_SIZE_0	160	/* as first published */

#endif /* _UAPI_KFLAME_RECORDER_H */
