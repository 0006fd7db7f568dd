/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks.h - a profile's counts as named stacks: the interface between naming and drawing
 *
 * The layers above (tree, views) use only this interface.  The layers below (profile, symbols) know
 * nothing of pictures.
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
	FRAME_INLINED,	/* a user function that was inlined into the frame before it */
	FRAME_KERNEL,	/* a kernel function, inlined or not */
	FRAME_SOFTIRQ,	/* a kernel frame that ran in a softirq */
	FRAME_NOTE,	/* not a function: "[idle]", "[gap]", "[unmapped]", ... */
	FRAME_ROOT,	/* before the thread, if wanted: a cgroup, a process, ... */
	FRAME_SCRIPT,	/* a function of an interpreted program */
};

/* struct frame.file of a user function that a just-in-time compiler made */
#define FRAME_FILE_JIT	"JIT"

/**
 * struct frame - one frame of a stack
 * @name:	never NULL, never empty
 * @file:	base name of the file or module it is in; NULL for none
 * @kind:	what it is
 *
 * Strings belong to the caller of the callback and live as long as the profile.
 */
struct frame {
	const char *name;
	const char *file;
	enum frame_kind kind;
};

/* The innermost frame of late time */
#define STACK_LATE	"[late: irqs off or stolen]"

/**
 * stack_fn - callback for one stack
 * @ctx:	as passed by the caller
 * @frames:	outermost first; frames[0] is the FRAME_COMM, or the FRAME_NOTE "[gap]".  With
 *		struct naming.root, a FRAME_ROOT is before the FRAME_COMM.  Idle and gap stacks belong to
 *		no process and have no FRAME_ROOT; in a profile of all time by state, the FRAME_ROOT "idle" takes
 *		the place of the idle thread
 * @nr:		number of frames, at least 1
 * @samples:	samples with exactly this stack; 0 for a part that is time only: a stack that ends in STACK_LATE
 * @ns:		the time that the stack stands for
 *
 * Return: 0 to continue; a negative errno, which stops the walk and becomes its result.
 */
typedef int (*stack_fn)(void *ctx, const struct frame *frames, size_t nr,
			uint64_t samples, uint64_t ns);

/**
 * profile_each_stack() - calls @fn with the named stack of every count of a profile
 *
 * @fn may receive the same stack more than once.  The sums over all calls are exactly the sums over the
 * profile's COUNT records.
 *
 * Return: 0; -ENOMEM; or a non-zero result of @fn.
 */
int profile_each_stack(const struct profile *p, stack_fn fn, void *ctx);

/** count_fn - callback for the stack of a count.  @count: its index; otherwise as stack_fn */
typedef int (*count_fn)(void *ctx, size_t count, const struct frame *frames, size_t nr);

/** profile_each_count() - calls @fn once for each count, without its late time */
int profile_each_count(const struct profile *p, count_fn fn, void *ctx);

/**
 * struct place - where a frame is, for output formats that keep more than names
 * @address:	the address in the stack; 0 for a frame without one (a thread, a note about a stack)
 * @caller:	@address is a return address: the call is before it
 * @inlined:	its function was inlined into the function of the frame before it, at the same address
 * @start:	address of its function's first byte; 0: not known
 * @map:	the mapping at @address; NULL in the kernel, or if it is not known
 * @build_id:	GNU build-id of the mapped file
 * @build_id_len: bytes of it; 0: not known
 * @path:	full path of the mapped file; NULL in the kernel, or if it is not known
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
 * struct sample - a stack with places and labels
 * @frames:	as for stack_fn
 * @places:	the place of each frame
 * @nr:		number of frames, and of places
 * @tgid:	process id; 0 for none
 * @tid:	thread id; 0 for none, or if threads were not recorded separately
 * @cgroup:	path of the cgroup; NULL: not known
 * @host:	name of the machine; NULL: not known
 * @run:	in a merged profile, the recording that the sample comes from; else NULL
 * @state:	state in which the thread waited, see wait_name(); NULL: it ran
 * @label:	what the sample is about, such as a file; NULL: not known
 * @event:	in a profile that keeps all events, the event if it is not the timer; else NULL. Then @ns is
 *		the weight in the event's unit
 * @samples:	as for stack_fn
 * @ns:		as for stack_fn
 * @count:	index of the count in the profile
 * @is_late:	the late time of that count: the last frame is a note
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
	const char *state;
	const char *label;
	const struct profile_event *event;
	uint64_t samples;
	uint64_t ns;
	size_t count;
	bool is_late;
};

/** sample_fn - callback for one sample; @s is valid until it returns.  Return: as a stack_fn */
typedef int (*sample_fn)(void *ctx, const struct sample *s);

/** profile_each_sample() - profile_each_stack() with places and labels */
int profile_each_sample(const struct profile *p, sample_fn fn, void *ctx);

#endif
