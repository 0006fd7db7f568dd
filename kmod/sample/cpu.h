/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu.h - what a session has on each CPU, and what its CPUs share while they sample
 */
#ifndef KF_CPU_H
#define KF_CPU_H

#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/types.h>

#include <kflame.h>
#include "kstack/kstack.h"
#include "process/aspace.h"
#include "sample/filter.h"
#include "source/source.h"
#include "source/timer.h"
#include "store/frames.h"
#include "store/labels.h"
#include "store/ring.h"
#include "store/table.h"
#include "ustack/by_tables.h"
#include "ustack/check_user.h"
#include "ustack/interpreters.h"
#include "ustack/ustack.h"

struct kf_explained;
struct kf_epochs;
struct kf_watch;

/* If a sample comes later than this, the CPU was taken away (KFLAME_CTX_GAP). */
#define KF_GAP_NS	(100 * NSEC_PER_MSEC)

/**
 * enum kf_plan - which features a session uses, to choose a specialised callback
 * @KF_PLAN_ANY:	any features
 * @KF_PLAN_FP:		the common session: it counts samples of all tasks, with both stacks. It
 *		walks user stacks by frame pointers, and may reuse stacks of earlier samples. The
 *		machine has a counter to time samples with.
 * @KF_PLAN_TABLES:	the same, with user stacks by unwind tables
 * @KF_PLAN_WATCH:	any features, and each sample is compared with kf_sampling.watch
 */
enum kf_plan {
	KF_PLAN_ANY,
	KF_PLAN_FP,
	KF_PLAN_TABLES,
	KF_PLAN_WATCH,
};

/* The least depth of user stacks for KF_PLAN_FP and KF_PLAN_TABLES, with room for a candidate */
#define KF_PLAN_MIN_UDEPTH	2U

/**
 * struct kf_sampling - what all CPUs of a session share while they sample
 * @config:	as CONFIGURE fixed it, without its arrays
 * @kstack:	how kernel stacks are walked
 * @chooses:	some tasks are not sampled, or only one of kernel and user mode is
 * @filter:	tasks to be sampled
 * @nr_events:	number of @events, 1 to KFLAME_MAX_EVENTS
 * @events:	what samples are taken at
 * @labels:	NULL unless one of @events has labels
 * @watch:	limits that each sample is compared with; NULL without such limits
 * @interpreters: NULL until the reader uploads a description
 * @aspaces:	address spaces
 * @wake:	hard irq_work that only queues the session's work
 * @full:	CPUs whose table or ring is past its high-water mark
 *
 * Ownership: part of struct kf_session. CONFIGURE and START write it. Samples sometimes write
 * @aspaces, @wake, @full and the lock of @filter. KFLAME_IOC_CGROUP replaces groups of @filter.
 */
struct kf_sampling {
	struct kflame_config config;
	kf_kstack_fn *kstack;
	bool chooses;
	struct kf_filter filter;
	u32 nr_events;
	struct kf_event events[KFLAME_MAX_EVENTS];
	struct kf_labels *labels;
	struct kf_watch *watch;
	struct kf_interpreters *interpreters;
	/* In separate cache lines, so that writes do not hit lines that each sample reads */
	struct kf_aspaces aspaces ____cacheline_aligned_in_smp;
	struct irq_work wake ____cacheline_aligned_in_smp;
	cpumask_var_t full;
};

/**
 * struct kf_cpu - one CPU's part of a session
 * @sampling:	of the session
 * @table:	the table being filled; NULL if this CPU was never sampled
 * @ring:	for copies of stacks; a CPU with a table has a ring in sessions that copy
 * @kick:	scratch: the session's work is to be queued
 * @interpreted: scratch: the current sample's process has an interpreter
 * @guesses:	a user stack by frame pointers may be an earlier sample's. Only
 *		KF_PLAN_ANY reads @guesses and @matches.
 * @matches:	a kernel stack may be matched by its callers
 * @timer:	the CPU's timer and accounting, whether or not the timer is one of the events
 * @events:	all other events, by their id; NULL if the configuration names none
 * @event_ns:	when the current sample's event happened, CLOCK_MONOTONIC; not of the timer
 * @key:	key of the sample. Its CPU never changes, its name is made from @comm, and its
 *		thread is 0 unless threads are separate.
 * @comm:	the task's name as it was read, from which the name in @key was made
 * @space:	input of walks by unwind tables: a constant part, and scratch
 * @cache:	the last address spaces
 * @leaf:	cache of walks by frame pointers
 * @uwalk:	caches and counters of walks by unwind tables
 * @ucheck:	data of learn_check, else NULL
 * @explained:	scratch of KFLAME_CF_EXPLAIN, else NULL
 * @kwalk:	data of walks of kernel stacks
 * @kframes:	scratch
 * @uframes:	scratch
 * @epochs:	ring of tables, of which @table is one; NULL in sessions with a reader. The sample path does
 *		not use it
 * @softirq_ns:	weight of the last samples, if all of them were in softirqs; only with KF_PLAN_WATCH
 *
 * Its own CPU writes it, with interrupts off. Other CPUs write it before its timer is armed for the
 * first time, and while the CPU is offline, under cpus_read_lock().
 */
struct kf_cpu {
	struct kf_sampling *sampling;
	struct kf_table *table;
	struct kf_ring ring;
	bool kick;
	bool interpreted;
	bool guesses;
	bool matches;
	struct kf_timer timer;
	struct kf_event_cpu *events;
	u64 event_ns;
	struct kf_key key;
	unsigned long comm[KFLAME_COMM_LEN / sizeof(long)];
	struct kf_uspace space;
	struct kf_aspace_cache cache;
	struct kf_leaf leaf;
	struct kf_uwalk uwalk;
	struct kf_ucheck *ucheck;
	struct kf_explained *explained;
	struct kf_kwalk kwalk;
	struct kf_frames kframes;
	struct kf_frames uframes;
	struct kf_epochs *epochs;
	u64 softirq_ns;
};

/* An event of the session on the CPU of @c */
static inline struct kf_event_cpu *kf_cpu_event(struct kf_cpu *c, u32 id)
{
	return id ? &c->events[id - 1] : &c->timer.part;
}

/*
 * The time of the current sample: of the timer, when it was due; of another event, when it happened.
 * Called once the timer's expiry was advanced by @weight_ns.
 */
static __always_inline u64 kf_sample_time(const struct kf_cpu *c, u32 event, u64 weight_ns)
{
	return event ? c->event_ns : kf_timer_due_ns(&c->timer, weight_ns);
}

#endif
