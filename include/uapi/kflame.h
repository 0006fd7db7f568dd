/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * kflame.h - the device ABI of /dev/kflame and its record format
 *
 * Together with the headers that it includes, it has all that the module and the tool share:
 *   kflame-events.h		the events that a session takes samples at
 *   kflame-records.h		the record stream: processes, files, stacks, samples, accounting
 *   kflame-event-records.h	the same of events other than the timer
 *   kflame-tool-records.h	names, and other records that the tool adds
 *   kflame-unwind.h		unwind tables, and rings of stack copies
 *   kflame-recorder.h		the flight recorder
 *   kflame-interpreters.h	functions of interpreted programs
 *
 * Rules, so that no program that was compiled against this file ever breaks:
 *   - an ioctl structure begins with its own size. The kernel accepts any size
 *     from the first published one up. A shorter structure reads as zero filled. A
 *     longer one is accepted if the bytes that the kernel does not know are zero. EINVAL:
 *     shorter than the first published size; E2BIG: not zero, or larger than a page.
 *   - there are only types of fixed size, and those of 64 bits are aligned to 8, so that 32-bit
 *     callers need no translation. Padding is named, and must be zero.
 *   - a flag that the kernel does not know is EINVAL.
 *   - values are never reused. New record types, and new fields at the end of a record, may
 *     be added: a reader skips what it does not know, by the record's size. A field that an older
 *     module did not write reads as zero.
 *   - KFLAME_*_SIZE_0 is the first published size of a structure that may grow. It never changes.
 *
 * All integers are in the byte order of the machine that was recorded.
 * All times are CLOCK_MONOTONIC nanoseconds unless a field says otherwise.
 */
#ifndef _UAPI_KFLAME_H
#define _UAPI_KFLAME_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define KFLAME_ABI		1
#define KFLAME_DEVICE		"/dev/kflame"
#define KFLAME_COMM_LEN		16	/* as TASK_COMM_LEN, NUL included */
#define KFLAME_BUILD_ID_MAX	20

/* ------------------------------------------------------------------ ioctls */

#define KFLAME_IOC_MAGIC	0xF7
#define KFLAME_IOC_INFO		_IO(KFLAME_IOC_MAGIC, 0x00)
#define KFLAME_IOC_CONFIGURE	_IO(KFLAME_IOC_MAGIC, 0x01)
#define KFLAME_IOC_START	_IO(KFLAME_IOC_MAGIC, 0x02)
#define KFLAME_IOC_STOP		_IO(KFLAME_IOC_MAGIC, 0x03)
#define KFLAME_IOC_STATS	_IO(KFLAME_IOC_MAGIC, 0x04)
#define KFLAME_IOC_KSYM		_IO(KFLAME_IOC_MAGIC, 0x05)
#define KFLAME_IOC_FILE		_IO(KFLAME_IOC_MAGIC, 0x06)
#define KFLAME_IOC_TABLE	_IO(KFLAME_IOC_MAGIC, 0x07)	/* see kflame-unwind.h */
#define KFLAME_IOC_NUMBER	_IO(KFLAME_IOC_MAGIC, 0x08)
#define KFLAME_IOC_CGROUP	_IO(KFLAME_IOC_MAGIC, 0x09)
#define KFLAME_IOC_RECORDER	_IO(KFLAME_IOC_MAGIC, 0x0a)	/* see kflame-recorder.h */
#define KFLAME_IOC_INTERPRETER	_IO(KFLAME_IOC_MAGIC, 0x0b)	/* see kflame-interpreters.h */

/* What this kernel lets the module do: kflame_info.features */
#define KFLAME_FEAT_KSTACK_SAVE		(1ULL << 0) /* stack_trace_save() */
#define KFLAME_FEAT_KSTACK_UNWIND	(1ULL << 1) /* unwinder from registers */
#define KFLAME_FEAT_USTACK_FP		(1ULL << 2) /* user stacks by frame pointer */
#define KFLAME_FEAT_LEAF_CANDIDATE	(1ULL << 3) /* candidate callers of leaves */
#define KFLAME_FEAT_HIGHRES		(1ULL << 4) /* timers are high resolution now */
#define KFLAME_FEAT_AUTOSTART		(1ULL << 5) /* a built-in session runs */
#define KFLAME_FEAT_HOLD_FILES		(1ULL << 6) /* KFLAME_IOC_FILE */
#define KFLAME_FEAT_CGROUPS		(1ULL << 7) /* kflame_config.cgroups */
#define KFLAME_FEAT_TABLES		(1ULL << 8) /* kflame_config.uway, KFLAME_IOC_TABLE */
#define KFLAME_FEAT_DUMP		(1ULL << 9) /* kflame_config.dump, rings */
#define KFLAME_FEAT_TIMELINE		(1ULL << 10) /* KFLAME_CF_TIMELINE */
#define KFLAME_FEAT_SHORT		(1ULL << 11) /* KFLAME_CF_SHORT */
#define KFLAME_FEAT_LATE		(1ULL << 12) /* KFLAME_DUMP_REST with KFLAME_UWAY_AUTO */
#define KFLAME_FEAT_CGROUP_AGAIN	(1ULL << 13) /* KFLAME_IOC_CGROUP */
#define KFLAME_FEAT_GUEST		(1ULL << 14) /* KFLAME_CF_GUEST */
#define KFLAME_FEAT_TIMED_COPIES	(1ULL << 15) /* KFLAME_CF_TIMELINE with any @dump */
#define KFLAME_FEAT_ELSEWHERE		(1ULL << 16) /* KFLAME_CFA_FP_ELSEWHERE */
#define KFLAME_FEAT_EVENTS		(1ULL << 17) /* kflame_config.events */
#define KFLAME_FEAT_WAKERS		(1ULL << 18) /* KFLAME_EF_WAKERS */
#define KFLAME_FEAT_OPERANDS		(1ULL << 19) /* kflame_event.operand and .conditions */
#define KFLAME_FEAT_MANY		(1ULL << 20) /* kflame_event.functions */
#define KFLAME_FEAT_LABELS		(1ULL << 21) /* KFLAME_EF_LABELS */
#define KFLAME_FEAT_OUTSTANDING		(1ULL << 22) /* KFLAME_EF_OUTSTANDING, more labels */
#define KFLAME_FEAT_CALL_LABELS		(1ULL << 23) /* KFLAME_EF_LABELS of system calls */
#define KFLAME_FEAT_MANY_RETURNS	(1ULL << 24) /* kflame_event.functions of KFLAME_EVENT_KRETPROBE */
#define KFLAME_FEAT_EXPLAIN		(1ULL << 25) /* KFLAME_CF_EXPLAIN */
#define KFLAME_FEAT_RECORDER		(1ULL << 26) /* KFLAME_IOC_RECORDER */
#define KFLAME_FEAT_INTERPRETERS	(1ULL << 27) /* KFLAME_IOC_INTERPRETER */
#define KFLAME_FEAT_CPYTHON		(1ULL << 28) /* KFLAME_INTERPRETER_CPYTHON */
#define KFLAME_FEAT_TRIGGERS		(1ULL << 29) /* kflame_recorder.runq_ns and later */
#define KFLAME_FEAT_PERL		(1ULL << 30) /* KFLAME_INTERPRETER_PERL_5 */

/**
 * struct kflame_info - KFLAME_IOC_INFO: what the module supports (all fields are answers)
 * @size:		in: sizeof(struct kflame_info); out: the kernel's own
 * @abi:		KFLAME_ABI of the module
 * @features:		KFLAME_FEAT_*
 * @resolution_ns:	shortest period that timers can keep now
 * @min_period_ns:	shortest period that CONFIGURE accepts
 * @max_period_ns:	longest period that CONFIGURE accepts
 * @memory_cap:		bytes that all sessions together may take
 * @memory_used:	bytes that all sessions take now
 * @max_kdepth:		most frames of a kernel stack
 * @max_udepth:		most frames of a user stack
 * @cpu_limit:		one more than the highest possible CPU id
 * @nr_running:		sessions that are sampling now
 * @version:		version of the module, NUL terminated
 * @events:		kinds of events that work here: a bit for each KFLAME_EVENT_*
 */
struct kflame_info {
	__u32 size;
	__u32 abi;
	__aligned_u64 features;
	__aligned_u64 resolution_ns;
	__aligned_u64 min_period_ns;
	__aligned_u64 max_period_ns;
	__aligned_u64 memory_cap;
	__aligned_u64 memory_used;
	__u32 max_kdepth;
	__u32 max_udepth;
	__u32 cpu_limit;
	__u32 nr_running;
	__u8 version[32];
	__aligned_u64 events;
};

#define KFLAME_INFO_SIZE_0	104	/* as first published */

/* kflame_config.flags */
#define KFLAME_CF_EXCLUDE_USER		(1ULL << 0) /* no samples in user mode */
#define KFLAME_CF_EXCLUDE_KERNEL	(1ULL << 1) /* no samples in kernel mode */
#define KFLAME_CF_EXCLUDE_IDLE		(1ULL << 2) /* no samples of idle tasks */
#define KFLAME_CF_NO_KSTACK		(1ULL << 3) /* walk no kernel stacks */
#define KFLAME_CF_NO_USTACK		(1ULL << 4) /* walk no user stacks */
#define KFLAME_CF_IDLE_STACK		(1ULL << 5) /* walk the idle tasks' stacks */
#define KFLAME_CF_PER_THREAD		(1ULL << 6) /* count each thread separately */
#define KFLAME_CF_NO_CHILDREN		(1ULL << 7) /* pids: without their descendants */
#define KFLAME_CF_CHILDREN_ONLY		(1ULL << 8) /* pids: only their descendants */
#define KFLAME_CF_HOLD_FILES		(1ULL << 9) /* hold files for KFLAME_IOC_FILE */
#define KFLAME_CF_TIMELINE		(1ULL << 10) /* also write samples in order of time */
#define KFLAME_CF_SHORT			(1ULL << 11) /* the reader knows LIKES and COUNTS records */
#define KFLAME_CF_GUEST			(1ULL << 12) /* the reader knows KFLAME_CTX_GUEST */
#define KFLAME_CF_EXPLAIN		(1ULL << 13) /* say how each copied sample was walked and counted */
#define KFLAME_CF_ALL			((1ULL << 14) - 1)

/* kflame_config.kway and kflame_rec_session.kway: how kernel stacks are walked */
#define KFLAME_KWAY_AUTO	0 /* the cheapest way on this kernel */
#define KFLAME_KWAY_SAVE	1 /* stack_trace_save(), cut at the interrupted PC */
#define KFLAME_KWAY_UNWIND	2 /* the unwinder, started at the registers */

#include "kflame-events.h"

/**
 * struct kflame_config - KFLAME_IOC_CONFIGURE: fixes what a session samples
 * @size:		sizeof(struct kflame_config)
 * @kway:		KFLAME_KWAY_*
 * @flags:		KFLAME_CF_*
 * @period_ns:		in: requested period; out: period that will be used (longer
 *			if the timers are of low resolution)
 * @entries:		table entries per CPU, 16 to 1,048,576, 0 for the default; out: used
 * @kdepth:		most frames of a kernel stack, 0 for the default; out: used
 * @udepth:		most frames of a user stack, 0 for the default; out: used
 * @budget_permille:	most of a CPU's time that the timer's handler may take, in 1/1000. To stay
 *			within it the period is stretched. 0: no limit. Other events have no limit
 * @nr_pids:		filter: number of process ids at @pids, 0 for all
 * @nr_tids:		filter: number of thread ids at @tids, 0 for all
 * @nr_cpus:		filter: number of CPU ids at @cpus, 0 for all
 * @reserved:		zero
 * @pids:		user address of an array of __u32, ids as the caller sees them
 * @tids:		user address of an array of __u32, ids as the caller sees them
 * @cpus:		user address of an array of __u32
 * @memory:		out: bytes that START will take. Six kinds of events take more from each START to
 *			STOP, or START fails with ENOMEM. KFLAME_EVENT_OFFCPU: up to an eighth of the cap,
 *			but room for 1,024 threads at least. KFLAME_EVENT_SLEEPERS: up to 256 KiB.
 *			KFLAME_EVENT_KRETPROBE: up to 256 bytes for each call at once.
 *			KFLAME_EVENT_KPROBE: up to 256 bytes for each function. KFLAME_EVENT_SYSCALL: up
 *			to 768 KiB unless it only counts. KFLAME_EVENT_PAIR: up to an eighth of the cap
 * @nr_cgroups:		filter: number of control groups at @cgroups, 0 for all
 * @pad:		zero
 * @cgroups:		user address of an array of __u32: descriptors of directories of
 *			the cgroup v2 hierarchy, needed only during this call
 * @uway:		KFLAME_UWAY_*
 * @dump:		KFLAME_DUMP_*
 * @dump_bytes:		most bytes of a stack that are copied, a multiple of 8 up to
 *			KFLAME_DUMP_MAX; 0 for the default (16 KiB)
 * @ring_bytes:		size of each CPU's ring, KFLAME_RING_MIN to KFLAME_RING_MAX, a power of
 *			two; 0 for the default; out: used. Without @dump both are zero
 * @table_bytes:	most bytes of unwind tables, 0 for the default; out: used. Zero if
 *			@uway uses no tables. Uploads take them, not START
 * @nr_events:		number of events at @events, at most KFLAME_MAX_EVENTS; 0: the timer alone
 * @pad2:		zero
 * @events:		user address of an array of struct kflame_event
 *
 * KFLAME_DUMP_REST is not possible with KFLAME_UWAY_FP, nor KFLAME_CF_NO_CHILDREN with
 * KFLAME_CF_CHILDREN_ONLY, nor KFLAME_CF_EXPLAIN without KFLAME_DUMP_BOTH: EINVAL.
 *
 * A task is sampled if it matches both filters. It must be in @pids or in @tids (if both are
 * empty, every task matches). And it must be in one of @cgroups or below (if that is empty, every
 * task matches).
 *
 * Errors: EBUSY: the session was configured already, or the built-in one was read. ENOMEM: @memory
 * would exceed the cap (the answer's @memory is the size in question). ESRCH: a process or thread
 * does not exist. EINVAL: an unknown flag, or a value out of range. ENODEV: a CPU that cannot
 * exist. EOPNOTSUPP: this kernel does not support @kway, @uway, @dump, @cgroups or one of @events.
 * EBADF: a descriptor that is no directory of the cgroup v2 hierarchy, or no regular file that is open for
 * reading. ENOENT: a descriptor of a control group that was removed. EPERM: KFLAME_CF_HOLD_FILES,
 * KFLAME_EF_FREEZE, KFLAME_EVENT_UPROBE and _URETPROBE need CAP_SYS_ADMIN.
 *
 * If an event's name, file, offset, operand or condition is refused, the structure is written back: @reserved
 * holds 1 plus the event's index. ENOENT: there is no such function or tracepoint. EINVAL: the name, the
 * operand or the condition is malformed, or the kernel or kflame does not let this function be probed.
 * EILSEQ: no instruction begins at the offset, or the kernel cannot probe it. ERANGE: the offset is outside
 * of the file. ENODATA: the module does not know that field of the event. ENAMETOOLONG: the name is
 * too long. E2BIG: more functions than KFLAME_MAX_FUNCTIONS, or too long names of functions. EINTR: a signal
 * came while the module looked up functions. Other errors are the kernel's.
 *
 * On ENOMEM and ESRCH the structure is written back: @reserved holds the id
 * that was not found. EFAULT: an input could not be read, or the answer could not be
 * written. In the latter case, here and with START and STOP, the request was carried out.
 */
struct kflame_config {
	__u32 size;
	__u32 kway;
	__aligned_u64 flags;
	__aligned_u64 period_ns;
	__u32 entries;
	__u32 kdepth;
	__u32 udepth;
	__u32 budget_permille;
	__u32 nr_pids;
	__u32 nr_tids;
	__u32 nr_cpus;
	__u32 reserved;
	__aligned_u64 pids;
	__aligned_u64 tids;
	__aligned_u64 cpus;
	__aligned_u64 memory;
	__u32 nr_cgroups;
	__u32 pad;
	__aligned_u64 cgroups;
	__u32 uway;
	__u32 dump;
	__u32 dump_bytes;
	__u32 ring_bytes;
	__aligned_u64 table_bytes;
	__u32 nr_events;
	__u32 pad2;
	__aligned_u64 events;
};

#define KFLAME_CONFIG_SIZE_0	88	/* as first published: up to @memory */
#define KFLAME_MAX_FILTER	1024	/* most ids in one filter */
#define KFLAME_MAX_CGROUPS	64	/* each sample is compared with all of them */

/*
 * Why a sample that was taken is not in any table: index of kflame_cpu.lost
 * and lost_ns. The user asked for the first two.
 */
#define KFLAME_LOST_FILTER	0 /* another task, or another mode, than requested */
#define KFLAME_LOST_IDLE	1 /* idle, and idle is excluded */
#define KFLAME_LOST_TABLE	2 /* table-full: no entry left */
#define KFLAME_LOST_STACKS	3 /* table-full: no room for the stack's frames */
#define KFLAME_LOST_NOREGS	4 /* the interrupt left no registers */
#define KFLAME_LOST_NESTED	5 /* came while another sample was stored */
#define KFLAME_LOST_ARCHIVE	6 /* built-in session: the archive is full */
#define KFLAME_LOST_RING	7 /* ring-full: no room for a copy of the stack */
#define KFLAME_LOST_LENGTH	8 /* not within kflame_event.min and .max, or a condition is not true */
#define KFLAME_LOST_WAITS	9 /* no room for one more waiting task, call or pair; weighs nothing */
#define KFLAME_NR_LOST		16

/**
 * struct kflame_cpu - the accounting of one event on one CPU (or, from STATS, on all CPUs together)
 * @cpu:		CPU id; ~0 for the sum over all
 * @flags:		zero
 * @samples:		events handled, of the timer its expiries: @counted + sum of @lost
 * @counted:		samples that are in a table, or were copied to a ring instead
 * @missed:		further expiries, for which samples came late
 * @weight_ns:		sum of all samples' weights, including lost samples
 * @counted_ns:		the part of @weight_ns of samples that were counted
 * @active_ns:		time between start and stop, without hotplug gaps
 * @head_ns:		from the start to the first expiry
 * @tail_ns:		from the last advance of the expiry to the stop; negative
 *			if the expiry was in the future, as it mostly is.
 *			Always, for the timer: @head_ns + @weight_ns + @tail_ns == @active_ns
 * @period_ns:		the period now, stretched or not
 * @stretches:		how often the budget made the period longer
 * @handler_ns:		time spent in the handler
 * @handler_max_ns:	longest time spent in the handler for one sample
 * @lost:		samples by KFLAME_LOST_*
 * @lost_ns:		weights of these samples
 *
 * For an event other than the timer, weights are in the event's unit, and @missed, @head_ns,
 * @tail_ns, @period_ns and @stretches are zero. Page faults that samples cause, of any session, are
 * among lost[KFLAME_LOST_NESTED].
 */
struct kflame_cpu {
	__u32 cpu;
	__u32 flags;
	__aligned_u64 samples;
	__aligned_u64 counted;
	__aligned_u64 missed;
	__aligned_u64 weight_ns;
	__aligned_u64 counted_ns;
	__aligned_u64 active_ns;
	__s64 head_ns __attribute__((aligned(8)));
	__s64 tail_ns __attribute__((aligned(8)));
	__aligned_u64 period_ns;
	__aligned_u64 stretches;
	__aligned_u64 handler_ns;
	__aligned_u64 handler_max_ns;
	__aligned_u64 lost[KFLAME_NR_LOST];
	__aligned_u64 lost_ns[KFLAME_NR_LOST];
};

/*
 * Counters of a whole session: index of kflame_stats.count
 *
 * With KFLAME_CF_TIMELINE each counted sample is in KFLAME_STAT_ORDERED or KFLAME_STAT_ORDER_FULL,
 * or was copied to a ring instead of a table.
 *
 * KFLAME_STAT_KSTACKS_LEFT counts kernel stacks on an interrupt's stack, with generated code or
 * registers, or with a return address that a tracer replaced.
 *
 * KFLAME_STAT_STEPS_AGAIN includes the interrupted frame in walks by frame pointers.
 */
#define KFLAME_STAT_EXCHANGES	0  /* tables taken by the reader */
#define KFLAME_STAT_WAKEUPS	1  /* wake-ups of the reader before a table was full */
#define KFLAME_STAT_ASPACES	2  /* address spaces met */
#define KFLAME_STAT_MAPPED	3  /* walks of mappings; some address spaces need several */
#define KFLAME_STAT_REWALKS	4  /* walks repeated because mappings changed (dlopen) */
#define KFLAME_STAT_MM_GONE	5  /* samples whose mm was already dying */
#define KFLAME_STAT_MM_CAP	6  /* samples refused: too many mms held */
#define KFLAME_STAT_MM_OOM	7  /* samples refused: victim of the OOM killer */
#define KFLAME_STAT_MM_BUSY	8  /* walks given up: mmap lock not available */
#define KFLAME_STAT_MM_NOMEM	9  /* walks given up: no memory */
#define KFLAME_STAT_ASPACE_FULL	10 /* samples refused: no free address-space slot */
#define KFLAME_STAT_MAPPINGS	11 /* mappings reported */
#define KFLAME_STAT_FILES	12 /* files reported */
#define KFLAME_STAT_WALKED_DEAD	13 /* walked after the process was gone */
#define KFLAME_STAT_MAP_DROPPED	14 /* records dropped: the reader was too far behind */
#define KFLAME_STAT_FILES_TAKEN	15 /* held files that the reader took */
#define KFLAME_STAT_FILES_EXPIRED 16 /* held files that the reader did not take in time */
#define KFLAME_STAT_TABLES	17 /* files with an unwind table from the reader */
#define KFLAME_STAT_TABLE_BYTES	18 /* bytes that unwind tables take */
#define KFLAME_STAT_STEPS_TABLE	19 /* user frames left by a table's rule */
#define KFLAME_STAT_STEPS_FP	20 /* user frames left by frame pointer, if tables may be used */
#define KFLAME_STAT_STEPS_KNOWN	21 /* of both: frames whose step was cached by an earlier sample */
#define KFLAME_STAT_PENDING	22 /* frames of files whose unwind table was not loaded yet */
#define KFLAME_STAT_COPIES	23 /* samples whose stack was copied */
#define KFLAME_STAT_COPY_BYTES	24 /* bytes of these stacks */
#define KFLAME_STAT_COPIES_DROPPED 25 /* copies that found no room; their samples are counted */
#define KFLAME_STAT_MAPS_LOST	26 /* address spaces walked again: others overwrote their mappings */
#define KFLAME_STAT_ORDERED	27 /* counted samples that are also in SAMPLE or EVENT_SAMPLE records */
#define KFLAME_STAT_ORDER_FULL	28 /* counted samples that are not: no room for their time */
#define KFLAME_STAT_KSTACKS_LEARNT 29 /* kernel stacks walked by cached steps */
#define KFLAME_STAT_KSTACKS_LEFT 30 /* kernel stacks that fell back to the kernel's unwinder */
#define KFLAME_STAT_STEPS_AGAIN	31 /* user frames unchanged since this CPU walked them, so not walked again */
#define KFLAME_NR_STATS		32

/**
 * struct kflame_stats - KFLAME_IOC_STATS: every counter, at any time
 * @size:	sizeof(struct kflame_stats)
 * @cpu:	in: a CPU id, or ~0 for the sum over all
 * @books:	out: the accounting, see struct kflame_cpu; up to now if the session is running
 * @count:	out: KFLAME_STAT_*
 * @event:	in: id of the event whose accounting is wanted; 0: the timer
 * @pad:	zero
 *
 * ENODEV: no such CPU is possible. ENOENT: the session has no event with that id, other than 0.
 */
struct kflame_stats {
	__u32 size;
	__u32 cpu;
	struct kflame_cpu books;
	__aligned_u64 count[KFLAME_NR_STATS];
	__u32 event;
	__u32 pad;
};

#define KFLAME_STATS_SIZE_0	624	/* as first published */

/**
 * struct kflame_run - KFLAME_IOC_START and KFLAME_IOC_STOP
 * @size:	sizeof(struct kflame_run)
 * @flags:	zero
 * @time_ns:	out: when it was done
 *
 * START fails with ENOMEM if the session's memory would exceed the cap by now, or is more
 * than half of the available memory. ENOENT: a function is gone that CONFIGURE has found, because its
 * module was unloaded. EINTR: a signal came while probes were set. After an error of START no probe is left,
 * and START may be tried again.
 */
struct kflame_run {
	__u32 size;
	__u32 flags;
	__aligned_u64 time_ns;
};

#define KFLAME_RUN_SIZE_0	16	/* as first published */

#define KFLAME_KSYM_NAME_LEN	256

/**
 * struct kflame_ksym - KFLAME_IOC_KSYM: the kernel's own name of an address
 * @size:	sizeof(struct kflame_ksym)
 * @pad:	zero
 * @address:	in: a kernel text address
 * @name:	out: as sprint_symbol() prints it, "name+0x1a/0x2f0 [module]"; the
 *		bare address if the kernel has no name for it
 *
 * For machines where kptr_restrict or a missing /proc/kallsyms hides the names.
 */
struct kflame_ksym {
	__u32 size;
	__u32 pad;
	__aligned_u64 address;
	__u8 name[KFLAME_KSYM_NAME_LEN];
};

#define KFLAME_KSYM_SIZE_0	272	/* as first published */

/**
 * struct kflame_file - KFLAME_IOC_FILE: a descriptor of a mapped file, once
 * @size:	sizeof(struct kflame_file)
 * @flags:	zero
 * @id:		in: kflame_rec_file.id
 * @fd:		in: zero; out: the descriptor, read-only, closed on exec
 * @pad:	zero
 *
 * The descriptor is of the file that was mapped, even if the file was deleted or replaced, or if it
 * is in a mount namespace that the caller does not see. (On overlayfs before Linux 6.7 it is the
 * file at the path now: compare.) Sessions with KFLAME_CF_HOLD_FILES hold a file until it is taken,
 * for two seconds at most, and until 1,024 newer files are held. So a reader that does not read
 * keeps no file system busy.
 *
 * EPERM: no CAP_SYS_ADMIN, which is needed because permissions of directories are not checked.
 * ENOENT: the file is not held (any more), was taken already, or is no regular file. Other errors
 * are those of opening it, EACCES and EINTR among them. After such an error it is no longer held.
 */
struct kflame_file {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
	__u32 fd;
	__u32 pad;
};

#define KFLAME_FILE_SIZE_0	24	/* as first published */

/**
 * struct kflame_number - KFLAME_IOC_NUMBER: the id of a file before it is sampled
 * @size:	sizeof(struct kflame_number)
 * @pad:	zero
 * @address:	in: an address at which the caller has the file mapped, or of the vdso
 * @id:		in: zero; out: kflame_rec_file.id of the file in this stream
 *
 * With it a reader can upload a program's unwind tables before the program runs. The request names
 * a mapping, because on some file systems (overlayfs) the mapped file is not the opened file. The
 * file is reported in the stream as if it had been sampled, by the path that the caller sees.
 * EINVAL: the session is not running. EFAULT: no file is mapped there. ENOSPC: there is no room for
 * the file's record, because the reader is too far behind.
 */
struct kflame_number {
	__u32 size;
	__u32 pad;
	__aligned_u64 address;
	__aligned_u64 id;
};

#define KFLAME_NUMBER_SIZE_0	24	/* as first published */

/**
 * struct kflame_cgroup - KFLAME_IOC_CGROUP: replace a control group that is sampled
 * @size:	sizeof(struct kflame_cgroup)
 * @index:	index in kflame_config.cgroups of the group to replace
 * @fd:		descriptor of the new group's directory, needed only during this call
 * @flags:	zero
 *
 * A service manager removes the control group of a unit that stops, and makes another one at the
 * same path when the unit starts. A reader that sees this passes the new group on. The call is
 * possible at any time after CONFIGURE; later samples are of the new group. EINVAL: before
 * CONFIGURE, or no group has @index. EBADF: @fd is no directory of the cgroup v2 hierarchy.
 */
struct kflame_cgroup {
	__u32 size;
	__u32 index;
	__u32 fd;
	__u32 flags;
};

#define KFLAME_CGROUP_SIZE_0	16	/* as first published */

#include "kflame-records.h"
#include "kflame-event-records.h"
#include "kflame-tool-records.h"
#include "kflame-unwind.h"
#include "kflame-recorder.h"
#include "kflame-interpreters.h"

#endif /* _UAPI_KFLAME_H */
