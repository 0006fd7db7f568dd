/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * kflame.h - the device ABI of /dev/kflame and its record format
 *
 * Together with kflame-unwind.h, which it includes, it has all that the module and the tool share.
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
#define KFLAME_CF_ALL			((1ULL << 13) - 1)

/* kflame_config.kway and kflame_rec_session.kway: how kernel stacks are walked */
#define KFLAME_KWAY_AUTO	0 /* the cheapest way on this kernel */
#define KFLAME_KWAY_SAVE	1 /* stack_trace_save(), cut at the interrupted PC */
#define KFLAME_KWAY_UNWIND	2 /* the unwinder, started at the registers */

/* kflame_event.kind: what makes a session take samples */
#define KFLAME_EVENT_TIMER	0 /* the timer of each CPU, with the period of the session */
#define KFLAME_EVENT_FAULTS	1 /* a page fault of code that has interrupts on, or of a sample */
#define KFLAME_EVENT_OFFCPU	2 /* a wait of a task has ended; weighs its time */
#define KFLAME_EVENT_SLEEPERS	3 /* a look at a task that sleeps; weighs the time since the look before */
#define KFLAME_EVENT_KPROBE	4 /* a kernel function is called, or an instruction of it is reached */
#define KFLAME_EVENT_TRACEPOINT	5 /* code passes a tracepoint of the kernel */
#define KFLAME_EVENT_KRETPROBE	6 /* a kernel function has returned */
#define KFLAME_EVENT_UPROBE	7 /* a process runs an instruction of a file */
#define KFLAME_EVENT_SYSCALL	8 /* a task makes a system call */
#define KFLAME_EVENT_PAIR	9 /* code passes a tracepoint, and then another one that belongs to it */
#define KFLAME_EVENT_URETPROBE	10 /* a function of a file has returned, in any process */
#define KFLAME_NR_EVENTS	11

/* kflame_rec_event.unit: what the weight of a sample counts */
#define KFLAME_UNIT_NS		0 /* nanoseconds */
#define KFLAME_UNIT_EVENTS	1 /* how often the event happened */
#define KFLAME_UNIT_BYTES	2
#define KFLAME_UNIT_VALUE	3 /* whatever the function's return value or its argument counts */

#define KFLAME_MAX_EVENTS	8 /* most events of a session */
#define KFLAME_EVENT_NAME	128 /* most bytes of an event's name in the stream, with its NUL */

/* kflame_event.weight: what a sample of a probe weighs */
#define KFLAME_WEIGHT_OWN	0 /* one. Of other events: what the event measures */
#define KFLAME_WEIGHT_LATENCY	1 /* nanoseconds from the call to the return, or from begin to end */
#define KFLAME_WEIGHT_VALUE	2 /* the value that was returned; KFLAME_EVENT_PAIR: bytes of the request */
#define KFLAME_WEIGHT_OPERAND	3 /* kflame_event.operand */

/* kflame_event.flags */
#define KFLAME_EF_WAKERS	(1ULL << 0) /* KFLAME_EVENT_OFFCPU: also record who ended each wait */
#define KFLAME_EF_LABELS	(1ULL << 1) /* of probes: also record what a hit is about, such as a file */

/* kflame_operand.kind */
#define KFLAME_OPERAND_NONE	0
#define KFLAME_OPERAND_ARG	1 /* an argument of the function or of the tracepoint */
#define KFLAME_OPERAND_FIELD	2 /* what the module knows of this tracepoint by that name, such as "bytes" */

#define KFLAME_MAX_ARG		6

/**
 * struct kflame_operand - a value that a hit of a probe has
 * @kind:	KFLAME_OPERAND_*; with _NONE all is zero
 * @arg:	of _ARG 1 to KFLAME_MAX_ARG, of a tracepoint 1 to 5; else zero
 * @bytes:	how many of its lower bytes count: 1, 2, 4 or 8. Of _FIELD zero
 * @is_signed:	1: its highest bit is a sign. Of _FIELD zero
 * @field:	of _FIELD its name, the rest zero; else zero
 *
 * An argument is what the register has in which the calling convention passes it. If the function has no
 * such argument, or if FUNC+OFFSET is not its first instruction, the value is whatever is there. Bytes above
 * those of the argument's type may have any value. So @bytes is the size of the type. Of a kretprobe,
 * arguments are those at the call.
 *
 * Fields are of tracepoints only. "bytes": of kmalloc, kmem_cache_alloc, mm_page_alloc and mm_page_free, and
 * of kmalloc_node and kmem_cache_alloc_node where they exist. An allocation that failed has 0. Of the
 * tracepoints of slabs, "bytes" and "bytes_req" are those that were asked for. "bytes_alloc" are those that
 * it took, as far as the kernel reports them: it does not for kmem_cache_alloc since 6.1.
 */
struct kflame_operand {
	__u32 kind;
	__u32 arg;
	__u32 bytes;
	__u32 is_signed;
	__u8 field[32];
};

/* kflame_condition.op: how the operand is compared with the value */
#define KFLAME_OP_EQ	0
#define KFLAME_OP_NE	1
#define KFLAME_OP_LT	2
#define KFLAME_OP_LE	3
#define KFLAME_OP_GT	4
#define KFLAME_OP_GE	5
#define KFLAME_OP_ANY	6 /* has any of the value's bits */
#define KFLAME_NR_OPS	7

#define KFLAME_MAX_CONDITIONS	8

/**
 * struct kflame_condition - what must be true of a hit, else it is lost (KFLAME_LOST_LENGTH)
 * @operand:	a value of the hit. With @is_signed it is compared as a signed number
 * @op:		KFLAME_OP_*
 * @pad:	zero
 * @value:	what it is compared with, in 64 bits
 */
struct kflame_condition {
	struct kflame_operand operand;
	__u32 op;
	__u32 pad;
	__aligned_u64 value;
};

/**
 * struct kflame_event - one event of a session: an element of the array kflame_config.events
 * @size:	sizeof(struct kflame_event), the same in each element of the array
 * @kind:	KFLAME_EVENT_*, each at most once; KFLAME_EVENT_KPROBE, _KRETPROBE, _TRACEPOINT, _UPROBE,
 *		_URETPROBE, _SYSCALL and _PAIR once with each name
 * @flags:	KFLAME_EF_*. KFLAME_EF_WAKERS only of KFLAME_EVENT_OFFCPU. KFLAME_EF_LABELS only of
 *		KFLAME_EVENT_KPROBE, _KRETPROBE and _TRACEPOINT. Hits that the module knows no label for
 *		have none
 * @min:	KFLAME_EVENT_OFFCPU: shorter waits are lost (KFLAME_LOST_LENGTH), nanoseconds.
 *		KFLAME_EVENT_SLEEPERS: nanoseconds between two looks, on average, KFLAME_LOOK_MIN_NS
 *		to KFLAME_LOOK_MAX_NS; 0: 10 ms. The time is longer if looks would take more than a
 *		twentieth of a CPU. KFLAME_WEIGHT_LATENCY, _VALUE and _OPERAND: hits with a smaller weight are
 *		lost (KFLAME_LOST_LENGTH). Of other events zero
 * @max:	KFLAME_EVENT_OFFCPU: longer waits are lost, nanoseconds; 0: none. KFLAME_WEIGHT_LATENCY,
 *		_VALUE and _OPERAND: hits with a larger weight are lost; 0: none. Of other events zero
 * @name:	KFLAME_EVENT_KPROBE, _KRETPROBE, _TRACEPOINT, _UPROBE, _URETPROBE, _SYSCALL, _PAIR: user
 *		address of printable ASCII without spaces. Of a kprobe FUNC or FUNC+OFFSET, in bytes. Of a
 *		kretprobe FUNC. Of a tracepoint SYSTEM:NAME; SYSTEM is not checked. Of a pair
 *		SYSTEM:BEGIN..END, or up to four BEGIN with | between them. Of a uprobe, a uretprobe and a
 *		system call any name, for the stream only. Of other events zero
 * @name_len:	bytes at @name, without a NUL. Of other events zero
 * @weight:	KFLAME_WEIGHT_*
 * @fd:		KFLAME_EVENT_UPROBE, _URETPROBE: descriptor of a regular file that is open for reading,
 *		needed only during this call. The session keeps the file, and so its file system, until the
 *		session ends. Of other events zero
 * @pad:	zero
 * @offset:	KFLAME_EVENT_UPROBE, _URETPROBE: where in the file the instruction begins, in bytes; of a
 *		uretprobe the first one of the function. The kernel checks the instruction only if a process
 *		has mapped that page, private and not writable. An offset inside an instruction may be
 *		accepted, and changes what programs do. KFLAME_EVENT_SYSCALL: the number of the call, at
 *		most KFLAME_MAX_SYSCALL, or KFLAME_ALL_SYSCALLS. Of other events zero
 *
 * @operand:	of KFLAME_WEIGHT_OPERAND what a hit weighs, else zero. A hit that weighs nothing, or whose
 *		value is negative, is lost as KFLAME_LOST_LENGTH. So are those beyond @min and @max
 * @conditions:	of probes: user address of an array of struct kflame_condition. All must be true of a hit.
 *		They are checked before the session's filters are. With KFLAME_EVENT_UPROBE, a hit in a
 *		32-bit program has no operands, and is lost in the same way. Of other events zero
 * @nr_conditions: elements at @conditions, at most KFLAME_MAX_CONDITIONS
 * @functions:	KFLAME_EVENT_KPROBE: user address of names of functions, each shorter than
 *		KFLAME_EVENT_NAME and with a NUL behind it. All are probed. Then @name is only for the
 *		stream, and may have *. Of other events zero
 * @nr_functions: names at @functions, at most KFLAME_MAX_FUNCTIONS; 0: the one of @name
 * @functions_len: bytes at @functions
 * @pad2:	zero
 * @addresses:	user address of an array of @nr_functions __u64: where /proc/kallsyms has each function, or
 *		0. An address saves a search, and is used only if the function is there. 0: no array
 * @errors:	user address of an array of @nr_functions __s32. CONFIGURE leaves out functions that cannot be
 *		probed, and writes 0 or a negative errno for each one. -EEXIST: its code is that of a function
 *		before it. If no function is left, CONFIGURE fails with the error of the first. 0: no array,
 *		CONFIGURE fails if one function cannot be probed
 *
 * Of a probe, the stream's name has "kprobe:", "kretprobe:", "tracepoint:", "uprobe:", "uretprobe:" or
 * "syscall:" before @name. Together they must be shorter than KFLAME_EVENT_NAME. Each hit counts, in any
 * context. A hit in an NMI, in a sample, or in the handler of another probe is lost as KFLAME_LOST_NESTED.
 * Some of these hits are found only at STOP. They are in the accounting of any one CPU, also if the session
 * does not sample the CPU where they happened.
 *
 * A hit of a kretprobe is a return of the function. Its stack begins with the function and its caller, as
 * the function returns to it. Calls of tasks that the session does not sample are not accounted for. Neither
 * are calls that began on a CPU where the event was not armed, or that have not returned at STOP. Memory is
 * limited to 1,024 calls at once, or ten for each possible CPU if that is more. Further calls are lost as
 * KFLAME_LOST_WAITS.
 *
 * A hit of a uretprobe is the same for a function of a file. Its stack is the user stack alone. Calls that
 * had begun before START are not seen. A function that is left by longjmp() or an exception does not return.
 *
 * A hit of KFLAME_EVENT_SYSCALL is the begin of a call with KFLAME_WEIGHT_OWN, else its end. Its kernel
 * stack is one frame, KFLAME_SYSCALL_FRAME plus the number of the call. The user stack is the one at the
 * hit: if execve() has succeeded, its end is in the new program. Calls by another table of numbers are left
 * out, as are those of 32-bit and x32 programs. So are numbers above KFLAME_MAX_SYSCALL, which no kernel
 * knows. As of a kretprobe, not accounted for are calls whose end is not seen, as of exit(), or whose begin
 * was not seen, as of a child that returns from fork(). Memory is limited to 32,768 calls at once, or fewer
 * if there is not enough, but to 1,024 at least. Further calls are lost as KFLAME_LOST_WAITS.
 *
 * A hit of KFLAME_EVENT_PAIR is a pass of END, and of BEGIN before it. Its stack is that of BEGIN, also if
 * it ends on another CPU. The two belong together if they are of one task. If both are tracepoints of
 * requests of block devices, they must be of one request: block_io_start, _done, block_rq_insert, _issue,
 * _requeue, _complete, _merge, _error. A kernel need have only one of several BEGIN: the first one that is
 * passed, in the order of @name, begins. If one is passed again, it begins anew. KFLAME_WEIGHT_VALUE is
 * possible for requests that end with block_rq_complete; parts that are completed alone are not seen. What
 * has not ended at STOP is not accounted for. Memory is limited to 8,192 that have begun, or fewer if there
 * is not enough, but to 512 at least. Each further pass of a BEGIN is lost as KFLAME_LOST_WAITS. The
 * stream's name has "tracepoint:" before @name.
 *
 * KFLAME_WEIGHT_VALUE takes the value as a signed long. Zero and negative values are lost as
 * KFLAME_LOST_LENGTH, and weigh nothing. So are values from 0xfffff001 to 0xffffffff of functions: these
 * are error codes of functions that return an int. A latency that the clock cannot measure weighs 1 ns. The
 * sums of values wrap at 64 bits.
 *
 * The stream names an event by its id: 0 is always the timer. Any other event has 1 plus its index
 * in the array.
 */
struct kflame_event {
	__u32 size;
	__u32 kind;
	__aligned_u64 flags;
	__aligned_u64 min;
	__aligned_u64 max;
	__aligned_u64 name;
	__u32 name_len;
	__u32 weight;
	__s32 fd;
	__u32 pad;
	__aligned_u64 offset;
	struct kflame_operand operand;
	__aligned_u64 conditions;
	__u32 nr_conditions;
	__u32 nr_functions;
	__aligned_u64 functions;
	__u32 functions_len;
	__u32 pad2;
	__aligned_u64 addresses;
	__aligned_u64 errors;
};

#define KFLAME_EVENT_SIZE_0	16	/* as first published */

#define KFLAME_MAX_SYSCALL	4095
#define KFLAME_ALL_SYSCALLS	(~0ULL)	/* kflame_event.offset: any number */
#define KFLAME_SYSCALL_FRAME	0xffffffffffff0000ULL	/* plus a number: no kernel has code there */

#define KFLAME_MAX_FUNCTIONS	1000

#define KFLAME_LOOK_MIN_NS	1000000ULL
#define KFLAME_LOOK_MAX_NS	1000000000ULL

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
 * @memory:		out: bytes that START will take, except for six events. From each START to
 *			STOP, KFLAME_EVENT_OFFCPU takes up to an eighth of the cap in addition, but
 *			room for 1,024 threads at least. KFLAME_EVENT_SLEEPERS takes up to 256 KiB.
 *			KFLAME_EVENT_KRETPROBE takes up to 256 bytes for each call at once,
 *			KFLAME_EVENT_KPROBE as many for each function, and KFLAME_EVENT_SYSCALL up to
 *			768 KiB unless it only counts. KFLAME_EVENT_PAIR takes up to an eighth of the
 *			cap. Without this memory START fails with ENOMEM
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
 * KFLAME_CF_CHILDREN_ONLY: EINVAL.
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
 * KFLAME_EVENT_UPROBE and _URETPROBE need CAP_SYS_ADMIN.
 *
 * If an event's name, file, offset, operand or condition is refused, the structure is written back: @reserved
 * holds 1 plus the event's index. ENOENT: there is no such function or tracepoint. EINVAL: that is no name,
 * no operand or no condition, or the kernel or kflame does not let this function be probed. EILSEQ: no
 * instruction begins at the offset, or none that the kernel can probe. ERANGE: the offset is outside of the
 * file. ENODATA: the module knows no such field of the event. ENAMETOOLONG. E2BIG: more functions than
 * KFLAME_MAX_FUNCTIONS, or longer names. EINTR: a signal came while functions were looked up. Other errors
 * are the kernel's.
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
#define KFLAME_LOST_LENGTH	8 /* shorter, longer, smaller or larger than kflame_event allows */
#define KFLAME_LOST_WAITS	9 /* no room for one more waiting task, or pending call; weighs nothing */
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

/* ----------------------------------------------------------- record stream */

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
#define KFLAME_REC_EVENT_SAMPLE	17	/* as SAMPLE, of these */
#define KFLAME_REC_EVENT_CPU	18	/* as CPU, of these */
#define KFLAME_REC_WAKER	19	/* who ended waits */
#define KFLAME_REC_WAKE_COUNTS	20	/* as EVENT_COUNTS, of waits whose waker is recorded */
#define KFLAME_REC_EVENT_HISTOGRAM 21	/* how many samples of an event had which weight */
#define KFLAME_REC_LABEL	22	/* what samples are about */
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
};

#define KFLAME_REC_SESSION_SIZE_0	208	/* as first published */

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

/* kflame_rec_label.kind */
#define KFLAME_LABEL_TEXT	0 /* a text as it is */
#define KFLAME_LABEL_FILE	1 /* a path within a file system */

/* kflame_rec_label.root_len: the file is below no mount, or the path is cut */
#define KFLAME_LABEL_NO_ROOT	0xffffU

/**
 * struct kflame_rec_label - KFLAME_REC_LABEL: what samples are about
 * @rec:	type and size
 * @id:		its id in this stream, never 0. The record may come after stacks that name it. If an id comes
 *		again, the later record counts: the tool adds the whole path of a file as a text
 * @kind:	KFLAME_LABEL_*
 * @dev_major:	of _FILE major number of its device, as /proc/PID/mountinfo has it; else zero
 * @dev_minor:	the same
 * @root_len:	of _FILE how many bytes of @text are the path of the directory that is mounted: the field
 *		"root" of /proc/PID/mountinfo, but 0 for "/"; KFLAME_LABEL_NO_ROOT. Else zero
 * @text_len:	bytes of @text, without the terminating NUL
 * @text:	NUL terminated. Any other bytes are possible. A path that is longer than about 400 bytes
 *		begins with "..." instead of its first directories. The name of a deleted file ends in
 *		" (deleted)". The label "[more]" stands for all that found no room
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
 * struct kflame_rec_event_cpu - KFLAME_REC_EVENT_CPU: the accounting of an event on one CPU
 * @rec:	type and size
 * @event:	id of the event, never 0
 * @pad:	zero
 * @books:	the accounting
 *
 * When it comes, and how often: as struct kflame_rec_cpu.
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
 * Of KFLAME_EVENT_OFFCPU and of events with another weight than KFLAME_WEIGHT_OWN only. It has the
 * samples that were counted, from the first START on, and comes after the CPU's EVENT_CPU record. As that
 * record, it may come again after a further START: the last one of an event, a group and a CPU counts.
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

/**
 * struct kflame_rec_ksym - KFLAME_REC_KSYM: a kernel function
 * @rec:	type and size
 * @start:	first address
 * @end:	one past the last
 * @name_len:	bytes of @name, without the terminating NUL
 * @pad:	zero
 * @name:	"name" or "name [module]"
 */
struct kflame_rec_ksym {
	struct kflame_rec rec;
	__aligned_u64 start;
	__aligned_u64 end;
	__u32 name_len;
	__u32 pad;
	__u8 name[];
};

/**
 * struct kflame_rec_usym - KFLAME_REC_USYM: a function of a file (by the tool)
 * @rec:	type and size
 * @file:	kflame_rec_file.id
 * @start:	file offset of its first byte
 * @end:	one past the last
 * @name_len:	bytes of @name, without the terminating NUL
 * @pad:	zero
 * @name:	as in the symbol table (not demangled)
 */
struct kflame_rec_usym {
	struct kflame_rec rec;
	__aligned_u64 file;
	__aligned_u64 start;
	__aligned_u64 end;
	__u32 name_len;
	__u32 pad;
	__u8 name[];
};

/**
 * struct kflame_rec_jsym - KFLAME_REC_JSYM: a function in no file (by the tool)
 * @rec:	type and size
 * @aspace:	kflame_rec_aspace.id
 * @start:	address of its first byte
 * @end:	one past the last
 * @name_len:	bytes of @name, without the terminating NUL
 * @pad:	zero
 * @name:	as the just-in-time compiler reports it
 *
 * Several functions may have been at one address, one after the other: the last
 * record counts.
 */
struct kflame_rec_jsym {
	struct kflame_rec rec;
	__aligned_u64 aspace;
	__aligned_u64 start;
	__aligned_u64 end;
	__u32 name_len;
	__u32 pad;
	__u8 name[];
};

/**
 * struct kflame_rec_leaf - KFLAME_REC_LEAF: what the unwind information says (by the tool)
 * @rec:	type and size
 * @file:	kflame_rec_file.id
 * @offset:	file offset of a program counter that had a candidate caller
 * @keep:	1: the return address is there, the candidate is a frame; 0: it is not
 * @pad:	zero
 */
struct kflame_rec_leaf {
	struct kflame_rec rec;
	__aligned_u64 file;
	__aligned_u64 offset;
	__u32 keep;
	__u32 pad;
};

/* kflame_rec_named.state: result of the search for symbols in a file */
#define KFLAME_NAMED_SYMTAB	0 /* .symtab was read */
#define KFLAME_NAMED_DYNSYM	1 /* stripped: only .dynsym was there */
#define KFLAME_NAMED_NONE	2 /* stripped: no symbols at all */
#define KFLAME_NAMED_GONE	3 /* the file was not available */
#define KFLAME_NAMED_CHANGED	4 /* another file has its path now */
#define KFLAME_NAMED_DAMAGED	5 /* not a readable ELF file */
#define KFLAME_NAMED_DEBUG	6 /* stripped: its separate debug file was read */
#define KFLAME_NAMED_MINI	7 /* stripped: MiniDebugInfo and .dynsym were read */
#define KFLAME_NAMED_GO		8 /* stripped: .dynsym and the table of Go's runtime were read */

/* kflame_rec_named.flags */
#define KFLAME_NF_PACKED	(1U << 0) /* has debug data that the tool's libelf cannot unpack */

/**
 * struct kflame_rec_named - KFLAME_REC_NAMED: a file was searched for symbols (by the tool)
 * @rec:	type and size
 * @file:	kflame_rec_file.id
 * @state:	KFLAME_NAMED_*
 * @flags:	KFLAME_NF_*; readers ignore unknown flags
 */
struct kflame_rec_named {
	struct kflame_rec rec;
	__aligned_u64 file;
	__u32 state;
	__u32 flags;
};

/**
 * struct kflame_rec_cgroup - KFLAME_REC_CGROUP: a control group (by the tool)
 * @rec:	type and size
 * @id:		kflame_rec_aspace.cgroup_id
 * @path_len:	bytes of @path, without the terminating NUL
 * @pad:	zero
 * @path:	from the root of the cgroup v2 hierarchy, as the tool saw it; begins with a
 *		slash, NUL terminated
 */
struct kflame_rec_cgroup {
	struct kflame_rec rec;
	__aligned_u64 id;
	__u32 path_len;
	__u32 pad;
	__u8 path[];
};

/**
 * struct kflame_rec_text - KFLAME_REC_TEXT: a text that other records name (by the tool)
 * @rec:	type and size
 * @id:		its id in this stream, never 0; the record comes before any that names it.
 *		If an id comes again, it means the later text from there on
 * @text_len:	bytes of @text, without the terminating NUL
 * @text:	NUL terminated
 */
struct kflame_rec_text {
	struct kflame_rec rec;
	__u32 id;
	__u32 text_len;
	__u8 text[];
};

/**
 * struct kflame_source_level - a function that contains an instruction
 * @function:	kflame_rec_text.id of its name, as in a symbol table; 0:
 *		unknown
 * @source:	kflame_rec_text.id of its source file's path; 0: unknown
 * @line:	line in @source: of the instruction for the innermost level; for another level,
 *		of the call by which the level before it was inlined; 0: unknown
 * @pad:	zero
 */
struct kflame_source_level {
	__u32 function;
	__u32 source;
	__u32 line;
	__u32 pad;
};

/**
 * struct kflame_rec_source - KFLAME_REC_SOURCE: where code is from (by the tool)
 * @rec:	type and size
 * @file:	kflame_rec_file.id; 0 for the kernel
 * @offset:	file offset of an instruction, or of the last byte of a call; for the kernel
 *		its address, as in stacks
 * @nr:		number of levels, at least 1
 * @pad:	zero
 * @level:	innermost first. All but the last are functions that were inlined, each
 *		into the next; the last is the one that a USYM or KSYM record names, too
 *
 * Written only if debug data has the source. The last record of one file and offset counts.
 */
struct kflame_rec_source {
	struct kflame_rec rec;
	__aligned_u64 file;
	__aligned_u64 offset;
	__u32 nr;
	__u32 pad;
	struct kflame_source_level level[];
};

/**
 * struct kflame_rec_host - KFLAME_REC_HOST: how and where a profile was recorded (by the tool)
 * @rec:	type and size
 * @text_len:	bytes of @text
 * @pad:	zero
 * @text:	"key=value" strings, each NUL terminated: host, command, tool, exit,
 *		kernel-build-id (hexadecimal), kernel-base (address of _stext, 0x...)
 */
struct kflame_rec_host {
	struct kflame_rec rec;
	__u32 text_len;
	__u32 pad;
	__u8 text[];
};

/**
 * struct kflame_rec_origin - KFLAME_REC_ORIGIN: where COUNT records are from (by the tool)
 * @rec:	type and size
 * @id:		its id in this stream, never 0
 * @text_len:	bytes of @text; 0 if the id came before
 * @text:	"key=value" strings, each NUL terminated: host, run
 *
 * In a profile that was merged from several: the COUNT records after it, up to the next such
 * record, are of this host and this recording. A reader that does not know it adds up all counts.
 */
struct kflame_rec_origin {
	struct kflame_rec rec;
	__u32 id;
	__u32 text_len;
	__u8 text[];
};

/**
 * struct kflame_rec_end - KFLAME_REC_END: the file is whole (by the writer)
 * @rec:	type and size
 * @records:	records before this one
 */
struct kflame_rec_end {
	struct kflame_rec rec;
	__aligned_u64 records;
};

/**
 * struct kflame_rec_unwind - KFLAME_REC_UNWIND: a file's unwind table (by the tool)
 * @rec:	type and size
 * @file:	kflame_rec_file.id
 * @flags:	KFLAME_TABLE_*
 * @nr_rows:	number of rows
 * @nr_rules:	number of rules
 * @error:	errno with which the module refused the table, or with which making it failed; else
 *		0
 * @bytes:	bytes that the table takes in the module
 * @time_ns:	time that making it took
 */
struct kflame_rec_unwind {
	struct kflame_rec rec;
	__aligned_u64 file;
	__u32 flags;
	__u32 nr_rows;
	__u32 nr_rules;
	__u32 error;
	__aligned_u64 bytes;
	__aligned_u64 time_ns;
};

#include "kflame-unwind.h"

#endif /* _UAPI_KFLAME_H */
