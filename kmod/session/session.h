/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - a session: one configuration, events on each CPU, one stream of records
 *
 * Life: create, configure (once), start and stop (as often as wanted), destroy.
 * An open file of the device owns one session. device/builtin.c owns the built-in session.
 *
 * Destroying takes down all that refers to a session, in this order:
 *
 *   1. the events			drained, then disarmed on their CPUs (timers are cancelled): no more
 *					samples
 *   2. the list of running sessions	off it, under the same lock: hotplug no longer finds it
 *   3. the sources			detached: none calls the sample path any more. Then the files and
 *					the lists of functions of events are dropped
 *   4. the irq_work			synced: the work is not queued any more
 *   5. the work			cancelled: no walk runs, no drain
 *   6. held address spaces		dropped
 *   7. held files			dropped
 *   8. unwind tables, mappings, caches, labels, interpreters	freed
 *   9. memory				freed, and released to the cap. No ring is mapped any
 *					more: a mapping holds the open file, and only the
 *					file's release destroys
 *
 * Locks, in the order they are taken:
 *
 *   reader.lock	one read(2) at a time; CONFIGURE
 *   session.control	CONFIGURE, START, STOP as a whole. Attaching a source takes locks of the
 *			kernel, cpus_read_lock() among them
 *   cpus_read_lock()	no CPU comes online or goes offline. Never waited for under the locks
 *			below, because that may take long
 *   session.take	spare tables, and taking a CPU's table
 *   session.ctl	its state; CONFIGURE, START, STOP, destroy; interpreters that are uploaded
 *   running_lock	the list of running sessions (session/session.c)
 *   alloc_lock		allocating memory for a session (session/session.c)
 *   lock		ids of files, and reporting them (process/file_ids.c)
 *   held.lock		files that are held for the reader
 *   tables.lock	unwind tables that are uploaded
 *   lock		what is known of modules; module notifiers take it too
 *			(kstack/module_text.c)
 *   records.lock	records of the work for the reader; nothing is taken under it
 *   aspaces.lock, filter.lock	raw, with interrupts off: samples take them; nothing is taken
 *			under them
 *
 * Memory, reserved at START and released at destroy:
 *
 *   CPUs to be sampled x kf_table_bytes(entries, samples)	one table each
 *   + NUMA nodes with memory x kf_table_bytes(entries, samples)	the spare ones
 *   + CPUs to be sampled x kf_epochs_bytes(), in a session with epochs
 *   + CPUs to be sampled x kf_ring_bytes(ring_bytes), where stacks are copied
 *   + CPUs to be sampled x kf_uwalk_bytes(), where user stacks are walked by unwind tables
 *   + possible CPUs x (sizeof(struct kf_cpu) + config.nr_events x sizeof(struct kf_event_cpu)
 *     + KFLAME_NR_GROUPS x sizeof(struct kf_weights) for each event with a histogram)
 *   + kf_aspaces_bytes()
 *   + kf_held_bytes(), where files are held
 *   + kf_labels_bytes(), where samples have labels
 *   + kf_umaps_bytes() and kf_utables_bytes(), where there are unwind tables; and the tables as
 *     they are uploaded, up to config.table_bytes
 *   + possible CPUs x kf_ucheck_bytes(), with learn_check
 *   + possible CPUs x kf_explained_bytes(), with KFLAME_CF_EXPLAIN
 *   + kf_kcache_bytes(), where kernel stacks have a cache
 *   + the reader's buffer
 *   and as they are written, up to KF_RECORDS_LIMIT of waiting records. In a session with epochs some
 *     megabytes, see session/forget.h
 *   and from the first description of an interpreter on, struct kf_interpreters
 *   and from each START to STOP, with KFLAME_EVENT_OFFCPU slots_bytes() of source/waits.c, with
 *     KFLAME_EVENT_SLEEPERS the array of source/sleepers.c, with KFLAME_EVENT_KPROBE struct probes
 *   and from CONFIGURE on, with kflame_event.functions, struct kf_functions
 *
 * A CPU that comes online later takes a table (and ring) then, if the cap allows. Without memory
 * the CPU still comes online, and is not sampled.
 */
#ifndef KF_SESSION_H
#define KF_SESSION_H

#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <kflame.h>
#include "kstack/kernel_cache.h"
#include "process/held_files.h"
#include "process/mapping_ring.h"
#include "sample/cpu.h"
#include "store/records.h"
#include "store/table.h"
#include "ustack/unwind_tables.h"

struct kf_archive;
struct kf_functions;
struct kf_session;
struct vm_area_struct;

enum kf_state {
	KF_NEW,
	KF_CONFIGURED,
	KF_RUNNING,
	KF_STOPPED,
};

/**
 * struct kf_session - see the head of this file
 * @control:	one CONFIGURE, START or STOP at a time
 * @ctl:	guards @state and all that CONFIGURE and START make
 * @state:	enum kf_state; readers read it without the lock
 * @sampling:	what samples read
 * @asked_period_ns: the requested period; @sampling.config has the one that timers can keep
 * @kcache:	cache for walks of kernel stacks; NULL without a cache, or before START
 * @cpus:	CPUs to be sampled
 * @running:	in the list of running sessions
 * @cpu:	per CPU, from START on
 * @take:	guards @records of a session with epochs against readers, @spare, clearing sampling.full,
 *		@serial, @exchanges, @ordered, @unordered
 * @spare:	an empty table for each NUMA node
 * @serial:	number of the last filling that was taken
 * @stops:	how often the session was stopped; written before @state
 * @exchanges:	tables that were taken
 * @ordered:	samples whose times are recorded, in tables that were taken
 * @unordered:	samples whose times found no room, in tables that were taken
 * @memory:	bytes reserved
 * @records:	records of the work for the reader
 * @held:	mapped files that the reader may want
 * @tables:	unwind tables of files
 * @umaps:	which file is mapped at which address
 * @work:	walks address spaces, then wakes the reader or calls @drain
 * @wakeups:	runs of @work that found tables or rings past their high-water mark
 * @drain_at:	when @work next asks for all tables to be taken, in jiffies
 * @drains:	how often @work asked for that
 * @wait:	readers, woken by @work and by START and STOP
 * @drain:	takes the tables of @sampling.full, for a session without a reader; else NULL. Set
 *		before START; called by @work.
 * @archive:	for @drain
 * @epochs:	tables of each CPU's ring (session/epochs.h), 2 or more; 0 in a session with a reader or an
 *		archive. Set before CONFIGURE
 * @epoch_ns:	length of an epoch. Set before START
 * @forget_at:	bytes of @records from which on the work drops some (session/forget.h)
 * @forget_next: jiffies before which the work drops none
 * @frozen:	no table is emptied and no CPU is armed any more. Written in any context
 * @start_ns:	time of the first START
 * @start_realtime_ns: the same instant in wall-clock time
 * @stop_ns:	time of the last STOP
 */
struct kf_session {
	struct kf_sampling sampling;

	/* Written by CONFIGURE and START */
	u64 asked_period_ns;
	struct kf_kcache *kcache;
	struct kf_cpu __percpu *cpu;
	cpumask_var_t cpus;

	/* Written by reading and by controlling */
	struct mutex control ____cacheline_aligned_in_smp;
	struct mutex ctl;
	enum kf_state state;
	u32 stops;
	u32 serial;
	struct list_head running;
	struct mutex take;
	struct kf_table **spare;
	u64 exchanges;
	u64 wakeups;
	u64 ordered;
	u64 unordered;
	size_t memory;
	struct kf_records records;
	struct kf_held held;
	void (*drain)(struct kf_session *s);
	struct kf_archive *archive;
	u32 epochs;
	u64 epoch_ns;
	size_t forget_at;
	unsigned long forget_next;
	bool frozen;
	u64 start_ns;
	u64 start_realtime_ns;
	u64 stop_ns;

	/* Each in separate cache lines: samples read them and the worker writes them */
	struct kf_utables tables ____cacheline_aligned_in_smp;
	struct kf_umaps umaps ____cacheline_aligned_in_smp;
	struct delayed_work work ____cacheline_aligned_in_smp;
	unsigned long drain_at;
	u32 drains;
	wait_queue_head_t wait;
};

/* Bytes of a reader's buffer, which is part of the session's memory */
#define KF_READER_BUFFER	(256U << 10)

/*
 * The reader takes a table that is past its high-water mark, and all tables once in this time. The
 * session's work says when, and wakes the reader. So a reader that is killed, or whose disk is
 * full, loses no more than this time and the 0.3 s by which such a timer may be late. A longer time
 * makes profiles smaller: each reading repeats the stacks of the reading before.
 */
#define KF_DRAIN_JIFFIES	(5 * HZ)

/* By default a table has an entry for each sample in this time, within these limits. */
#define KF_DEFAULT_ENTRIES_NS	(16 * NSEC_PER_SEC)
#define KF_DEFAULT_ENTRIES_MIN	2048UL
#define KF_DEFAULT_ENTRIES_MAX	32768UL

/**
 * struct kf_event_asked - an event of a configuration, copied in
 * @event:	as it was asked for; @event.name is a user address
 * @name:	the name there, NUL terminated; cut if it is longer
 * @conditions:	of @event.conditions, as many as are allowed at most
 * @file:	of @event.fd, for sources with kf_source.check_file; else NULL. Whoever copied the event in
 *		drops the reference
 * @functions:	the list of @event.functions, or NULL. As for @file
 */
struct kf_event_asked {
	struct kflame_event event;
	char name[KFLAME_EVENT_NAME];
	struct kflame_condition conditions[KFLAME_MAX_CONDITIONS];
	struct file *file;
	struct kf_functions *functions;
};

struct kf_session *kf_session_create(void);
void kf_session_destroy(struct kf_session *s);
int kf_session_configure(struct kf_session *s, struct kflame_config *cfg,
			 const struct kf_ids *ids, const struct kf_event_asked *events);
bool kf_has_tables(const struct kflame_config *cfg);
u32 kf_table_samples(const struct kflame_config *cfg);
bool kf_caches_kstacks(const struct kflame_config *cfg);
bool kf_has_labels(const struct kf_sampling *sampling);
bool kf_keeps_chains(const struct kflame_config *cfg);
bool kf_guesses(const struct kflame_config *cfg);
bool kf_matches(const struct kf_session *s);
enum kf_plan kf_session_plan(const struct kf_session *s);
size_t kf_cpu_bytes(const struct kf_session *s);
size_t kf_session_bytes(const struct kf_session *s);
u32 kf_entries_for(u64 period_ns, u64 span_ns);
int kf_session_start(struct kf_session *s, u64 *when);
int kf_session_stop(struct kf_session *s, u64 *when);
void kf_session_disarm_here(struct kf_session *s);
struct kf_table *kf_session_take_table(struct kf_session *s, unsigned int cpu, bool steady,
				       struct kflame_cpu *books);
void kf_session_return_table(struct kf_session *s, struct kf_table *t, unsigned int cpu);
int kf_session_mmap(struct kf_session *s, struct vm_area_struct *vma);
int kf_session_stats(struct kf_session *s, struct kflame_stats *stats);
void kf_session_count(struct kf_session *s, u64 *count);
struct file *kf_session_file(struct kf_session *s, u64 id);
int kf_session_number(struct kf_session *s, unsigned long address, u64 *id);
int kf_session_cgroup(struct kf_session *s, u32 index, int fd);
int kf_session_table(struct kf_session *s, const struct kflame_table *req);
struct kf_interpreters *kf_session_create_interpreters(void);
int kf_session_interpreter(struct kf_session *s, const struct kflame_interpreter *req);
bool kf_session_has_event(const struct kf_session *s, u32 id);
void kf_session_forget_events(struct kf_session *s);
const struct kf_weights *kf_session_weights(struct kf_session *s, unsigned int cpu, u32 event);
bool kf_session_books(struct kf_session *s, unsigned int cpu, u32 event, struct kflame_cpu *books);
u32 kf_sessions_running(void);

int kf_sessions_init(void);
void kf_sessions_exit(void);

#endif
