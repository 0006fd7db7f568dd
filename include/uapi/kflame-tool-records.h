/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * kflame-tool-records.h - records of names, and others that the tool adds
 *
 * Included by kflame.h, whose rules apply here, too.
 */
#ifndef _UAPI_KFLAME_TOOL_RECORDS_H
#define _UAPI_KFLAME_TOOL_RECORDS_H

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
#define KFLAME_NAMED_DEBUG	6 /* no .symtab: its debug file, or its own debug data, was read */
#define KFLAME_NAMED_MINI	7 /* stripped: MiniDebugInfo and .dynsym were read */
#define KFLAME_NAMED_GO		8 /* stripped: .dynsym and the table of Go's runtime were read */

/* kflame_rec_named.flags */
#define KFLAME_NF_PACKED	(1U << 0) /* has debug data that the tool's libelf cannot unpack */
#define KFLAME_NF_TIME		(1U << 1) /* the time limit ended the search: addresses may lack a name */

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
 *		kernel-build-id (hexadecimal), kernel-base (address of _stext, 0x...); of an
 *		agent cut (id), cut-start, cut-end (CLOCK_REALTIME, nanoseconds), label.NAME
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
 * @text:	"key=value" strings, each NUL terminated: host, run, label.NAME
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
 * @flags:	KFLAME_TABLE_*, with KFLAME_TABLE_CODE
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

#endif /* _UAPI_KFLAME_TOOL_RECORDS_H */
