/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interpreters.h - functions of interpreted programs in user stacks
 *
 * The reader uploads a description of each file that has an interpreter (kflame-interpreters.h in
 * include/uapi). A sample of a process that maps such a file goes through these steps:
 *
 *   1. kf_interpreter_find() finds the description, by the mappings of the address space. Each CPU caches the
 *	answer. Without descriptions a sample reads one pointer. In other processes it compares one id.
 *   2. The walker of the interpreter (struct kf_walker) collects the frames of the program in one access
 *	window. It makes no calls meanwhile.
 *   3. Each CPU caches which function and line a frame is (struct kf_ifunction). If a frame is new, its
 *	walker reads name, file and line, and kf_labels_intern() makes an id of them.
 *   4. Each frame of the interpreter's loop in the native stack is replaced by the frames of the program up
 *	to the next that the loop was entered with. Other native frames stay where they are. If C code is
 *	about to enter a loop, or has just left it, the program has frames without a loop. They are the
 *	innermost ones, and are left out.
 *
 * Names are read at once and not later by a worker. The function is running, so its name exists and is
 * the right one, and the process may end after the sample. A page that is absent is not read: the frame
 * then says so, and its name is tried again in a later sample.
 *
 * One more interpreter is one more struct kf_walker in a file of its own, and a kind in the ABI.
 *
 * User memory is hostile. All reads are of checked addresses (read_word.h), all loops are bounded, and a
 * sample reads KF_INTERPRETER_BYTES of names and lines at most. False memory makes false names, only of
 * stacks of the process itself. Names of one user other than root take a quarter of the table at most.
 *
 * Context: unless stated otherwise as the sample path, see sample/sample.c.
 */
#ifndef KF_INTERPRETERS_H
#define KF_INTERPRETERS_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include <kflame.h>
#include "store/frames.h"
#include "store/labels.h"

struct kf_umaps;
struct kf_umap_run;

#define KF_INTERPRETER_FRAMES	128U		/* most frames of a program in a stack */
#define KF_INTERPRETER_BYTES	(64U << 10)	/* most bytes of names and lines that a sample reads */
#define KF_INTERPRETER_SWITCH	(4U << 10)	/* the same where the lock of a run queue may be held */
#define KF_INTERPRETER_CHUNK	256U		/* bytes that are read at once */

/**
 * struct kf_iframe - a frame of the program, as a walker found it
 * @function:	address of the function's object
 * @at:		where in the function, in the walker's own form
 * @check:	differs, most likely, if another object is at the address
 * @is_entry:	the interpreter's loop was entered with this frame
 */
struct kf_iframe {
	u64 function;
	u32 at;
	u32 check;
	bool is_entry;
};

/**
 * struct kf_ifunction - a cached answer: function and line of a frame. The first three identify it.
 * @aspace:	id of the address space; 0: the slot is empty
 * @function:	as in struct kf_iframe
 * @place:	@at and @check of struct kf_iframe
 * @ip:		KFLAME_FUNCTION, with id and line
 */
struct kf_ifunction {
	u64 aspace;
	u64 function;
	u64 place;
	u64 ip;
};

#define KF_IFUNCTIONS	512U	/* a power of two */

/* A cached answer of kf_interpreter_find(): the interpreter of an address space */
struct kf_iaspace {
	u64 aspace;
	u64 run;	/* where its mappings are in the ring: they are written once */
	u64 base;
	const struct kf_interpreter *interpreter;
	u32 nr;		/* descriptions that were compared */
};

#define KF_IASPACES	64U	/* a power of two */

/**
 * struct kf_icpu - what walks of interpreters need on a CPU
 * @aspaces:	cached answers
 * @functions:	cached answers
 * @interpreter: of the current sample; NULL for none
 * @base:	where its mapping would have file offset 0
 * @aspace:	id of the address space
 * @nr:		frames of @frame
 * @complete:	the outermost frame is among them
 * @left:	bytes that this sample may still read
 * @missed:	a read failed since this was cleared
 * @frame:	the program's frames, innermost first
 * @ip:		scratch: the same frames, to be recorded
 * @native:	scratch: the native stack
 * @text:	scratch: a name and a path
 * @chunk:	scratch, for a walker
 */
struct kf_icpu {
	struct kf_iaspace aspaces[KF_IASPACES];
	struct kf_ifunction functions[KF_IFUNCTIONS];
	const struct kf_interpreter *interpreter;
	u64 base;
	u64 aspace;
	u32 nr;
	bool complete;
	u32 left;
	bool missed;
	struct kf_iframe frame[KF_INTERPRETER_FRAMES];
	u64 ip[KF_INTERPRETER_FRAMES];
	u64 native[KF_MAX_UDEPTH];
	char text[KF_LABEL_LEN];
	u8 chunk[KF_INTERPRETER_CHUNK];
};

/**
 * struct kf_iname - a function, as a walker read it
 * @name_len:	bytes of the name at the begin of kf_icpu.text; 0: it could not be read
 * @len:	bytes of name and path there
 * @first_line:	where the function begins
 * @line:	where the frame is; 0: not known
 */
struct kf_iname {
	u32 name_len;
	u32 len;
	u32 first_line;
	u32 line;
};

/**
 * struct kf_walker - how to walk one kind of interpreter
 * @kind:	KFLAME_INTERPRETER_*
 * @nr_at:	offsets that the kind has
 * @walk:	sets @nr, @complete and @frame of struct kf_icpu. Called with page faults off
 * @read:	reads a frame's function and line. Called with page faults off
 * @is_sane:	checks offsets that are more than an offset; NULL if there are none
 * @has_towers:	the loop calls itself, directly or through one function, for the same frames of the program.
 *		All frames of such a tower are one loop
 */
struct kf_walker {
	u32 kind;
	u32 nr_at;
	void (*walk)(const struct kf_interpreter *i, struct kf_icpu *c);
	void (*read)(const struct kf_interpreter *i, struct kf_icpu *c, const struct kf_iframe *f,
		     struct kf_iname *name);
	bool (*is_sane)(const struct kflame_interpreter *is);
	bool has_towers;
};

extern const struct kf_walker kf_cpython_3_11;
extern const struct kf_walker kf_cpython;
extern const struct kf_walker kf_perl_5;

/* An interpreter: its description, which was checked whole, and its walker */
struct kf_interpreter {
	const struct kf_walker *walker;
	struct kflame_interpreter is;
};

#define KF_INTERPRETER_USERS	64U /* users that share a slot share a quarter of the table */

/**
 * struct kf_interpreters - the interpreters of a session
 * @nr:		of @all; an element is written before @nr counts it, and never changes
 * @file:	ids of their files
 * @all:	the interpreters
 * @names:	the functions; kf_label.kind is KFLAME_INTERPRETER_*, .root_len the length of the name and
 *		.minor the first line
 * @used:	bytes of @names by user
 * @cpus:	struct kf_icpu of each possible CPU
 * @bytes:	memory that is reserved
 */
struct kf_interpreters {
	u32 nr;
	u64 file[KFLAME_MAX_INTERPRETERS];
	struct kf_interpreter all[KFLAME_MAX_INTERPRETERS];
	struct kf_labels *names;
	atomic_t used[KF_INTERPRETER_USERS];
	struct kf_icpu *cpus;
	size_t bytes;
};

struct kf_interpreters *kf_interpreters_create(void);
void kf_interpreters_destroy(struct kf_interpreters *s);
int kf_interpreter_check(const struct kflame_interpreter *is, const struct kf_walker **walker);
int kf_interpreters_add(struct kf_interpreters *s, const struct kflame_interpreter *is,
			const struct kf_walker *walker);
bool kf_interpreter_find(struct kf_interpreters *s, u32 cpu, const struct kf_umaps *maps,
			 const struct kf_umap_run *run, u64 aspace);
void kf_interpreter_merge(struct kf_interpreters *s, u32 cpu, u32 depth, u32 bytes, struct kf_frames *f);

/* Read user memory. Page faults are off. Return: false if a byte of it cannot be read now */
bool kf_interpreter_read(struct kf_icpu *c, void *to, u64 from, u32 bytes);

#endif
