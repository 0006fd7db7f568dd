/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks.h - a profile's counts as named stacks: the seam between naming and drawing
 *
 * Everything above (tree, views) sees only this; everything below (profile,
 * symbols) knows nothing of pictures.
 */
#ifndef KFLAME_STACKS_STACKS_H
#define KFLAME_STACKS_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct profile;
struct profile_mapping;

enum frame_kind {
	FRAME_COMM,	/* root: the thread's name */
	FRAME_USER,
	FRAME_INLINED,	/* a user function that was inlined into the one before it */
	FRAME_KERNEL,	/* what was inlined there, too */
	FRAME_SOFTIRQ,	/* a kernel frame that ran in a softirq */
	FRAME_NOTE,	/* not a function: "[idle]", "[gap]", "[unmapped]", ... */
	FRAME_ROOT,	/* before the thread, if asked for: a cgroup, a process, ... */
};

/* The file of a user function that a just-in-time compiler made */
#define FRAME_FILE_JIT	"JIT"

/**
 * struct frame - one frame of a stack
 * @name:	never NULL, never empty
 * @file:	base name of the file or module it is in; NULL where there is none
 * @kind:	what it is
 *
 * Strings belong to the caller of the callback and live as long as the profile.
 */
struct frame {
	const char *name;
	const char *file;
	enum frame_kind kind;
};

/**
 * stack_fn - takes one stack
 * @ctx:	the caller's
 * @frames:	outermost first; frames[0] is the FRAME_COMM, or the FRAME_NOTE "[gap]" alone.
 *		With struct naming.root a FRAME_ROOT is before the FRAME_COMM, but
 *		for idle and gaps, which belong to no process
 * @nr:		at least 1
 * @samples:	samples of exactly this stack; 0 for a part that is time only
 *		(the "[late: irqs off or stolen]" leaf)
 * @ns:		the time they stand for
 *
 * Return: 0 to go on, a negative errno to stop with that.
 */
typedef int (*stack_fn)(void *ctx, const struct frame *frames, size_t nr,
			uint64_t samples, uint64_t ns);

/**
 * profile_each_stack() - call @fn for every count of a profile, named
 *
 * The same stack may come more than once.  The sums over all calls are the
 * sums over the profile's COUNT records, exactly.
 *
 * Return: 0, a negative errno of its own (-ENOMEM), or what @fn returned.
 */
int profile_each_stack(const struct profile *p, stack_fn fn, void *ctx);

/** count_fn - takes the stack of a count.  @count: its index; the rest, and what is returned, as above */
typedef int (*count_fn)(void *ctx, size_t count, const struct frame *frames, size_t nr);

/** profile_each_count() - calls @fn once for each count, without its late time */
int profile_each_count(const struct profile *p, count_fn fn, void *ctx);

/**
 * struct place - where a frame is, for formats that keep more than names
 * @address:	as the stack has it; 0 where the frame is at none (a thread, a note about a stack)
 * @caller:	it is a return address: the call is before it
 * @inlined:	its function was inlined into that of the frame before it, at the same address
 * @start:	address of its function's first byte; 0: not known
 * @map:	what is mapped there; NULL in the kernel, and where that is not known
 * @build_id:	GNU build-id of the file that is mapped there
 * @build_id_len: bytes of it; 0: not known
 * @path:	the whole path of that file; NULL as above
 * @symbol:	the function as the symbol table has it; NULL: not known
 * @source:	path of its source file; NULL: not known
 * @line:	line there; 0: not known
 */
struct place {
	uint64_t address;
	bool caller;
	bool inlined;
	uint64_t start;
	const struct profile_mapping *map;
	const uint8_t *build_id;
	uint32_t build_id_len;
	const char *path;
	const char *symbol;
	const char *source;
	uint32_t line;
};

/**
 * struct sample - a stack with all that is known of it
 * @frames:	as for stack_fn
 * @places:	of each frame, where it is
 * @nr:		of both
 * @tgid:	process; 0 for none
 * @tid:	thread; 0 for none, and where threads are not separate
 * @cgroup:	path; NULL: not known
 * @host:	name of the machine; NULL: not known
 * @run:	the recording it is of, in a merged profile
 * @samples:	as for stack_fn
 * @ns:		as for stack_fn
 */
struct sample {
	const struct frame *frames;
	const struct place *places;
	size_t nr;
	uint32_t tgid;
	uint32_t tid;
	const char *cgroup;
	const char *host;
	const char *run;
	uint64_t samples;
	uint64_t ns;
};

/** sample_fn - takes one; everything in it is there until it returns.  Return: as a stack_fn */
typedef int (*sample_fn)(void *ctx, const struct sample *s);

/** profile_each_sample() - profile_each_stack() with places and labels */
int profile_each_sample(const struct profile *p, sample_fn fn, void *ctx);

#endif
