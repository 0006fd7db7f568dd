/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu.h - what a session has on each CPU, and what its CPUs share while they sample
 */
#ifndef KF_CPU_H
#define KF_CPU_H

#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/types.h>

#include <kflame.h>
#include "kstack/kstack.h"
#include "process/aspace.h"
#include "sample/filter.h"
#include "source/timer.h"
#include "store/frames.h"
#include "store/ring.h"
#include "store/table.h"
#include "ustack/by_tables.h"
#include "ustack/check_user.h"
#include "ustack/ustack.h"

/* A sample that comes later than this: the CPU was taken away (KFLAME_CTX_GAP). */
#define KF_GAP_NS	(100 * NSEC_PER_MSEC)

/**
 * enum kf_plan - what a session may want of its samples
 * @KF_PLAN_ANY:	anything
 * @KF_PLAN_FP:		what most sessions want: samples of all tasks, counted. Both stacks, that of
 *			user mode by frame pointers. Stacks of earlier samples may be reused. The
 *			machine has a counter to time samples with.
 * @KF_PLAN_TABLES:	the same, with user stacks by unwind tables
 */
enum kf_plan {
	KF_PLAN_ANY,
	KF_PLAN_FP,
	KF_PLAN_TABLES,
};

/* Of user stacks, for the last two: there is room for a candidate. */
#define KF_PLAN_MIN_UDEPTH	2U

/**
 * struct kf_sampling - what all CPUs of a session share while they sample
 * @config:	as CONFIGURE fixed it, without its arrays
 * @kstack:	how kernel stacks are walked
 * @chooses:	not all tasks are sampled, or not both of kernel and user mode
 * @filter:	tasks to be sampled
 * @aspaces:	address spaces
 * @wake:	hard irq_work; all it does is to queue the session's work
 * @full:	CPUs whose table, or ring, is past its high-water mark
 *
 * Ownership: part of struct kf_session. CONFIGURE and START write it. Samples write @aspaces, @wake, @full
 * and the lock of @filter now and then; KFLAME_IOC_CGROUP replaces groups of @filter.
 */
struct kf_sampling {
	struct kflame_config config;
	kf_kstack_fn *kstack;
	bool chooses;
	struct kf_filter filter;
	/* In cache lines of their own: what is written meanwhile is not in lines that each sample reads */
	struct kf_aspaces aspaces ____cacheline_aligned_in_smp;
	struct irq_work wake ____cacheline_aligned_in_smp;
	cpumask_var_t full;
};

/**
 * struct kf_cpu - one CPU's part of a session
 * @sampling:	of the session
 * @table:	being filled; NULL where this CPU was never sampled
 * @ring:	where stacks are copied; a CPU with a table has one in sessions that copy
 * @busy:	a sample is being stored: whatever comes now is lost[NESTED]
 * @kick:	scratch: the work is to be queued
 * @guesses:	a user stack by frame pointers may be that of an earlier sample. Only
 *		KF_PLAN_ANY asks for this and @matches.
 * @matches:	a kernel stack may be matched by its callers
 * @timer:	when to sample, and the CPU's accounting
 * @key:	of the sample. Its CPU never changes, its name is made of @comm, and its thread is 0
 *		where threads are not separate.
 * @comm:	the name as it was read, of which that in @key was made
 * @space:	what does not change of the user side, and scratch
 * @cache:	the last address spaces
 * @leaf:	what walks by frame pointers remember
 * @uwalk:	what walks by unwind tables remember
 * @ucheck:	with learn_check, else NULL
 * @kwalk:	what walks of kernel stacks need
 * @kframes:	scratch
 * @uframes:	scratch
 *
 * Written on its own CPU with interrupts off. Others write it before its timer is armed for the first
 * time, and while the CPU is offline, under cpus_read_lock().
 */
struct kf_cpu {
	struct kf_sampling *sampling;
	struct kf_table *table;
	struct kf_ring ring;
	bool busy;
	bool kick;
	bool guesses;
	bool matches;
	struct kf_timer timer;
	struct kf_key key;
	unsigned long comm[KFLAME_COMM_LEN / sizeof(long)];
	struct kf_uspace space;
	struct kf_aspace_cache cache;
	struct kf_leaf leaf;
	struct kf_uwalk uwalk;
	struct kf_ucheck *ucheck;
	struct kf_kwalk kwalk;
	struct kf_frames kframes;
	struct kf_frames uframes;
};

#endif
