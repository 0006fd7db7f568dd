/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * kflame-unwind.h - user stacks without frame pointers: unwind tables that the reader
 * uploads, and the ring of stack copies that the reader maps
 *
 * Included by kflame.h, whose rules apply here, too.
 */
#ifndef _UAPI_KFLAME_UNWIND_H
#define _UAPI_KFLAME_UNWIND_H

/*
 * kflame_config.uway: how user stacks are walked
 *
 * KFLAME_UWAY_AUTO uses frame pointers if there is no table (yet), or if the table says that the
 * result is the same. The second case does not apply to arm64, where the frames that follow would
 * need sp.
 *
 * KFLAME_UWAY_TABLE uses frame pointers only where no file is mapped. On arm64 it also uses them
 * from where a rule needs sp and sp is lost.
 */
#define KFLAME_UWAY_FP		0 /* by frame pointers; the caller of a leaf is a candidate */
#define KFLAME_UWAY_AUTO	1 /* by tables, in some cases by frame pointers */
#define KFLAME_UWAY_TABLE	2 /* by tables wherever a file is mapped */

/*
 * kflame_config.dump: which samples go to the ring, with a copy of their stack
 *
 * If the ring is full, a sample of KFLAME_DUMP_REST is counted in a table, with the frames that the
 * module could walk. With KFLAME_DUMP_BOTH the walked and the copied stack can be
 * compared.
 */
#define KFLAME_DUMP_NONE	0
#define KFLAME_DUMP_ALL		1 /* every sample with a user stack; it is in no table */
#define KFLAME_DUMP_REST	2 /* every sample whose unwind table was not loaded yet; it is in no table */
#define KFLAME_DUMP_BOTH	3 /* every sample with a user stack; it is counted in a table, too */

#define KFLAME_DUMP_MAX		(64U << 10) /* most bytes of a stack */
#define KFLAME_RING_MIN		(256U << 10) /* bytes of a CPU's ring: a power of two */
#define KFLAME_RING_MAX		(64U << 20)

/* ------------------------------------------------------------ unwind tables */

/*
 * kflame_rule.cfa: where the canonical frame address is (DWARF 5, section 6.4)
 *
 * KFLAME_CFA_SIGNAL ignores fp and ra: the caller's registers are in the struct sigcontext.
 *
 * KFLAME_CFA_CLONE is for code behind the system call that makes a thread. In the new thread
 * register 0 is 0, and the frame is the outermost one. In the thread that made the call, the CFA is
 * sp + cfa_offset.
 */
#define KFLAME_CFA_NONE		0 /* nothing is known here: the walk ends */
#define KFLAME_CFA_END		1 /* this is the outermost frame */
#define KFLAME_CFA_SP		2 /* sp + cfa_offset */
#define KFLAME_CFA_FP		3 /* fp + cfa_offset */
#define KFLAME_CFA_REG		4 /* register reg + cfa_offset: where registers are known */
#define KFLAME_CFA_AT_SP	5 /* word at (sp + cfa_offset), + cfa_add */
#define KFLAME_CFA_AT_FP	6 /* word at (fp + cfa_offset), + cfa_add */
#define KFLAME_CFA_PLT		7 /* x86: sp + 8, and 8 more from byte cfa_offset of 16 on */
#define KFLAME_CFA_SIGNAL	8 /* a signal frame, with a struct sigcontext at sp + cfa_offset */
#define KFLAME_CFA_CLONE	9 /* the outermost frame if register 0 is 0; else sp + cfa_offset */
#define KFLAME_CFA_FP_ELSEWHERE 10 /* fp + cfa_offset, on another stack, which may be a lower one */
#define KFLAME_CFA_LAST		KFLAME_CFA_FP_ELSEWHERE

/* A register that calls preserve. Some code keeps the address of its frame in it (rbx, x19). */
#ifdef __aarch64__
#define KFLAME_BASE_REG		19
#else
#define KFLAME_BASE_REG		3
#endif
#define KFLAME_BASE_LOST	1 /* kflame_rule.base_offset: it is unknown */

/* kflame_rule.fp, kflame_rule.ra: where the caller's value is */
#define KFLAME_IN_SAME		0 /* fp: unchanged; ra: arm64, in the link register */
#define KFLAME_IN_CFA		1 /* word at CFA + offset */
#define KFLAME_IN_SP		2 /* word at sp + offset */
#define KFLAME_IN_FP		3 /* word at fp + offset */
#define KFLAME_IN_REG		4 /* in register reg: where registers are known */
#define KFLAME_IN_LOST		5 /* fp only: it is unknown */
#define KFLAME_IN_LAST		KFLAME_IN_LOST

/**
 * struct kflame_rule - how to get from a frame to its caller
 * @cfa:	KFLAME_CFA_*
 * @fp:		KFLAME_IN_*, of the frame pointer (rbp, x29)
 * @ra:		KFLAME_IN_*, of the return address
 * @reg:	DWARF number of the register that KFLAME_CFA_REG or KFLAME_IN_REG means, 0 to
 *		15 on x86-64, 0 to 30 on arm64; else zero. Registers other than sp, fp,
 *		KFLAME_BASE_REG and the program counter are known in the innermost frame and
 *		in one that a signal interrupted
 * @cfa_offset:	bytes; a multiple of 8, save for KFLAME_CFA_PLT
 * @cfa_add:	bytes
 * @fp_offset:	bytes
 * @ra_offset:	bytes
 * @base_offset: the caller's KFLAME_BASE_REG is the word at CFA + @base_offset; 0: unchanged;
 *		or KFLAME_BASE_LOST
 *
 * The caller's sp is the CFA. Members that a kind does not use are zero.
 */
struct kflame_rule {
	__u8 cfa;
	__u8 fp;
	__u8 ra;
	__u8 reg;
	__s32 cfa_offset;
	__s32 cfa_add;
	__s32 fp_offset;
	__s32 ra_offset;
	__s32 base_offset;
};

/*
 * kflame_table.flags
 *
 * KFLAME_TABLE_FP: the table proves that the frame pointer leads to the frame at every return
 * address of the file.
 *
 * KFLAME_TABLE_NONE: the file has no unwind information, so the table has no rows. Stacks do not
 * wait for rows.
 *
 * KFLAME_TABLE_PART: the table covers less than half of the file's code. KFLAME_UWAY_AUTO steps
 * through the rest by frame pointer.
 *
 * KFLAME_TABLE_CODE: not for the module. In struct kflame_rec_unwind: the file has code without unwind
 * information, and its rules were made from the instructions.
 */
#define KFLAME_TABLE_FP		(1U << 0)
#define KFLAME_TABLE_NONE	(1U << 1)
#define KFLAME_TABLE_PART	(1U << 2)
#define KFLAME_TABLE_ALL	((1U << 3) - 1) /* what the module accepts */
#define KFLAME_TABLE_CODE	(1U << 3)

#define KFLAME_TABLE_PAGE	(64U << 10) /* bytes of the file that a page of a table covers */
#define KFLAME_TABLE_RULES	65536U	/* most rules: a row has 16 bits for them */
#define KFLAME_TABLE_ROWS	(1U << 24) /* most rows */
#define KFLAME_TABLE_PAGES	(1U << 17) /* most pages: 8 GiB of a file */

/*
 * A row: the lower half of the file offset where it begins, and the index of its rule. It
 * holds up to the next row of its page, or the end of the page.
 */
#define KFLAME_ROW(offset, rule)	(((offset) & 0xffffU) | (__u32)(rule) << 16)
#define KFLAME_ROW_OFFSET(row)		((row) & 0xffffU)
#define KFLAME_ROW_RULE(row)		((row) >> 16)

/**
 * struct kflame_table - KFLAME_IOC_TABLE: uploads a file's unwind table
 * @size:	sizeof(struct kflame_table)
 * @flags:	KFLAME_TABLE_*
 * @file:	kflame_rec_file.id
 * @same_as:	an earlier id of the same file, which has a table: share that table. All members
 *		below and @flags are zero then; else 0
 * @nr_pages:	number of pages
 * @nr_rows:	number of rows
 * @nr_rules:	number of rules
 * @pad:	zero
 * @pages:	user address of @nr_pages + 1 values, __u32: the index of each page's first
 *		row, and @nr_rows as the last value. Page N covers the file's bytes from
 *		N * KFLAME_TABLE_PAGE on
 * @rows:	user address of the rows, __u32, KFLAME_ROW(); offsets rise within each page
 * @rules:	user address of the rules, struct kflame_rule
 *
 * For sessions that walk by tables, from START on. Errors:
 *
 * EINVAL: a value is out of range, rows do not rise, or a rule is impossible. EEXIST: the file has
 * a table already. ENOENT: @same_as has none. ENOSPC: the session's kflame_config.table_bytes are
 * used up, or it has as many tables as it can have. ENOMEM: the cap of all sessions is used up, but
 * for 1 MiB that is left to records.
 */
struct kflame_table {
	__u32 size;
	__u32 flags;
	__aligned_u64 file;
	__aligned_u64 same_as;
	__u32 nr_pages;
	__u32 nr_rows;
	__u32 nr_rules;
	__u32 pad;
	__aligned_u64 pages;
	__aligned_u64 rows;
	__aligned_u64 rules;
};

#define KFLAME_TABLE_SIZE_0	64	/* as first published */

/* -------------------------------------------------------- rings of stack copies */

/**
 * struct kflame_ring - the first page of a CPU's ring, as mmap(2) maps it
 * @head:	bytes ever written, by the module. Read it with acquire semantics
 * @tail:	bytes ever read, by the reader. Write it with release semantics
 * @dropped:	records that found no room, ever
 *
 * The ring of CPU N is at offset N * (page size + kflame_config.ring_bytes) of the device,
 * from START on: this page, which is writable, and then the data. mmap(2) maps the whole
 * ring, MAP_SHARED and not executable, or fails with EINVAL. It fails with ENODATA if the
 * CPU has no ring (yet), because it was never sampled. The mapping keeps the session; a
 * child does not inherit it. poll(2) reports POLLIN once a ring is half full. read(2)
 * clears that state, and then the rings should be read.
 *
 * A record (struct kflame_rec) begins at @tail modulo ring_bytes and never crosses the
 * end: KFLAME_REC_PAD fills the rest. A false @tail costs only the session's own records.
 */
struct kflame_ring {
	__aligned_u64 head;
	__aligned_u64 tail;
	__aligned_u64 dropped;
};

/* kflame_rec_ustack.flags */
#define KFLAME_COPY_CUT		(1U << 0) /* the stack may go on beyond the requested size */
#define KFLAME_COPY_FAULT	(1U << 1) /* the copy ends at an absent page, or the stack ends */
#define KFLAME_COPY_COUNTED	(1U << 2) /* the sample is counted in a table (KFLAME_DUMP_BOTH) */

#define KFLAME_REGS_X86_64	17 /* DWARF numbers 0 to 16: rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip */
#define KFLAME_REGS_ARM64	33 /* x0 to x30, sp, pc */

/**
 * struct kflame_rec_ustack - KFLAME_REC_USTACK: one sample with a copy of its user stack
 * @rec:	type and size
 * @aspace:	as in struct kflame_rec_count
 * @time_ns:	when it was taken; with KFLAME_CF_TIMELINE when it was due, as kflame_sample has it
 * @weight_ns:	as in struct kflame_rec_count
 * @late_ns:	as in struct kflame_rec_count
 * @cpu:	as in struct kflame_rec_count
 * @context:	as in struct kflame_rec_count
 * @tgid:	as in struct kflame_rec_count
 * @tid:	as in struct kflame_rec_count
 * @comm:	as in struct kflame_rec_count
 * @kend:	KFLAME_END_* of the kernel stack
 * @nr_kernel:	its frames
 * @uend:	KFLAME_END_* of the user stack as the module walked it, if @nr_user is not 0
 * @nr_user:	its frames: with KFLAME_DUMP_BOTH, and with KFLAME_DUMP_REST as far as the module
 *		could walk
 * @nr_regs:	KFLAME_REGS_*
 * @flags:	KFLAME_COPY_*
 * @copied:	bytes of the stack, from the user's stack pointer on; a multiple of 8
 * @event:	id of the event, 0 for the timer. Of another event, @weight_ns is in its unit
 * @data:	@nr_kernel addresses, innermost first; @nr_user addresses; @nr_regs registers;
 *		@copied bytes
 */
struct kflame_rec_ustack {
	struct kflame_rec rec;
	__aligned_u64 aspace;
	__aligned_u64 time_ns;
	__aligned_u64 weight_ns;
	__aligned_u64 late_ns;
	__u32 cpu;
	__u32 context;
	__u32 tgid;
	__u32 tid;
	__u8 comm[KFLAME_COMM_LEN];
	__u32 kend;
	__u32 nr_kernel;
	__u32 uend;
	__u32 nr_user;
	__u32 nr_regs;
	__u32 flags;
	__u32 copied;
	__u32 event;
	__aligned_u64 data[];
};

/* ------------------------------------------------- how a sample was walked and counted */

/*
 * kflame_step.how: how the walk left a frame. Any other value is KFLAME_END_*: the walk ended at this frame,
 * for that reason.
 */
#define KFLAME_STEP_RULE	0x100 /* by @rule */
#define KFLAME_STEP_FP		0x101 /* by the frame record at @fp */

/* kflame_step.flags */
#define KFLAME_STEP_CACHED	(1U << 0) /* this CPU had cached the answer for @ip at an earlier sample */
#define KFLAME_STEP_EXACT	(1U << 1) /* @ip was interrupted. Otherwise @ip is a return address */
#define KFLAME_STEP_FP_LOST	(1U << 2) /* @fp is not known */
#define KFLAME_STEP_SP_LOST	(1U << 3) /* @sp is only a lower bound (arm64) */

#define KFLAME_EXPLAIN_STEPS	128 /* most steps of a KFLAME_REC_EXPLAIN record */

/**
 * struct kflame_step - one step of a walk by unwind tables
 * @ip:		program counter, or return address
 * @sp:		stack pointer of the frame: of a caller, the CFA of the frame that it called
 * @fp:		frame pointer of the frame
 * @rule:	the rule for @ip; all zero unless @how is KFLAME_STEP_RULE
 * @how:	KFLAME_STEP_RULE, KFLAME_STEP_FP or KFLAME_END_*
 * @flags:	KFLAME_STEP_*
 */
struct kflame_step {
	__aligned_u64 ip;
	__aligned_u64 sp;
	__aligned_u64 fp;
	struct kflame_rule rule;
	__u32 how;
	__u32 flags;
};

/* kflame_rec_explain.kwalk: how the kernel stack was walked */
#define KFLAME_KWALK_NONE	0 /* there is none: user mode was interrupted */
#define KFLAME_KWALK_CACHED	1 /* by cached unwind steps, or by frame records */
#define KFLAME_KWALK_KERNEL	2 /* by the kernel's own unwinder */

/**
 * struct kflame_rec_explain - KFLAME_REC_EXPLAIN: how the sample of the USTACK record before it in the
 *			       ring was walked and counted
 * @rec:	type and size
 * @due_ns:	when the timer was due; of another event, when it happened. kflame_rec_ustack.time_ns is
 *		when the sample was taken
 * @period_ns:	the timer's period now
 * @samples_before: samples of the sample's entry in the table before this one; 0: the entry is new
 * @weight_before: their weight
 * @samples:	samples of the entry with this one
 * @weight:	their weight
 * @seed:	seed of the table's hashes
 * @hash:	hash of the key
 * @buckets:	buckets of the table, a power of two
 * @bucket:	the bucket that has the entry. The search begins at @hash modulo @buckets
 * @probes:	buckets that the search looks at, at least 1
 * @entry:	id of the entry in the table, from 1
 * @nr_entries:	entries of the table with this one
 * @kstack:	id of the kernel stack in the table, which is part of the key; 0: none
 * @ustack:	id of the user stack in the table, which is part of the key
 * @kwalk:	KFLAME_KWALK_*
 * @nr_steps:	number of steps; 0 without unwind tables
 * @pad:	zero
 * @step:	the walk of the user stack, innermost frame first. It is a walk of its own, before the one
 *		whose frames the USTACK record has, so it shows which answers were cached before this sample
 *
 * With KFLAME_CF_EXPLAIN. The key has the members @aspace, @kstack, @ustack, @cpu, @context, @tgid, @tid and
 * @comm, in this order, as 6 words of 64 bits: kmod/store/table.c has the hash. A record that finds no room
 * in the ring is counted in kflame_ring.dropped.
 */
struct kflame_rec_explain {
	struct kflame_rec rec;
	__aligned_u64 due_ns;
	__aligned_u64 period_ns;
	__aligned_u64 samples_before;
	__aligned_u64 weight_before;
	__aligned_u64 samples;
	__aligned_u64 weight;
	__u32 seed;
	__u32 hash;
	__u32 buckets;
	__u32 bucket;
	__u32 probes;
	__u32 entry;
	__u32 nr_entries;
	__u32 kstack;
	__u32 ustack;
	__u32 kwalk;
	__u32 nr_steps;
	__u32 pad;
	struct kflame_step step[];
};

#endif /* _UAPI_KFLAME_UNWIND_H */
