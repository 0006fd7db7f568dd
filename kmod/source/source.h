/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - event sources: what decides when a sample is taken, and what a sample weighs
 *
 * A session has one to KFLAME_MAX_EVENTS events, each from one source: the timer (source/timer.h), page
 * faults (source/faults.c), waits (source/offcpu.c), and looks at sleeping tasks (source/sleepers.c). A
 * source knows neither sessions nor stacks. The session attaches a source, then arms it on each CPU.
 * At each event the source calls the sample path:
 *
 *   - kf_event.take for a sample of what runs now
 *   - first kf_event.keep and later kf_event.count for a sample whose weight is known only later
 *   - kf_event.look for a sample of another task
 *
 * The timer has callbacks of its own instead, see kf_sample_callback().
 *
 * To add a source: an id and a unit in include/uapi/kflame.h, a file here with its struct
 * kf_source, and a line in the list of source.c.
 */
#ifndef KF_SOURCE_H
#define KF_SOURCE_H

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <kflame.h>

struct kf_chunks;
struct kf_event;
struct kf_kept;
struct kf_sleepers;
struct kf_waits;
struct pt_regs;
struct task_struct;

/**
 * struct kf_event_cpu - an event of a session on one CPU
 * @cpu:	id of the CPU
 * @armed:	events are sampled
 * @started:	when it was armed, CLOCK_MONOTONIC ns
 * @books:	accounting of the samples, without the part since @started. The sample path adds the
 *		fate of each sample.
 *
 * Context: written on its CPU with interrupts off.
 */
struct kf_event_cpu {
	u32 cpu;
	bool armed;
	u64 started;
	struct kflame_cpu books;
};

/**
 * struct kf_source - what a source is, and how it is switched on and off
 * @name:	what users call its events
 * @kind:	KFLAME_EVENT_*
 * @unit:	KFLAME_UNIT_*: what the weight of a sample counts
 * @is_supported: does it work on this kernel? NULL: always
 * @attach:	begin to watch for events on all CPUs. Samples begin only on armed CPUs. Process
 *		context, no lock of the CPU hotplug held. Return: 0 or a negative errno. NULL:
 *		nothing to do
 * @drain:	at STOP, before any CPU is disarmed: count a bounded number of what has begun and not
 *		ended. Called on one CPU after the other, interrupts off, until all of them
 *		return false. Return: was it armed here, and is there more? NULL: nothing is
 *		ever pending
 * @detach:	undo @attach; when it returns, kf_event.take is not running and will not run
 * @arm:	begin to sample, on the CPU of @part with interrupts off: at START, and when the CPU
 *		comes online. Does nothing if it is armed
 * @disarm:	end it: at STOP, and when the CPU goes offline. Does nothing if it is not armed
 * @books:	the accounting of a CPU up to now; @out may be @part->books. Interrupts are off; on
 *		another CPU only if that of @part is offline
 */
struct kf_source {
	const char *name;
	u32 kind;
	u32 unit;
	bool (*is_supported)(void);
	int (*attach)(struct kf_event *e);
	bool (*drain)(struct kf_event *e, struct kf_event_cpu *part);
	void (*detach)(struct kf_event *e);
	void (*arm)(struct kf_event_cpu *part);
	void (*disarm)(struct kf_event_cpu *part);
	void (*books)(const struct kf_event_cpu *part, struct kflame_cpu *out);
};

/**
 * struct kf_event - an event of a session
 * @source:	where it comes from
 * @id:		its id in the stream
 * @min:	kflame_event.min
 * @max:	kflame_event.max, or ~0
 * @flags:	kflame_event.flags
 * @take:	the sample path. Its arguments: registers of what the event interrupted; a return
 *		address that is on the stack below the event's own frames; the weight of the sample.
 *		Interrupts are off
 * @wants:	is the event armed on this CPU, and does the session sample current?
 * @keep:	take a sample of current that @count is to count later
 * @keep_waker:	take a sample of what runs now, whether the session samples it or not. @own is where
 *		the kernel's function begins that calls several probes
 * @count:	count a sample that was kept: with its waker, which may be NULL, its context,
 *		KFLAME_CTX_*, when it ended, CLOCK_MONOTONIC, and its weight; or lose it (@why is
 *		KFLAME_LOST_*, else -1)
 * @missed:	a sample could not be kept
 * @look:	take a sample of another task, which sleeps, and whose pi_lock the caller holds:
 *		with its context, KFLAME_CTX_*, the time, CLOCK_MONOTONIC, and the weight
 * @spent:	the event has cost this CPU the time since @begin, by kf_clock_read()
 * @cpu:	for all of these
 * @cpus:	of the session
 * @waits:	of source/offcpu.c: tasks that wait
 * @ending:	of source/offcpu.c: no wait begins any more
 * @drained:	of source/offcpu.c: slots that @drain has seen
 * @sleepers:	of source/sleepers.c: its thread
 * @own:	of source/offcpu.c: where the kernel's function begins that calls several probes
 * @own_waking:	the same, of wake-ups
 *
 * Ownership: part of struct kf_sampling. CONFIGURE and START write it, before @attach.
 */
struct kf_event {
	const struct kf_source *source;
	u32 id;
	u64 min;
	u64 max;
	u64 flags;
	void (*take)(struct kf_event *e, struct pt_regs *regs, unsigned long handler, u64 weight);
	bool (*wants)(struct kf_event *e);
	void (*keep)(struct kf_event *e, struct pt_regs *regs, struct kf_chunks *chunks,
		     struct kf_kept *kept);
	void (*keep_waker)(struct kf_event *e, struct pt_regs *regs, unsigned long own,
			   struct kf_chunks *chunks, struct kf_kept *kept);
	void (*count)(struct kf_event *e, const struct kf_chunks *chunks, const struct kf_kept *kept,
		      const struct kf_kept *waker, u32 context, u64 end_ns, u64 weight, int why);
	void (*missed)(struct kf_event *e);
	void (*spent)(struct kf_event *e, u64 begin);
	void (*look)(struct kf_event *e, struct task_struct *t, u32 context, u64 now_ns, u64 weight);
	void __percpu *cpu;
	const struct cpumask *cpus;
	struct kf_waits *waits;
	struct kf_sleepers *sleepers;
	bool ending;
	u32 drained;
	unsigned long own;
	unsigned long own_waking;
};

/*
 * A sample of any session is being stored on this CPU. An event that comes meanwhile is lost for all
 * sessions (KFLAME_LOST_NESTED): most such events are caused by that sample. Otherwise samples of many
 * sessions could cause each other, and fill the stack. Written by the sample path, interrupts off.
 */
DECLARE_PER_CPU(bool, kf_storing);

extern const struct kf_source kf_source_timer;
extern const struct kf_source kf_source_faults;
extern const struct kf_source kf_source_offcpu;
extern const struct kf_source kf_source_sleepers;

const struct kf_source *kf_source_of(u32 kind);
u64 kf_sources_supported(void);

/* For sources without a timer */
void kf_event_arm(struct kf_event_cpu *part);
void kf_event_disarm(struct kf_event_cpu *part);
void kf_event_books(const struct kf_event_cpu *part, struct kflame_cpu *out);

#endif
