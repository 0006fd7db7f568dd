/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * kflame-event-records.h - records of events other than the timer
 *
 * Included by kflame.h, whose rules apply here, too.
 */
#ifndef _UAPI_KFLAME_EVENT_RECORDS_H
#define _UAPI_KFLAME_EVENT_RECORDS_H

/**
 * struct kflame_rec_event - KFLAME_REC_EVENT: an event of the session
 * @rec:	type and size
 * @id:		its id in this stream, see struct kflame_event
 * @kind:	KFLAME_EVENT_*
 * @unit:	KFLAME_UNIT_*
 * @arg:	1 to KFLAME_MAX_ARG: a sample weighs what that argument was; else zero
 * @name:	what it is called, NUL terminated. Of a longer name the first bytes, then '~' and @id
 * @full_name:	the whole name, NUL terminated
 *
 * One for each element of kflame_config.events, after SESSION. Without such records the timer is the
 * only event. SESSION, COUNT, COUNTS, SAMPLE and CPU records are the timer's in every stream. So a
 * reader that skips EVENT records reads the timer's samples right, and no others.
 */
struct kflame_rec_event {
	struct kflame_rec rec;
	__u32 id;
	__u32 kind;
	__u32 unit;
	__u32 arg;
	__u8 name[32];
	__u8 full_name[KFLAME_EVENT_NAME];
};

#define KFLAME_REC_EVENT_SIZE_0	56	/* as first published: up to @name */

/* kflame_rec_label.kind */
#define KFLAME_LABEL_TEXT	0 /* a text as it is */
#define KFLAME_LABEL_FILE	1 /* a path within a file system */
#define KFLAME_LABEL_KIND	0x00ffU /* mask of the above */
#define KFLAME_LABEL_MAJOR	0x0100U /* of a page fault: the page had to be read from a device */

/* kflame_rec_label.root_len: the file is below no mount, or the path is cut */
#define KFLAME_LABEL_NO_ROOT	0xffffU

/**
 * struct kflame_rec_label - KFLAME_REC_LABEL: what samples are about
 * @rec:	type and size
 * @id:		its id in this stream, never 0. The record may come after stacks that name it. If an id
 *		comes again, the later record counts: the tool adds the whole path of a file as a text
 * @kind:	KFLAME_LABEL_TEXT or _FILE, maybe with KFLAME_LABEL_MAJOR
 * @dev_major:	KFLAME_LABEL_FILE: major number of the file's device, as in mountinfo. Else zero
 * @dev_minor:	KFLAME_LABEL_FILE: minor number of the file's device. Else zero
 * @root_len:	KFLAME_LABEL_FILE: how many bytes at the begin of @text are the path of the directory
 *		that is mounted, which is the field "root" of /proc/PID/mountinfo; 0 if that is "/"; or
 *		KFLAME_LABEL_NO_ROOT. Else zero
 * @text_len:	bytes of @text, without the terminating NUL
 * @text:	NUL terminated. Any other bytes are possible. A path of more than about 400 bytes begins with
 *		"..." instead of its first directories. The name of a deleted file ends in " (deleted)".
 *		"[more]" is the label of all samples whose own label found no room
 */
struct kflame_rec_label {
	struct kflame_rec rec;
	__u32 id;
	__u32 kind;
	__u32 dev_major;
	__u32 dev_minor;
	__u32 root_len;
	__u32 text_len;
	__u8 text[];
};

/**
 * struct kflame_event_count - how often a sample was seen, in an EVENT_COUNTS record
 * @weight:	sum of the samples' weights, in the event's unit
 * @samples:	how often
 * @kstack:	kernel stack; 0 for none
 * @ustack:	user stack; 0 for none
 */
struct kflame_event_count {
	__aligned_u64 weight;
	__aligned_u64 samples;
	__aligned_u64 kstack;
	__aligned_u64 ustack;
};

/**
 * struct kflame_rec_event_counts - KFLAME_REC_EVENT_COUNTS: counts of one task and one event
 * @rec:	type and size
 * @aspace:	as in struct kflame_rec_count, for all counts
 * @first:	with KFLAME_CF_TIMELINE: id of the first count, as kflame_rec_count.id; the ids of the
 *		others follow in steps of one. Else 0
 * @cpu:	as in struct kflame_rec_count, for all counts
 * @context:	as in struct kflame_rec_count, for all counts
 * @tgid:	as in struct kflame_rec_count, for all counts
 * @tid:	as in struct kflame_rec_count, for all counts
 * @comm:	as in struct kflame_rec_count, for all counts
 * @event:	id of the event, never 0
 * @nr:		number of counts
 * @count:	the counts
 */
struct kflame_rec_event_counts {
	struct kflame_rec rec;
	__aligned_u64 aspace;
	__aligned_u64 first;
	__u32 cpu;
	__u32 context;
	__u32 tgid;
	__u32 tid;
	__u8 comm[KFLAME_COMM_LEN];
	__u32 event;
	__u32 nr;
	struct kflame_event_count count[];
};

/**
 * struct kflame_rec_waker - KFLAME_REC_WAKER: a task or an interrupt that ended waits
 * @rec:	type and size
 * @id:		its id, never 0, by which kflame_wake_count.waker names it. Wakers and counts
 *		(kflame_rec_count.id) share one series of ids: none has the id of another one
 * @aspace:	address space; 0 for kernel threads, idle and interrupts, and if it was refused
 * @kstack:	kernel stack at the wake-up; 0 for none
 * @ustack:	user stack at the wake-up; 0 for none
 * @cpu:	id of the CPU on which it ran
 * @context:	KFLAME_CTX_TASK, KFLAME_CTX_IDLE, KFLAME_CTX_IRQ or KFLAME_CTX_SOFTIRQ
 * @tgid:	process id; 0 for idle and interrupts
 * @tid:	thread id; 0 for idle and interrupts, and without KFLAME_CF_PER_THREAD
 * @comm:	name of the thread; empty for interrupts
 *
 * Interrupts are KFLAME_CTX_IRQ and KFLAME_CTX_SOFTIRQ here.
 *
 * The record comes before each WAKE_COUNTS record that names it, and after the records of its
 * stacks. The ids of all of these have the same upper half. So an id is valid until the upper half
 * changes. From then on the same waker may come again, with another id.
 *
 * The filter of the session does not apply to wakers. An interrupt's kernel stack has the frames of the
 * code that it interrupted, from the kernel's entry for interrupts on outwards. They have no part in
 * the wake-up.
 */
struct kflame_rec_waker {
	struct kflame_rec rec;
	__aligned_u64 id;
	__aligned_u64 aspace;
	__aligned_u64 kstack;
	__aligned_u64 ustack;
	__u32 cpu;
	__u32 context;
	__u32 tgid;
	__u32 tid;
	__u8 comm[KFLAME_COMM_LEN];
};

/**
 * struct kflame_wake_count - how often a waker ended a wait, in a WAKE_COUNTS record
 * @of:		the waits
 * @waker:	id of the waker, never 0
 */
struct kflame_wake_count {
	struct kflame_event_count of;
	__aligned_u64 waker;
};

/**
 * struct kflame_rec_wake_counts - KFLAME_REC_WAKE_COUNTS: waits of one task, and their wakers
 * @rec:	type and size
 * @aspace:	as in struct kflame_rec_event_counts, for all counts
 * @first:	as in struct kflame_rec_event_counts
 * @cpu:	as in struct kflame_rec_event_counts, for all counts
 * @context:	as in struct kflame_rec_event_counts, for all counts
 * @tgid:	as in struct kflame_rec_event_counts, for all counts
 * @tid:	as in struct kflame_rec_event_counts, for all counts
 * @comm:	as in struct kflame_rec_event_counts, for all counts
 * @event:	as in struct kflame_rec_event_counts
 * @nr:		number of counts
 * @count:	the counts
 *
 * With KFLAME_EF_WAKERS. These waits are in no EVENT_COUNTS record. Those without a waker are: the time
 * for which a task waits for a CPU, waits that had not ended at STOP, and waits whose waker found no room
 * or ran on a CPU that is not sampled.
 */
struct kflame_rec_wake_counts {
	struct kflame_rec rec;
	__aligned_u64 aspace;
	__aligned_u64 first;
	__u32 cpu;
	__u32 context;
	__u32 tgid;
	__u32 tid;
	__u8 comm[KFLAME_COMM_LEN];
	__u32 event;
	__u32 nr;
	struct kflame_wake_count count[];
};

/**
 * struct kflame_rec_event_cpu - KFLAME_REC_EVENT_CPU: the accounting of an event on one CPU
 * @rec:	type and size
 * @event:	id of the event, never 0
 * @pad:	zero
 * @books:	the accounting
 *
 * One for each CPU that was ever active, after the module's counts of that CPU. After a further START it may
 * come again: the last record counts.
 */
struct kflame_rec_event_cpu {
	struct kflame_rec rec;
	__u32 event;
	__u32 pad;
	struct kflame_cpu books;
};

/*
 * Buckets of weights. Bucket b below 16 has the weight b alone. Each further power of two is divided into 8
 * buckets: with e = b / 8 - 1, bucket b has the weights from (8 + b % 8) << e on, 1 << e of them. So the
 * bounds of a bucket differ by at most 12.5 %.
 */
#define KFLAME_BUCKET_BITS	3 /* 8 buckets for each power of two */
#define KFLAME_BUCKETS		496 /* for all weights of 64 bits */

/* kflame_rec_event_histogram.group: which samples of an event are in the histogram */
#define KFLAME_GROUP_EVENT	0 /* all others */
#define KFLAME_GROUP_CPU	1 /* KFLAME_CTX_RUNNABLE and KFLAME_CTX_PREEMPTED: waits for a CPU */
#define KFLAME_NR_GROUPS	2

/**
 * struct kflame_bucket - a bucket of weights, in an EVENT_HISTOGRAM record
 * @count:	how many samples, never 0
 * @bucket:	the bucket, less than KFLAME_BUCKETS
 * @pad:	zero
 */
struct kflame_bucket {
	__aligned_u64 count;
	__u32 bucket;
	__u32 pad;
};

/**
 * struct kflame_rec_event_histogram - KFLAME_REC_EVENT_HISTOGRAM: weights of an event's samples on one CPU
 * @rec:	type and size
 * @event:	id of the event, never 0
 * @group:	KFLAME_GROUP_*
 * @cpu:	CPU id; ~0 in a merged profile
 * @nr:		number of buckets, at least 1
 * @weight:	sum of the samples' weights
 * @longest:	largest weight
 * @bucket:	the buckets, each once, in rising order
 *
 * KFLAME_EVENT_OFFCPU has such records, and so have events with another weight than KFLAME_WEIGHT_OWN. A
 * record has the samples that were counted since the first START. It comes after the CPU's EVENT_CPU record.
 * After a further START it may come again: the last record of an event, a group and a CPU counts.
 */
struct kflame_rec_event_histogram {
	struct kflame_rec rec;
	__u32 event;
	__u32 group;
	__u32 cpu;
	__u32 nr;
	__aligned_u64 weight;
	__aligned_u64 longest;
	struct kflame_bucket bucket[];
};

#endif /* _UAPI_KFLAME_EVENT_RECORDS_H */
