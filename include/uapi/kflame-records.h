/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * kflame-records.h - the record stream, which is also the file format
 *
 * Included by kflame.h, whose rules apply here, too.
 */
#ifndef _UAPI_KFLAME_RECORDS_H
#define _UAPI_KFLAME_RECORDS_H

/**
 * struct kflame_file_header - the first bytes of every stream and every file
 * @magic:	KFLAME_FILE_MAGIC
 * @version:	KFLAME_FILE_VERSION
 * @endian:	KFLAME_FILE_ENDIAN, in the writer's byte order
 * @header_size: bytes from here to the first record
 * @pad:	zero
 * @required:	features that a reader must know to read this at all; none so far
 */
struct kflame_file_header {
	__u8 magic[8];
	__u32 version;
	__u32 endian;
	__u32 header_size;
	__u32 pad;
	__aligned_u64 required;
};

#define KFLAME_FILE_MAGIC	"KFLAME\r\n"
#define KFLAME_FILE_VERSION	1
#define KFLAME_FILE_ENDIAN	0x01020304

/*
 * Head of every record. Records are 8-byte aligned; @size includes the head and is a multiple of 8.
 */
struct kflame_rec {
	__u32 type;
	__u32 size;
};

#define KFLAME_REC_MAX	(1U << 20) /* no record is longer; a longer one means damage */

/* Record types the module writes */
#define KFLAME_REC_SESSION	1
#define KFLAME_REC_ASPACE	2
#define KFLAME_REC_MAPPING	3
#define KFLAME_REC_FILE		4
#define KFLAME_REC_STACK	5
#define KFLAME_REC_COUNT	6
#define KFLAME_REC_SAMPLE	7	/* samples in order of time */
#define KFLAME_REC_USTACK	8	/* in rings only: see kflame-unwind.h */
#define KFLAME_REC_CPU		9
#define KFLAME_REC_STATS	10
#define KFLAME_REC_KSYM		11
#define KFLAME_REC_PAD		12	/* in rings only: nothing */
#define KFLAME_REC_LIKES	13	/* stacks, in short */
#define KFLAME_REC_COUNTS	14	/* counts, in short */
#define KFLAME_REC_EVENT	15	/* an event of the session */
#define KFLAME_REC_EVENT_COUNTS	16	/* as COUNTS, of an event other than the timer */
#define KFLAME_REC_EVENT_SAMPLE	17	/* as SAMPLE, of an event other than the timer */
#define KFLAME_REC_EVENT_CPU	18	/* as CPU, of an event other than the timer */
#define KFLAME_REC_WAKER	19	/* who ended waits */
#define KFLAME_REC_WAKE_COUNTS	20	/* as EVENT_COUNTS, of waits whose waker is recorded */
#define KFLAME_REC_EVENT_HISTOGRAM 21	/* how many samples of an event had which weight */
#define KFLAME_REC_LABEL	22	/* what samples are about */
#define KFLAME_REC_EXPLAIN	23	/* in rings only: see kflame-unwind.h */
#define KFLAME_REC_FUNCTION	24	/* a function of interpreted programs: see kflame-interpreters.h */
/* Record types the tool adds */
#define KFLAME_REC_HOST		0x100
#define KFLAME_REC_USYM		0x101
#define KFLAME_REC_LEAF		0x102
#define KFLAME_REC_NAMED	0x103
#define KFLAME_REC_JSYM		0x104
#define KFLAME_REC_TEXT		0x105
#define KFLAME_REC_SOURCE	0x106
#define KFLAME_REC_CGROUP	0x107
#define KFLAME_REC_UNWIND	0x108
#define KFLAME_REC_ORIGIN	0x110
#define KFLAME_REC_END		0x1ff

/**
 * struct kflame_rec_session - KFLAME_REC_SESSION: the session's configuration, once a stream
 * @rec:	type and size
 * @abi:		KFLAME_ABI
 * @kway:		KFLAME_KWAY_* that is used
 * @flags:		kflame_config.flags
 * @asked_period_ns:	the requested period
 * @period_ns:		the period used
 * @resolution_ns:	resolution of the timers when the stream began
 * @start_ns:		time of START
 * @start_realtime_ns:	the same instant on CLOCK_REALTIME
 * @entries:		table entries per CPU
 * @kdepth:		most frames of a kernel stack
 * @udepth:		most frames of a user stack
 * @budget_permille:	kflame_config.budget_permille
 * @nr_cpus:		CPUs online when the stream began
 * @page_size:		bytes
 * @release:		uname -r
 * @machine:		uname -m
 * @version:		version of the module
 * @events:		kinds of events that work on this kernel: a bit for each KFLAME_EVENT_*
 */
struct kflame_rec_session {
	struct kflame_rec rec;
	__u32 abi;
	__u32 kway;
	__aligned_u64 flags;
	__aligned_u64 asked_period_ns;
	__aligned_u64 period_ns;
	__aligned_u64 resolution_ns;
	__aligned_u64 start_ns;
	__aligned_u64 start_realtime_ns;
	__u32 entries;
	__u32 kdepth;
	__u32 udepth;
	__u32 budget_permille;
	__u32 nr_cpus;
	__u32 page_size;
	__u8 release[72];
	__u8 machine[16];
	__u8 version[32];
	__aligned_u64 events;
};

#define KFLAME_REC_SESSION_SIZE_0	208	/* as first published */

/* kflame_rec_aspace.state */
#define KFLAME_ASPACE_MAPPED	0 /* its executable mappings follow, or came before */
#define KFLAME_ASPACE_BUSY	1 /* the mmap lock was not available in time */
#define KFLAME_ASPACE_NOMEM	2 /* no memory for the walk */

/**
 * struct kflame_rec_aspace - KFLAME_REC_ASPACE: one address space of one process
 * @rec:	type and size
 * @id:		its id in this stream, from 1
 * @start_time_ns: when the process began (CLOCK_MONOTONIC)
 * @tgid:	process id in the initial pid namespace
 * @ns_tgid:	process id in its own pid namespace
 * @pidns_inode: inode of that namespace (/proc/PID/ns/pid)
 * @exec_id:	counts the exec calls of the process, to distinguish its programs
 * @cgroup_id:	id in the cgroup v2 hierarchy; 0 if unknown
 * @state:	KFLAME_ASPACE_*
 * @owner:	effective user id of the process, plus 1; 0 if unknown (an older module)
 * @comm:	name of the thread that was sampled first
 *
 * The record may come after COUNT records that name it, and may come again: the last one counts.
 */
struct kflame_rec_aspace {
	struct kflame_rec rec;
	__aligned_u64 id;
	__aligned_u64 start_time_ns;
	__u32 tgid;
	__u32 ns_tgid;
	__u32 pidns_inode;
	__u32 exec_id;
	__aligned_u64 cgroup_id;
	__u32 state;
	__u32 owner;
	__u8 comm[KFLAME_COMM_LEN];
};

#define KFLAME_REC_ASPACE_SIZE_0	72	/* as first published */

/* kflame_rec_mapping.flags */
#define KFLAME_MAP_ANON		(1U << 0) /* no file behind it; file is 0 */
#define KFLAME_MAP_VDSO		(1U << 1) /* the vdso; offset counts from its start */

/**
 * struct kflame_rec_mapping - KFLAME_REC_MAPPING: an executable mapping
 * @rec:	type and size
 * @aspace:	the address space
 * @start:	first address
 * @end:	one past the last
 * @offset:	file offset of @start, bytes
 * @file:	kflame_rec_file.id; 0 for none
 * @flags:	KFLAME_MAP_*
 * @pad:	zero
 *
 * Mappings of one address space never overlap, unless a later record
 * repeats an earlier one.
 */
struct kflame_rec_mapping {
	struct kflame_rec rec;
	__aligned_u64 aspace;
	__aligned_u64 start;
	__aligned_u64 end;
	__aligned_u64 offset;
	__aligned_u64 file;
	__u32 flags;
	__u32 pad;
};

/**
 * struct kflame_rec_file - KFLAME_REC_FILE: a file that was mapped
 * @rec:	type and size
 * @id:		its id in this stream, from 1; reported before any mapping of it
 * @inode:	inode number
 * @bytes:	size of the file
 * @mtime_ns:	last change of its content, CLOCK_REALTIME (nanoseconds)
 * @dev_major:	major number of its device, as stat(2) returns it
 * @dev_minor:	minor number
 * @generation:	inode generation, if the file system has one
 * @build_id_len: bytes of @build_id; 0 if it was not available
 * @build_id:	GNU build-id
 * @path_len:	bytes of @path, without the terminating NUL
 * @path:	from the root of the mount namespace in which it was opened; NUL
 *		terminated; the path of a deleted file ends in " (deleted)"
 */
struct kflame_rec_file {
	struct kflame_rec rec;
	__aligned_u64 id;
	__aligned_u64 inode;
	__aligned_u64 bytes;
	__aligned_u64 mtime_ns;
	__u32 dev_major;
	__u32 dev_minor;
	__u32 generation;
	__u32 build_id_len;
	__u8 build_id[KFLAME_BUILD_ID_MAX];
	__u32 path_len;
	__u8 path[];
};

/* kflame_rec_stack.kind */
#define KFLAME_STACK_KERNEL	1
#define KFLAME_STACK_USER	2

/* kflame_rec_stack.end: why the walk stopped */
#define KFLAME_END_COMPLETE	0  /* the outermost frame was reached */
#define KFLAME_END_FAULT	1  /* a page of the stack was absent */
#define KFLAME_END_BAD_FP	2  /* the frame pointer led nowhere */
#define KFLAME_END_DEPTH	3  /* more frames than requested */
#define KFLAME_END_COMPAT	4  /* 32-bit task: only the program counter */
#define KFLAME_END_EXEC		5  /* in the middle of exec */
#define KFLAME_END_IO_WORKER	6  /* a worker whose user-mode registers mean nothing */
#define KFLAME_END_NO_MM	7  /* exiting: the address space is gone */
#define KFLAME_END_FOREIGN_MM	8  /* other page tables were loaded */
#define KFLAME_END_NO_REGS	9  /* no user-mode registers */
#define KFLAME_END_UNWIND	10 /* kernel: the unwinder gave up */
#define KFLAME_END_NOT_FOUND	11 /* kernel: interrupted PC not in the trace */
#define KFLAME_END_PENDING	12 /* the unwind table of the outermost or an inner frame was not loaded */
#define KFLAME_END_NO_RULE	13 /* the file's table has no rule for it: assembler without CFI */
#define KFLAME_END_NO_MAP	14 /* the return address is in no executable mapping */
#define KFLAME_END_BAD_CFA	15 /* the table's rule led nowhere, or not outwards */
#define KFLAME_END_CUT		16 /* the copy of the stack was not long enough */
#define KFLAME_END_UNWINDER	17 /* the copy could not be unwound: the tool says why */

/* Bits beside KFLAME_END_*, in kflame_rec_stack.end: how its frames were found */
#define KFLAME_END_MASK		0x000000ffU
#define KFLAME_BY_TABLE		0x00000100U /* some by an unwind table */
#define KFLAME_BY_FP		0x00000200U /* some by frame pointer, in a walk that had tables */
#define KFLAME_BY_COPY		0x00000400U /* by the tool, from a copy of the stack */

#define KFLAME_NO_CANDIDATE	0xffffffffU
#define KFLAME_STACK_OF_TOOL	(1ULL << 63)

/*
 * The innermost frame of a kernel stack may be a label: KFLAME_LABEL plus the label's id. It says what the
 * sample is about. No code has such an address. The frame after it is the program counter plus one, as if it
 * were a return address. So a reader that knows no labels shows an unknown address, and all other frames
 * right. A stack that has no other frame is the one of a sample without a kernel stack.
 */
#define KFLAME_LABEL		0x4b464c0000000000ULL
#define KFLAME_LABEL_MASK	0xffffffff00000000ULL

/**
 * struct kflame_rec_stack - KFLAME_REC_STACK: a distinct stack
 * @rec:	type and size
 * @id:		its id in this stream, never 0; the record comes before any that names it.
 *		The same stack may come again with another id. The highest bit is clear in
 *		ids of the module, and set in ids of stacks that the tool adds
 *		(KFLAME_STACK_OF_TOOL)
 * @kind:	KFLAME_STACK_*
 * @end:	KFLAME_END_*, and KFLAME_BY_*
 * @candidate:	index of a frame that is only a candidate; KFLAME_NO_CANDIDATE for none. A
 *		candidate is the word at the top of the stack (x86) or the link register
 *		(arm64), kept because it looks like a return address. It is a frame if the
 *		unwind information of the frame before it says that the return address is
 *		there
 * @nr:		number of frames
 * @ip:		innermost first. ip[0] is the program counter, the others are
 *		return addresses. For all but ip[0], the address less one is within the
 *		instruction. So ip is one more than an address that a signal interrupted or to
 *		which its handler returns. With KFLAME_KWAY_UNWIND the same is true for an address
 *		that an interrupt or a fault in the kernel interrupted
 */
struct kflame_rec_stack {
	struct kflame_rec rec;
	__aligned_u64 id;
	__u32 kind;
	__u32 end;
	__u32 candidate;
	__u32 nr;
	__aligned_u64 ip[];
};

/**
 * struct kflame_like - a distinct stack that differs from another one only in its program counter
 * @ip:		its program counter
 * @number:	lower half of its id
 * @like:	lower half of the id of the other stack, which has a STACK record and frames
 */
struct kflame_like {
	__aligned_u64 ip;
	__u32 number;
	__u32 like;
};

/**
 * struct kflame_rec_likes - KFLAME_REC_LIKES: distinct stacks, each instead of a STACK record
 * @rec:	type and size
 * @stacks:	upper half of all their ids; the lower half is zero
 * @nr:		number of stacks
 * @pad:	zero
 * @like:	the stacks; the other stacks that they refer to came before this record
 *
 * With KFLAME_CF_SHORT.
 */
struct kflame_rec_likes {
	struct kflame_rec rec;
	__aligned_u64 stacks;
	__u32 nr;
	__u32 pad;
	struct kflame_like like[];
};

/*
 * kflame_rec_count.context
 *
 * KFLAME_CTX_GUEST is used only with KFLAME_CF_GUEST. Without that flag such a sample has
 * KFLAME_CTX_TASK.
 */
#define KFLAME_CTX_TASK		0 /* a task, in user mode or in the kernel */
#define KFLAME_CTX_SOFTIRQ	1 /* a softirq, on top of that task */
#define KFLAME_CTX_IDLE		2 /* the idle task */
#define KFLAME_CTX_GAP		3 /* the CPU was away for over 100 ms: no stack */
#define KFLAME_CTX_GUEST	4 /* a task that runs a virtual CPU in guest mode (PF_VCPU) */
/*
 * Contexts of a waiting task. KFLAME_CF_EXCLUDE_USER and KFLAME_CF_EXCLUDE_KERNEL do not matter. Stacks are
 * never copied, whatever kflame_config.dump is. Kernel threads that are merely idle wait interruptibly, too.
 *
 * KFLAME_EVENT_OFFCPU: a wait has one or two samples. The first one has what the task waited for, and ends
 * when the task was woken. The second one, KFLAME_CTX_RUNNABLE, ends when the task went on. A task that did
 * not block has one sample, KFLAME_CTX_PREEMPTED. The CPU of these samples is the one on which the task went
 * on; with KFLAME_CTX_STILL it is any. Not seen, so neither counted nor lost, are:
 *
 *   - waits that began before START, or after STOP has begun to count those that had not ended
 *   - the wait of a new task for its first CPU
 *   - waits of tasks that the session does not sample, and of idle tasks
 *   - waits that begin or end on a CPU that the session does not sample, or that is going offline
 *
 * KFLAME_EVENT_SLEEPERS: the context is what the task waits for at the look, KFLAME_CTX_INTERRUPTIBLE to
 * KFLAME_CTX_STOPPED. Tasks that wait for a CPU are not seen. The CPU is the one of the thread that looks.
 * The user stack and the address space are 0. So is the kernel stack where the kernel has no way to walk it.
 */
#define KFLAME_CTX_INTERRUPTIBLE 5 /* an event; a signal would have ended the wait */
#define KFLAME_CTX_UNINTERRUPTIBLE 6 /* an event, whatever signals come (D) */
#define KFLAME_CTX_IOWAIT	7 /* the same, for I/O */
#define KFLAME_CTX_STOPPED	8 /* to be continued: SIGSTOP, ptrace(2), frozen, parked */
#define KFLAME_CTX_RUNNABLE	9 /* it was woken: for a CPU */
#define KFLAME_CTX_PREEMPTED	10 /* it lost its CPU, or yielded it: for a CPU */
#define KFLAME_CTX_STILL	(1U << 8) /* added to the context of a wait that had not ended at STOP */
#define KFLAME_CTX_IRQ		11 /* only of a waker: an interrupt, on top of any task */

/**
 * struct kflame_rec_count - KFLAME_REC_COUNT: how often a sample was seen
 * @rec:	type and size
 * @aspace:	address space; 0 for kernel threads, and if it was refused
 * @kstack:	kernel stack; 0 for none
 * @ustack:	user stack; 0 for none
 * @samples:	how often
 * @weight_ns:	the time that these samples stand for
 * @late_ns:	the part of it that came late: interrupts were off, or a
 *		hypervisor had taken the CPU
 * @cpu:	CPU id
 * @context:	KFLAME_CTX_*
 * @tgid:	process id; 0 for idle and gaps
 * @tid:	thread id; 0 without KFLAME_CF_PER_THREAD
 * @comm:	name of the thread
 * @id:		with KFLAME_CF_TIMELINE: one id, by which SAMPLE records name this record; never 0,
 *		and unique in the stream. Otherwise the record ends before it
 *
 * A key may come again: add up its counts.
 */
struct kflame_rec_count {
	struct kflame_rec rec;
	__aligned_u64 aspace;
	__aligned_u64 kstack;
	__aligned_u64 ustack;
	__aligned_u64 samples;
	__aligned_u64 weight_ns;
	__aligned_u64 late_ns;
	__u32 cpu;
	__u32 context;
	__u32 tgid;
	__u32 tid;
	__u8 comm[KFLAME_COMM_LEN];
	__aligned_u64 id[];
};

/**
 * struct kflame_counted - how often a sample was seen, in a COUNTS record
 * @weight_ns:	as in struct kflame_rec_count
 * @kstack:	lower half of the kernel stack's id; 0 for none
 * @ustack:	lower half of the user stack's id; 0 for none
 * @samples:	as in struct kflame_rec_count
 * @late_ns:	as in struct kflame_rec_count
 */
struct kflame_counted {
	__aligned_u64 weight_ns;
	__u32 kstack;
	__u32 ustack;
	__u32 samples;
	__u32 late_ns;
};

/**
 * struct kflame_rec_counts - KFLAME_REC_COUNTS: counts of one task, each instead of a COUNT record
 * @rec:	type and size
 * @aspace:	as in struct kflame_rec_count, for all counts
 * @stacks:	upper half of the ids of their stacks; the lower half is zero
 * @cpu:	as in struct kflame_rec_count, for all counts
 * @context:	as in struct kflame_rec_count, for all counts
 * @tgid:	as in struct kflame_rec_count, for all counts
 * @tid:	as in struct kflame_rec_count, for all counts
 * @comm:	as in struct kflame_rec_count, for all counts
 * @nr:		number of counts
 * @first:	with KFLAME_CF_TIMELINE: lower half of the first count's id, whose upper half is
 *		in @stacks, too; the ids of the others follow in steps of one. Else 0
 * @count:	the counts
 *
 * With KFLAME_CF_SHORT.
 */
struct kflame_rec_counts {
	struct kflame_rec rec;
	__aligned_u64 aspace;
	__aligned_u64 stacks;
	__u32 cpu;
	__u32 context;
	__u32 tgid;
	__u32 tid;
	__u8 comm[KFLAME_COMM_LEN];
	__u32 nr;
	__u32 first;
	struct kflame_counted count[];
};

/**
 * struct kflame_sample - the time of one sample
 * @time_ns:	when it was due. It stands for the time from then on, @weight_ns long, up to
 *		when the next sample of this CPU was due. Samples adjoin each other, unless samples
 *		in between were lost or not wanted
 * @weight_ns:	as in the accounting of its CPU
 * @late_ns:	the part of it that came late
 * @count:	lower half of the id of the COUNT record in which it was counted
 * @pad:	zero
 *
 * In EVENT_SAMPLE records @time_ns is when the event happened, @weight_ns is in the event's unit, and
 * @late_ns is zero. Of KFLAME_EVENT_OFFCPU @time_ns is when this part of a wait ended: the part began
 * @weight_ns earlier. Of KFLAME_EVENT_SLEEPERS it is when the look began, the same for all tasks of a
 * look; the look before began @weight_ns earlier.
 */
struct kflame_sample {
	__aligned_u64 time_ns;
	__aligned_u64 weight_ns;
	__aligned_u64 late_ns;
	__u32 count;
	__u32 pad;
};

/**
 * struct kflame_rec_sample - KFLAME_REC_SAMPLE: samples of one CPU in order of time
 * @rec:	type and size
 * @counts:	upper half of the ids of the COUNT records in which the samples were counted; the
 *		lower half is zero. Those COUNT records come before this one. In the tool's own
 *		SAMPLE records the highest bit is set
 * @cpu:	CPU id
 * @nr:		number of samples, at least 1
 * @sample:	their times rise, also from one record of that CPU to the next. Not with
 *		KFLAME_EVENT_OFFCPU and KFLAME_EVENT_SLEEPERS: samples are in the order in which they
 *		were counted, and a part of a wait or a look may lie before other events
 *
 * With KFLAME_CF_TIMELINE. The samples are also counted in COUNT records, so a reader that does not
 * know this record misses only the times. All COUNT records whose ids have the same upper half come
 * together, and their samples follow right after them.
 *
 * The tool writes such records for samples whose stacks it unwound from copies. They may come
 * between any records of the module. Their times rise within a record, and lie between the times of
 * the module's records.
 */
struct kflame_rec_sample {
	struct kflame_rec rec;
	__aligned_u64 counts;
	__u32 cpu;
	__u32 nr;
	struct kflame_sample sample[];
};

/**
 * struct kflame_rec_cpu - KFLAME_REC_CPU: the accounting of one CPU
 * @rec:	type and size
 * @books:	the accounting
 *
 * One for each CPU that was ever active, after all its COUNT records from the module.
 * COUNT records from the tool (from copies of stacks) may come later.
 * The record may come again after a further START: the last one counts.
 */
struct kflame_rec_cpu {
	struct kflame_rec rec;
	struct kflame_cpu books;
};

/**
 * struct kflame_rec_stats - KFLAME_REC_STATS: counters of the session, at its end
 * @rec:	type and size
 * @stop_ns:	time of STOP, or of the snapshot
 * @count:	KFLAME_STAT_*
 */
struct kflame_rec_stats {
	struct kflame_rec rec;
	__aligned_u64 stop_ns;
	__aligned_u64 count[KFLAME_NR_STATS];
};

#define KFLAME_REC_STATS_SIZE_0	272	/* as first published */

#endif /* _UAPI_KFLAME_RECORDS_H */
