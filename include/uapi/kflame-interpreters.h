/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * kflame-interpreters.h - functions of interpreted programs: descriptions of interpreters that the
 * reader uploads, and the frames and names that the module records
 *
 * Included by kflame.h, whose rules apply here, too.
 *
 * The reader finds an interpreter in a file, and uploads where its data structures have which member.
 * When the module samples a process that maps this file, it walks the frames of the program, and puts
 * them in the place of the interpreter's loop in the user stack. Names are read at the first sight of a
 * function, while its process is interrupted. So a process may end at once.
 */
#ifndef _UAPI_KFLAME_INTERPRETERS_H
#define _UAPI_KFLAME_INTERPRETERS_H

/* kflame_interpreter.kind: the walker of the module, and what kflame_interpreter.at means */
#define KFLAME_INTERPRETER_CPYTHON_3_11	1
#define KFLAME_INTERPRETER_PERL_5	2 /* see KFLAME_FEAT_PERL */
#define KFLAME_INTERPRETER_CPYTHON	3 /* KFLAME_FEAT_CPYTHON */

/*
 * Indices of kflame_interpreter.at for KFLAME_INTERPRETER_CPYTHON_3_11: offsets of members, in bytes.
 *
 * The thread specific data of the C library leads to a thread's state. It is right for every thread,
 * with or without the lock of the interpreter. A key has 16 bytes in a block of 32 keys. The first
 * block is in the thread's own structure.
 */
#define KFLAME_PY_KEY		0  /* kflame_interpreter.state: the thread state's key, 32 bits */
#define KFLAME_PY_KEYS		1  /* thread pointer: value of key 0 */
#define KFLAME_PY_KEY_BLOCKS	2  /* thread pointer: array of pointers to blocks of keys */
#define KFLAME_PY_KEY_VALUE	3  /* such a block: value of its first key */
#define KFLAME_PY_THREAD	4  /* PyThreadState.thread_id, which is the thread pointer */
#define KFLAME_PY_CFRAME	5  /* PyThreadState.cframe */
#define KFLAME_PY_CURRENT	6  /* _PyCFrame.current_frame */
#define KFLAME_PY_CODE		7  /* _PyInterpreterFrame.f_code */
#define KFLAME_PY_PREVIOUS	8  /* _PyInterpreterFrame.previous */
#define KFLAME_PY_INSTRUCTION	9  /* _PyInterpreterFrame.prev_instr */
#define KFLAME_PY_ENTRY		10 /* _PyInterpreterFrame.is_entry, 8 bits: the loop begins here */
#define KFLAME_PY_FIRST_LINE	11 /* PyCodeObject.co_firstlineno, 32 bits */
#define KFLAME_PY_FILE		12 /* PyCodeObject.co_filename */
#define KFLAME_PY_NAME		13 /* PyCodeObject.co_qualname */
#define KFLAME_PY_LINES		14 /* PyCodeObject.co_linetable, in the format of PEP 657 */
#define KFLAME_PY_FIRST		15 /* PyCodeObject.co_code_adaptive: the first instruction */
#define KFLAME_PY_LENGTH	16 /* str: its length in characters */
#define KFLAME_PY_STATE		17 /* str: PyASCIIObject.state */
#define KFLAME_PY_ASCII		18 /* str: the characters of one that is ASCII */
#define KFLAME_PY_CHARACTERS	19 /* str: the characters of another one */
#define KFLAME_PY_SIZE		20 /* bytes: ob_size */
#define KFLAME_PY_BYTES		21 /* bytes: ob_sval */
#define KFLAME_PY_NR		22

/*
 * Further indices for KFLAME_INTERPRETER_CPYTHON: CPython 3.9 to 3.14. The first ones are those of 3.11, but:
 *  - KFLAME_PY_KEY: of any version
 *  - KFLAME_PY_CFRAME: 0 if the thread's state itself has KFLAME_PY_CURRENT
 *  - KFLAME_PY_CODE: its lowest three bits are not part of the address
 *  - KFLAME_PY_ENTRY: 0. If KFLAME_PY_OWNER is 3 or more, the frame is no function, and a loop has begun with
 *    the next inner frame
 *  - KFLAME_PY_NAME: PyCodeObject.co_name before 3.11
 */
#define KFLAME_PY_OWNER		22 /* _PyInterpreterFrame.owner, 8 bits; 0: each frame begins a loop */
#define KFLAME_PY_COPY		23 /* _PyInterpreterFrame.tlbc_index, 32 bits; 0: code has no copies */
#define KFLAME_PY_COPIES	24 /* PyCodeObject.co_tlbc: a number, and addresses of the copies */
#define KFLAME_PY_CHARACTER	25 /* PyASCIIObject.state: the lowest bit of the bytes of a character */
#define KFLAME_PY_UNIT		26 /* KFLAME_PY_INSTRUCTION: signed, of so many bytes; 0: an address */
#define KFLAME_PY_LINES_ARE	27 /* KFLAME_PY_LINES_* */
#define KFLAME_PY_NR_ANY	28

#define KFLAME_PY_LINES_3_11	0 /* PEP 657 */
#define KFLAME_PY_LINES_3_10	1 /* PEP 626: bytes, and the difference of lines; -128 for none */
#define KFLAME_PY_LINES_3_9	2 /* the same, each for what follows it; without none */

/*
 * Indices of kflame_interpreter.at for KFLAME_INTERPRETER_PERL_5. Most are offsets of members, in bytes.
 *
 * A perl with threads finds its interpreter by a key, as described above. Another perl has one interpreter,
 * whose members are variables of their own.
 */
#define KFLAME_PL_THREADS	0  /* 1: kflame_interpreter.state is a key of 32 bits; 0: the interpreter */
#define KFLAME_PL_KEYS		1  /* thread pointer: value of key 0 */
#define KFLAME_PL_KEY_BLOCKS	2  /* thread pointer: array of pointers to blocks of keys */
#define KFLAME_PL_KEY_VALUE	3  /* such a block: value of its first key */
#define KFLAME_PL_STACK		4  /* interpreter: PL_curstackinfo */
#define KFLAME_PL_COP		5  /* interpreter: PL_curcop */
#define KFLAME_PL_CONTEXTS	6  /* PERL_SI.si_cxstack */
#define KFLAME_PL_PREVIOUS	7  /* PERL_SI.si_prev */
#define KFLAME_PL_NEXT		8  /* PERL_SI.si_next */
#define KFLAME_PL_TOP		9  /* PERL_SI.si_cxix, 32 bits */
#define KFLAME_PL_MOST		10 /* PERL_SI.si_cxmax, 32 bits */
#define KFLAME_PL_TYPE		11 /* PERL_SI.si_type, 32 bits */
#define KFLAME_PL_CONTEXT_BYTES	12 /* sizeof(PERL_CONTEXT), whose first byte is its type */
#define KFLAME_PL_OLD_COP	13 /* PERL_CONTEXT: blku_oldcop */
#define KFLAME_PL_RETURN	14 /* PERL_CONTEXT: retop */
#define KFLAME_PL_CV		15 /* PERL_CONTEXT: blku_sub.cv */
#define KFLAME_PL_REQUIRED	16 /* PERL_CONTEXT: blku_eval.old_namesv */
#define KFLAME_PL_UNION		17 /* SV.sv_u. SV.sv_any is at 0 */
#define KFLAME_PL_STASH		18 /* XPVCV.xcv_stash */
#define KFLAME_PL_START		19 /* XPVCV.xcv_start_u */
#define KFLAME_PL_GV		20 /* XPVCV.xcv_gv_u */
#define KFLAME_PL_FILE		21 /* XPVCV.xcv_file */
#define KFLAME_PL_FLAGS		22 /* XPVCV.xcv_flags, 32 bits */
#define KFLAME_PL_GV_NAME	23 /* XPVGV.xiv_u */
#define KFLAME_PL_GV_STASH	24 /* XPVGV.xnv_u */
#define KFLAME_PL_EGV		25 /* GP.gp_egv */
#define KFLAME_PL_HV_MAX	26 /* XPVHV.xhv_max */
#define KFLAME_PL_HV_AUX	27 /* XPVHV: its struct xpvhv_aux. 0: that is behind the array of the HV */
#define KFLAME_PL_HV_NAME	28 /* xpvhv_aux.xhv_name_u */
#define KFLAME_PL_HV_NAMES	29 /* xpvhv_aux.xhv_name_count, 32 bits */
#define KFLAME_PL_LINE		30 /* COP.cop_line, 32 bits */
#define KFLAME_PL_COP_FILE	31 /* COP: with threads cop_file, which is text; else cop_filegv */
#define KFLAME_PL_NEXTSTATE	32 /* not an offset: OP_NEXTSTATE, the type of most COPs */
#define KFLAME_PL_NR		33

#define KFLAME_INTERPRETER_LOOPS	4 /* a compiler may split a function in several ranges */
#define KFLAME_INTERPRETER_AT		40
#define KFLAME_INTERPRETER_AT_MAX	(1U << 20) /* no offset is larger */

/**
 * struct kflame_code_range - a range of code
 * @start:	file offset of its first byte
 * @end:	file offset behind its last byte
 */
struct kflame_code_range {
	__aligned_u64 start;
	__aligned_u64 end;
};

/**
 * struct kflame_interpreter - KFLAME_IOC_INTERPRETER: describes the interpreter in a file
 * @size:	sizeof(struct kflame_interpreter)
 * @flags:	zero
 * @file:	kflame_rec_file.id
 * @kind:	KFLAME_INTERPRETER_*
 * @version:	of the interpreter, in its own form. Not used by the module
 * @state:	distance of the interpreter's data to where the mapping of its code would have file
 *		offset 0, bytes; in two's complement. 0 without such data
 * @nr_loops:	ranges of @loop, at least 1
 * @nr_at:	offsets of @at: the number that @kind has
 * @loop:	code of the function that runs the program. Further ranges are zero
 * @at:		offsets of members, see @kind. Further ones are zero
 *
 * For sessions that walk by tables, from START on. Errors: EINVAL: the session was never started or walks by
 * frame pointers, or a value is out of range. EOPNOTSUPP: the module has no such @kind. EEXIST: the file
 * is described already. ENOSPC: KFLAME_MAX_INTERPRETERS files are. ENOMEM: no memory, or the cap of all
 * sessions is used up. The first description takes memory for names: up to 1.5 MiB, and 32 KiB for each
 * possible CPU.
 */
struct kflame_interpreter {
	__u32 size;
	__u32 flags;
	__aligned_u64 file;
	__u32 kind;
	__u32 version;
	__aligned_u64 state;
	__u32 nr_loops;
	__u32 nr_at;
	struct kflame_code_range loop[KFLAME_INTERPRETER_LOOPS];
	__u32 at[KFLAME_INTERPRETER_AT];
};

#define KFLAME_INTERPRETER_SIZE_0	264	/* as first published */
#define KFLAME_MAX_INTERPRETERS		64

/*
 * A frame of a user stack may be a function of an interpreted program: KFLAME_FUNCTION plus the function's
 * id and the line that is executed. No code has such an address. A reader that knows no functions shows an
 * unknown address.
 */
#define KFLAME_FUNCTION		0x4b49000000000000ULL
#define KFLAME_FUNCTION_MASK	0xffff000000000000ULL
#define KFLAME_FUNCTION_SHIFT	24
#define KFLAME_FUNCTION_MAX	((1U << 24) - 1) /* highest id, and highest line; higher lines are 0 */
#define KFLAME_FUNCTION_ID(ip)	((__u32)((ip) >> KFLAME_FUNCTION_SHIFT) & KFLAME_FUNCTION_MAX)
#define KFLAME_FUNCTION_LINE(ip) ((__u32)(ip) & KFLAME_FUNCTION_MAX) /* 0: not known */

/* The function of all frames whose own function found no room. It has no record */
#define KFLAME_FUNCTION_MORE	1U

/**
 * struct kflame_rec_function - KFLAME_REC_FUNCTION: a function of interpreted programs
 * @rec:	type and size
 * @id:		its id in this stream, from 2. The record may come after stacks that name it
 * @kind:	KFLAME_INTERPRETER_*
 * @line:	line of @text's file where the function begins; 0: not known
 * @name_len:	how many bytes at the begin of @text are the function's name; 0: it could not be read
 * @text_len:	bytes of @text, without the terminating NUL
 * @pad:	zero
 * @text:	NUL terminated UTF-8: the name and then the path of the file, which may be empty. A path of
 *		more than about 200 characters begins with "..."
 *
 * Functions with the same name, file and line have the same id, whatever process they are in.
 */
struct kflame_rec_function {
	struct kflame_rec rec;
	__u32 id;
	__u32 kind;
	__u32 line;
	__u32 name_len;
	__u32 text_len;
	__u32 pad;
	__u8 text[];
};

#endif /* _UAPI_KFLAME_INTERPRETERS_H */
