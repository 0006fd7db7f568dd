/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * kflame-events.h - the events that a session takes samples at
 *
 * Included by kflame.h, whose rules apply here, too.
 */
#ifndef _UAPI_KFLAME_EVENTS_H
#define _UAPI_KFLAME_EVENTS_H

/* kflame_event.kind: when a sample is taken */
#define KFLAME_EVENT_TIMER	0 /* the timer of a CPU expires, with the period of the session */
#define KFLAME_EVENT_FAULTS	1 /* code that has interrupts on, or a sample, causes a page fault */
#define KFLAME_EVENT_OFFCPU	2 /* a task's wait has ended; the sample weighs its time */
#define KFLAME_EVENT_SLEEPERS	3 /* a look finds a sleeping task; weighs the time since the last look */
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

/* kflame_event.weight: what a hit of a probe weighs */
#define KFLAME_WEIGHT_OWN	0 /* one. Samples of other events weigh what the event measures */
#define KFLAME_WEIGHT_LATENCY	1 /* nanoseconds from the call to the return, or from begin to end */
#define KFLAME_WEIGHT_VALUE	2 /* the returned value; KFLAME_EVENT_PAIR: bytes of the request */
#define KFLAME_WEIGHT_OPERAND	3 /* kflame_event.operand */

/* kflame_event.flags */
#define KFLAME_EF_WAKERS	(1ULL << 0) /* KFLAME_EVENT_OFFCPU: also record who ended each wait */
#define KFLAME_EF_LABELS	(1ULL << 1) /* probes: also record what a hit is about, such as a file */
#define KFLAME_EF_OUTSTANDING	(1ULL << 2) /* KFLAME_EVENT_PAIR: what has begun and not ended at STOP */
#define KFLAME_EF_FREEZE	(1ULL << 8) /* a counted sample freezes the flight recorder */

/* kflame_operand.kind */
#define KFLAME_OPERAND_NONE	0
#define KFLAME_OPERAND_ARG	1 /* an argument of the function or of the tracepoint */
#define KFLAME_OPERAND_FIELD	2 /* a field of the tracepoint that the module knows, such as "bytes" */

#define KFLAME_MAX_ARG		6

/**
 * struct kflame_operand - a value that a hit of a probe has
 * @kind:	KFLAME_OPERAND_*. With KFLAME_OPERAND_NONE all other members are zero
 * @arg:	KFLAME_OPERAND_ARG: 1 to KFLAME_MAX_ARG, for a tracepoint 1 to 5. Else zero
 * @bytes:	KFLAME_OPERAND_ARG: size of the value, 1, 2, 4 or 8 bytes. Else zero
 * @is_signed:	KFLAME_OPERAND_ARG: 1 if the highest bit of the value is a sign. Else zero
 * @field:	KFLAME_OPERAND_FIELD: the name of the field, followed by zeros. Else zero
 *
 * An argument is what its register holds, according to the calling convention. The register may hold
 * anything if the function has no such argument, or if FUNC+OFFSET is not its first instruction. Bytes above
 * those of the argument's type may have any value, so @bytes is the size of the type. A kretprobe has the
 * arguments of the call.
 *
 * Only tracepoints have fields. The module knows "bytes" of kmalloc, kmem_cache_alloc, mm_page_alloc and
 * mm_page_free, and of kmalloc_node and kmem_cache_alloc_node where they exist. An allocation that failed
 * has 0 bytes. Tracepoints of slabs also have "bytes_req" and "bytes_alloc". "bytes" and "bytes_req" are the
 * bytes that the caller asked for, and "bytes_alloc" are those that the allocation took. The kernel does not
 * report "bytes_alloc" for kmem_cache_alloc since 6.1.
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
 * struct kflame_condition - a comparison. A hit of which it is not true is lost as KFLAME_LOST_LENGTH
 * @operand:	a value of the hit. With @is_signed it is compared as a signed number
 * @op:		KFLAME_OP_*
 * @pad:	zero
 * @value:	what the operand is compared with, in 64 bits
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
 * @kind:	KFLAME_EVENT_*. A session may have several probes of one kind, with different names, and each
 *		other kind once
 * @flags:	KFLAME_EF_*. KFLAME_EF_WAKERS is for KFLAME_EVENT_OFFCPU. KFLAME_EF_LABELS is for
 *		KFLAME_EVENT_KPROBE, _KRETPROBE, _TRACEPOINT, _SYSCALL, _PAIR and _FAULTS. Hits without a
 *		known label have none. KFLAME_EF_OUTSTANDING is for KFLAME_EVENT_PAIR.
 *		KFLAME_EF_FREEZE is for all but KFLAME_EVENT_TIMER
 * @min:	smallest weight: samples that weigh less are lost as KFLAME_LOST_LENGTH. It is for
 *		KFLAME_EVENT_OFFCPU (nanoseconds), KFLAME_WEIGHT_LATENCY, _VALUE and _OPERAND.
 *		KFLAME_EVENT_SLEEPERS: average nanoseconds from one look to the next, KFLAME_LOOK_MIN_NS to
 *		KFLAME_LOOK_MAX_NS; 0: 10 ms. The module looks less often if looks would take more than a
 *		twentieth of a CPU. Else zero
 * @max:	largest weight, for the same events as @min but KFLAME_EVENT_SLEEPERS; 0: no limit. Else zero
 * @name:	probes: user address of printable ASCII without spaces. Else zero
 * @name_len:	bytes at @name, without a NUL
 * @weight:	KFLAME_WEIGHT_*
 * @fd:		KFLAME_EVENT_UPROBE, _URETPROBE: descriptor of a regular file that is open for reading,
 *		needed only during this call. The session keeps the file, and so its file system, until the
 *		session ends. Else zero
 * @pad:	zero
 * @offset:	KFLAME_EVENT_UPROBE, _URETPROBE: where in the file the instruction begins, in bytes.
 *		KFLAME_EVENT_SYSCALL: the number of the call, at most KFLAME_MAX_SYSCALL, or
 *		KFLAME_ALL_SYSCALLS. Else zero
 *
 * @operand:	KFLAME_WEIGHT_OPERAND: what a hit weighs. Else zero
 * @conditions:	KFLAME_EVENT_KPROBE, _KRETPROBE, _TRACEPOINT, _UPROBE: user address of an array of
 *		struct kflame_condition. All must be true of a hit. Else zero
 * @nr_conditions: elements at @conditions, at most KFLAME_MAX_CONDITIONS
 * @functions:	KFLAME_EVENT_KPROBE, KFLAME_EVENT_KRETPROBE: user address of names of functions, each
 *		shorter than KFLAME_EVENT_NAME and followed by a NUL. All are probed. Then @name is only for
 *		the stream, and may have *. Else zero
 * @nr_functions: names at @functions, at most KFLAME_MAX_FUNCTIONS; 0: the one of @name
 * @functions_len: bytes at @functions
 * @pad2:	zero
 * @addresses:	user address of an array of @nr_functions __u64: where /proc/kallsyms has each function,
 *		or 0. An address saves a search. It is used only if the function is there. 0: no array
 * @errors:	user address of an array of @nr_functions __s32. CONFIGURE leaves out functions that cannot
 *		be probed, and writes 0 or a negative errno for each function. -EEXIST: an earlier function
 *		has the same code. If no function is left, CONFIGURE fails with the error of the first one.
 *		0: no array. CONFIGURE fails if one function cannot be probed
 *
 * The stream names an event by its id: 0 is always the timer. Any other event has 1 plus its index
 * in the array.
 *
 * Probes are the events with names: KFLAME_EVENT_KPROBE, _KRETPROBE, _TRACEPOINT, _UPROBE, _URETPROBE,
 * _SYSCALL and _PAIR. In the stream, @name has one of "kprobe:", "kretprobe:", "tracepoint:", "uprobe:",
 * "uretprobe:" and "syscall:" before it. With KFLAME_EF_OUTSTANDING it has "outstanding:". Both together
 * must be shorter than KFLAME_EVENT_NAME. The form of
 * @name is:
 *
 *   - kprobe: FUNC or FUNC+OFFSET, in bytes. kretprobe: FUNC
 *   - tracepoint: SYSTEM:NAME. SYSTEM is not checked
 *   - pair: SYSTEM:BEGIN..END, or up to four BEGIN with | between them. Its stream's name begins with
 *     "tracepoint:", or "outstanding:"
 *   - uprobe, uretprobe, system call: any, for the stream only
 *
 * Each hit counts, in any context. A hit in an NMI, in a sample, or in the handler of another probe is lost
 * as KFLAME_LOST_NESTED. Some of these hits are found only at STOP. The accounting of any one CPU has them,
 * even if the session does not sample the CPU where they happened.
 *
 * Conditions are checked before the session's filters, so hits of tasks that the session does not sample may
 * be lost as KFLAME_LOST_LENGTH. Only for a kretprobe, the filters are checked first. A uprobe has no
 * operands in a 32-bit program: with conditions, such a hit is lost as KFLAME_LOST_LENGTH.
 *
 * KFLAME_WEIGHT_VALUE and KFLAME_WEIGHT_OPERAND: a hit with zero or a negative value is lost as
 * KFLAME_LOST_LENGTH and weighs nothing. KFLAME_WEIGHT_VALUE takes the value as a signed long. It also loses
 * values from 0xfffff001 to 0xffffffff of functions, which are error codes of functions that return an int.
 * Sums of values wrap at 64 bits. KFLAME_WEIGHT_LATENCY: a latency that the clock cannot measure weighs 1
 * ns.
 *
 * A hit of a kretprobe is a return of the function. Its stack begins with the function and its caller. Calls
 * of tasks that the session does not sample are not accounted for. Neither are calls that began on a CPU
 * where the event was not armed, or that have not returned at STOP. Memory is limited to 1,024 calls at
 * once, or ten for each possible CPU if that is more. Functions of a list share these, but each has at least
 * 64, and two for each possible CPU. Further calls are lost as KFLAME_LOST_WAITS.
 *
 * The kernel checks the instruction of a uprobe only if a process has mapped that page, private and not
 * writable. An offset inside an instruction may be accepted, and changes what programs do. For a uretprobe,
 * @offset is where the first instruction of the function begins.
 *
 * A hit of a uretprobe is a return of a function of a file. Its stack is the user stack alone. Calls that
 * had begun before START are not seen. A function that is left by longjmp() or an exception does not return.
 * KFLAME_WEIGHT_LATENCY: memory is limited to 4,096 tasks that have called the function, or fewer if there is
 * not enough, but to 256 at least. Calls of further tasks are lost as KFLAME_LOST_WAITS, and so are calls
 * of a task that has 64 of them already.
 *
 * A hit of KFLAME_EVENT_SYSCALL is the begin of a call with KFLAME_WEIGHT_OWN, else its end. Its kernel
 * stack is one frame, KFLAME_SYSCALL_FRAME plus the number of the call. The user stack is the one at the
 * hit: after execve() has succeeded, it is in the new program. Some calls are left out: calls of 32-bit and
 * x32 programs, which have another table of numbers, and numbers above KFLAME_MAX_SYSCALL, which no kernel
 * knows. Not accounted for are calls whose end is not seen, as of exit(), and ends whose begin was not seen,
 * as of a child that returns from fork(). Memory is limited to 32,768 calls at once, or fewer if there is
 * not enough, but to 1,024 at least. Further calls are lost as KFLAME_LOST_WAITS.
 *
 * A hit of KFLAME_EVENT_PAIR begins when code passes BEGIN, and ends when code passes END. The module
 * walks the stack at BEGIN, and END may be on another CPU. The two belong together if one task passes
 * them. If both are tracepoints of requests of block devices, they must be about one request:
 * block_io_start, _done, block_rq_insert, _issue, _requeue, _complete, _merge, _error. If both are
 * tracepoints of kernel memory, they must be about the same memory: kmalloc, kmem_cache_alloc, both with
 * _node, kfree, kmem_cache_free, mm_page_alloc, mm_page_free. Memory that is freed in another way, such as
 * by kfree_rcu(), has no end. Old kernels such as 5.10 report kmem_cache_free when the memory is free
 * already: if it is reused at once, the new pair ends. Of several BEGIN, a kernel need have only one. They
 * are stages, in the order of @name: a later stage does not begin anew what an earlier one has begun. A
 * pass of the same stage, or of an earlier one, begins anew. KFLAME_WEIGHT_VALUE is possible for requests
 * that end with block_rq_complete, and for memory, where it is the field "bytes". Parts of a request that
 * are completed alone are not seen. A pair that has not ended at STOP is not accounted for. Memory is
 * limited to 8,192 pairs that have begun, or fewer if there is not enough, but to 512 at least. Each
 * further pass of a BEGIN is lost as KFLAME_LOST_WAITS.
 *
 * KFLAME_EF_OUTSTANDING: a hit is a pair that has begun and not ended at STOP. Other pairs are not accounted
 * for. A latency is the time until STOP. The limit is 32,768 pairs.
 *
 * KFLAME_EF_FREEZE: each counted sample freezes the flight recorder (KFLAME_FREEZE_PROBE). With @min and
 * KFLAME_WEIGHT_LATENCY, calls that last longer do.
 *
 * A hit of KFLAME_EVENT_FAULTS is an exception. With KFLAME_EF_LABELS, and on kernels that do not report
 * exceptions to modules, it is a fault that getrusage() counts instead, and is kernel mode. Its label is
 * the mapping of its address: a file, or the texts [heap], [stack] and [anon].
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

#endif /* _UAPI_KFLAME_EVENTS_H */
