/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - event sources: what decides when a sample is taken, and what a sample weighs
 *
 * A session has one to KFLAME_MAX_EVENTS events, each from one source: the timer (source/timer.h), page
 * faults (source/faults.c), waits (source/offcpu.c), looks at sleeping tasks (source/sleepers.c), kernel
 * functions (source/kprobe.c), their returns (source/kretprobe.c), tracepoints (source/tracepoint.c), code of
 * processes (source/uprobe.c), returns of its functions (source/uretprobe.c), system calls
 * (source/syscall.c), and pairs of tracepoints (source/pair.c).
 * A source knows neither sessions nor stacks. The session attaches a source, then arms it on each CPU.
 * At each event the source calls the sample path by kf_event.sample:
 *
 *   - take() for a sample of what runs now, take_return() for one of a function that is not on the stack
 *   - first keep() and later count() for a sample whose weight is known only later
 *   - look() for a sample of another task
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
#include <linux/string.h>
#include <linux/types.h>

#include <kflame.h>

#include "base/storing.h"
#include "source/operands.h"
#include "source/weights.h"

struct file;
struct kf_chunks;
struct kf_event;
struct kf_field;
struct kf_functions;
struct kf_kept;
struct kf_labels;
struct pt_regs;
struct task_struct;

/**
 * struct kf_event_cpu - an event of a session on one CPU
 * @cpu:	id of the CPU
 * @armed:	events are sampled
 * @started:	when it was armed, CLOCK_MONOTONIC ns
 * @books:	accounting of the samples, without the part since @started. The sample path adds the
 *		fate of each sample.
 * @weights:	of the samples that were counted, by KFLAME_GROUP_*; NULL unless kf_event_measures()
 *
 * Context: written on its CPU with interrupts off.
 */
struct kf_event_cpu {
	u32 cpu;
	bool armed;
	u64 started;
	struct kflame_cpu books;
	struct kf_weights *weights;
};

/**
 * struct kf_source - what a source is, and how it is switched on and off
 * @name:	what users call its events
 * @kind:	KFLAME_EVENT_*
 * @unit:	KFLAME_UNIT_*: what the weight of a sample counts, with KFLAME_WEIGHT_OWN
 * @flags:	KFLAME_EF_* that its events may have, beside those that @is_labelled allows
 * @weights:	other weights that its events may have: bits of KFLAME_WEIGHT_*
 * @value_unit:	KFLAME_UNIT_* with KFLAME_WEIGHT_VALUE; 0 stands for KFLAME_UNIT_VALUE
 * @args:	how many arguments of its hits can be read, for KFLAME_WEIGHT_OPERAND and conditions
 * @measures:	the weight of a sample is the length of what happened, so there is a histogram of them. There
 *		also is one for events of any source with another weight than KFLAME_WEIGHT_OWN
 * @is_supported: does it work on this kernel? NULL: always. If not, nothing else of the source is
 *		called, and the functions may be NULL
 * @is_labelled: can hits of that name have labels (KFLAME_EF_LABELS)? NULL: never
 * @most_number:	kflame_event.offset is a number of up to this, or all bits are set for all numbers.
 *		0: it is no number
 * @check:	can events of that name be watched, as @attach would? May sleep, no lock of the CPU
 *		hotplug held. Return: 0 or a negative errno. NULL: its events have no own names,
 *		or @check_file is there
 * @check_functions: the same for events with a list of functions. Writes kf_function.err of each. Return: 0;
 *		-EINTR; -ENOMEM. NULL: its events have no such list
 * @check_file:	the same for events at an offset of a regular file, whose names mean nothing to the
 *		source. NULL: its events are in no file
 * @find_field: the field of the events of that name; NULL if there is none. NULL: its events have no
 *		fields
 * @attach:	begin to watch for events on all CPUs. Samples begin only on armed CPUs. Process
 *		context, no lock of the CPU hotplug held. Return: 0 or a negative errno. NULL:
 *		nothing to do
 * @drain:	at STOP, before any CPU is disarmed: count a bounded number of what has begun and not
 *		ended. Called on one CPU after the other, interrupts off, until all of them
 *		return false. Return: was it armed here, and is there more? NULL: nothing is
 *		ever pending
 * @detach:	undo @attach; may sleep. When it returns, the source is in no function of
 *		kf_event.sample, and will call none
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
	u64 flags;
	u32 weights;
	u32 value_unit;
	u32 args;
	bool measures;
	u64 most_number;
	bool (*is_supported)(void);
	bool (*is_labelled)(const char *name);
	int (*check)(const char *name);
	int (*check_functions)(struct kf_functions *functions);
	int (*check_file)(struct file *file, u64 offset);
	const struct kf_field *(*find_field)(const char *name, const char *field);
	int (*attach)(struct kf_event *e);
	bool (*drain)(struct kf_event *e, struct kf_event_cpu *part);
	void (*detach)(struct kf_event *e);
	void (*arm)(struct kf_event_cpu *part);
	void (*disarm)(struct kf_event_cpu *part);
	void (*books)(const struct kf_event_cpu *part, struct kflame_cpu *out);
};

/**
 * struct kf_sample_ops - the sample path, as sources call it
 * @take:	take a sample of what runs now. @handler is a return address that is on the stack
 *		below the event's own frames, or 0. @own is as for @keep, or 0. @label is of
 *		kf_labels_intern() for kf_event.labels, or 0
 * @take_return: the same for a function that has returned to @regs. @function is its address, which becomes
 *		the innermost frame. If @regs are of user mode, it is the whole kernel stack
 * @take_user_return: a sample of user mode, of a function at address @function that has returned to @regs. It
 *		becomes the innermost frame of the user stack
 * @wants:	is the event armed on this CPU, and does the session sample current?
 * @keep:	take a sample of current, for @count; @wants was true. @own is where the kernel's
 *		function begins that calls several probes: its frame is dropped. @label is as for @take
 * @keep_waker:	the same, of what runs now as the waker of a task, whether the session samples it or
 *		not. @kept is not whole on a CPU on which the event is not armed
 * @count:	count a sample that was kept, on the CPU where it ends, or lose it: @why is KFLAME_LOST_*,
 *		else -1. @waker may be NULL; @end_ns is CLOCK_MONOTONIC
 * @missed:	as many samples could not be taken: @why is KFLAME_LOST_*. @weight is the sum of their
 *		weights, 0 if it is not known
 * @look:	take a sample of another task, which sleeps. The caller holds its pi_lock, and a
 *		reference. @now_ns is the end of what the sample stands for, CLOCK_MONOTONIC
 * @spent:	the event has cost this CPU the time since @begin, by kf_clock_read()
 *
 * @regs are those of what the event interrupted, or from which the kernel stack is walked. @context is
 * KFLAME_CTX_*. @weight is in the event's unit. @chunks has the addresses of @kept. The caller of @keep
 * owns @kept: it is zero before the first call, and no other CPU uses it meanwhile.
 *
 * Context: interrupts off, no NMI; the lock of a run queue may be held. On a CPU on which the event is
 * not armed, all do nothing, except for what @keep_waker says.
 */
struct kf_sample_ops {
	void (*take)(struct kf_event *e, struct pt_regs *regs, unsigned long handler,
		     unsigned long own, u64 weight, u32 label);
	void (*take_return)(struct kf_event *e, struct pt_regs *regs, unsigned long function,
			    u64 weight, u32 label);
	void (*take_user_return)(struct kf_event *e, struct pt_regs *regs, unsigned long function,
				 u64 weight);
	bool (*wants)(struct kf_event *e);
	void (*keep)(struct kf_event *e, struct pt_regs *regs, unsigned long own, u32 label,
		     struct kf_chunks *chunks, struct kf_kept *kept);
	void (*keep_waker)(struct kf_event *e, struct pt_regs *regs, unsigned long own,
			   struct kf_chunks *chunks, struct kf_kept *kept);
	void (*count)(struct kf_event *e, const struct kf_chunks *chunks, const struct kf_kept *kept,
		      const struct kf_kept *waker, u32 context, u64 end_ns, u64 weight, int why);
	void (*missed)(struct kf_event *e, u32 why, u32 nr, u64 weight);
	void (*look)(struct kf_event *e, struct task_struct *t, u32 context, u64 now_ns, u64 weight);
	void (*spent)(struct kf_event *e, u64 begin);
};

/**
 * struct kf_event - an event of a session
 * @source:	where it comes from
 * @sample:	the sample path
 * @id:		its id in the stream
 * @min:	kflame_event.min
 * @max:	kflame_event.max, or ~0
 * @weight:	kflame_event.weight
 * @unit:	KFLAME_UNIT_*: what its weight counts
 * @flags:	kflame_event.flags
 * @operands:	what its hits weigh by arguments, and which are wanted
 * @cpu:	for @sample
 * @cpus:	of the session
 * @name:	what the stream calls it
 * @file:	of a source with kf_source.check_file, else NULL. The event has a reference from CONFIGURE
 *		until the session ends
 * @offset:	of the event in @file; with kf_source.most_number a number
 * @labels:	of the session, with KFLAME_EF_LABELS; else NULL
 * @functions:	of an event with a list of functions, else NULL. The event has a reference as to @file
 * @data:	the source's own; NULL while it is not attached. Only the source reads it
 *
 * Ownership: part of struct kf_sampling, whose address does not change. CONFIGURE and START write it,
 * before @attach. Only @attach and @detach write @data: @attach allocates it before anything can call
 * the source, and @detach frees it when nothing does any more.
 */
struct kf_event {
	const struct kf_source *source;
	const struct kf_sample_ops *sample;
	u32 id;
	u64 min;
	u64 max;
	u64 flags;
	u32 weight;
	u32 unit;
	struct kf_operands operands;
	void __percpu *cpu;
	const struct cpumask *cpus;
	struct file *file;
	u64 offset;
	struct kf_labels *labels;
	struct kf_functions *functions;
	void *data;
	char name[KFLAME_EVENT_NAME];
};

extern const struct kf_source kf_source_timer;
extern const struct kf_source kf_source_faults;
extern const struct kf_source kf_source_offcpu;
extern const struct kf_source kf_source_sleepers;
extern const struct kf_source kf_source_kprobe;
extern const struct kf_source kf_source_tracepoint;
extern const struct kf_source kf_source_uprobe;
extern const struct kf_source kf_source_uretprobe;
extern const struct kf_source kf_source_kretprobe;
extern const struct kf_source kf_source_syscall;
extern const struct kf_source kf_source_pair;

const struct kf_source *kf_source_of(u32 kind);
bool kf_source_is_supported(const struct kf_source *source);
bool kf_source_is_named(const struct kf_source *source);
bool kf_source_is_missing(void);
u64 kf_sources_supported(void);

/* Is there a histogram of the weights of samples? */
static inline bool kf_event_measures(const struct kf_event *e)
{
	return e->source->measures || e->weight != KFLAME_WEIGHT_OWN;
}

/* The name of an event that has one, without its kind: of "kprobe:vfs_read" it is "vfs_read" */
static inline const char *kf_event_own_name(const struct kf_event *e)
{
	return strchr(e->name, ':') + 1;
}

/* For sources without a timer */
void kf_event_arm(struct kf_event_cpu *part);
void kf_event_disarm(struct kf_event_cpu *part);
void kf_event_books(const struct kf_event_cpu *part, struct kflame_cpu *out);

#endif
