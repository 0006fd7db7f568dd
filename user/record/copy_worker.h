/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_worker.h - the sandbox that unwinds stack copies, and the messages to it
 *
 * Each message begins with a struct unwinder_head.  The socket preserves message boundaries.  The sandbox
 * answers each UNWINDER_COPY with a struct walk_stack, in the same order. It sends nothing else.
 */
#ifndef KFLAME_RECORD_COPY_WORKER_H
#define KFLAME_RECORD_COPY_WORKER_H

#include <stdint.h>

#include "sandbox/sandbox.h"
#include "unwind/copy_walk.h"

#define UNWINDER_MAPS	1024	/* limit of maps in one message */
#define UNWINDER_FILES	512	/* limit of files in the sandbox */
#define UNWINDER_SPACES	256	/* limit of address spaces in the sandbox */

enum unwinder_kind {
	UNWINDER_FILE,		/* a file: .number is its id, with its descriptor */
	UNWINDER_SPACE,		/* an address space: .number is its id; maps follow */
	UNWINDER_COPY,		/* a copy, with the id of its address space; registers and stack follow */
	UNWINDER_FORGET_FILES,	/* drop all files */
	UNWINDER_FORGET_SPACES,
};

struct unwinder_head {
	uint32_t kind;
	uint32_t nr;		/* how many maps, or how many registers */
	uint64_t number;
	uint32_t flags;		/* KFLAME_COPY_*; of a space: 1 in the message with its first maps */
	uint32_t bytes;		/* size of the copied stack */
};

#define UNWINDER_MESSAGE \
	(sizeof(struct unwinder_head) + KFLAME_REGS_ARM64 * 8 + KFLAME_DUMP_MAX)

/**
 * unwinder_work - for sandbox_start(), with the socket as its one descriptor.  Ends when the socket is
 * closed
 */
extern const struct sandbox_work unwinder_work;

#endif
