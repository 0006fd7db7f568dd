/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - event sources: what decides when a sample is taken, and what a sample weighs
 *
 * A session has one to KFLAME_MAX_EVENTS events, each from one source. The timer is the first
 * source (source/timer.h), page faults are the second (source/faults.c). A source knows neither
 * sessions nor stacks. The session attaches a source, then arms it on each CPU. At each event the
 * source calls the sample path by kf_event.take. The timer has callbacks of its own instead, see
 * kf_sample_callback().
 *
 * To add a source: an id and a unit in include/uapi/kflame.h, a file here with its struct
 * kf_source, and a line in the list of source.c.
 */
#ifndef KF_SOURCE_H
#define KF_SOURCE_H

#include <linux/percpu.h>
#include <linux/types.h>

#include <kflame.h>

struct kf_event;
struct pt_regs;

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
	void (*detach)(struct kf_event *e);
	void (*arm)(struct kf_event_cpu *part);
	void (*disarm)(struct kf_event_cpu *part);
	void (*books)(const struct kf_event_cpu *part, struct kflame_cpu *out);
};

/**
 * struct kf_event - an event of a session
 * @source:	where it comes from
 * @id:		its id in the stream
 * @take:	the sample path. Its arguments: registers of what the event interrupted; a return
 *		address that is on the stack below the event's own frames; the weight of the sample.
 *		Interrupts are off
 * @cpu:	for @take
 *
 * Ownership: part of struct kf_sampling. CONFIGURE and START write it, before @attach.
 */
struct kf_event {
	const struct kf_source *source;
	u32 id;
	void (*take)(struct kf_event *e, struct pt_regs *regs, unsigned long handler, u64 weight);
	void __percpu *cpu;
};

/*
 * A sample of any session is being stored on this CPU. An event that comes meanwhile is lost for all
 * sessions (KFLAME_LOST_NESTED): most such events are caused by that sample. Otherwise samples of many
 * sessions could cause each other, and fill the stack. Written by the sample path, interrupts off.
 */
DECLARE_PER_CPU(bool, kf_storing);

extern const struct kf_source kf_source_timer;
extern const struct kf_source kf_source_faults;

const struct kf_source *kf_source_of(u32 kind);
u64 kf_sources_supported(void);

/* For sources without a timer */
void kf_event_arm(struct kf_event_cpu *part);
void kf_event_disarm(struct kf_event_cpu *part);
void kf_event_books(const struct kf_event_cpu *part, struct kflame_cpu *out);

#endif
