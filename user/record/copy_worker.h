/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_worker.h - the sandbox that unwinds copies of stacks, and the messages to it
 *
 * Each message begins with a struct unwinder_head.  The socket keeps messages whole.  The unwinder
 * answers each UNWINDER_COPY with a struct walk_stack, in the same order, and nothing else.
 */
#ifndef KFLAME_RECORD_COPY_WORKER_H
#define KFLAME_RECORD_COPY_WORKER_H

#include <stdint.h>

#include "sandbox/sandbox.h"
#include "unwind/copy_walk.h"

#define UNWINDER_MAPS	1024	/* most in a message */
#define UNWINDER_FILES	512	/* most files that are kept */
#define UNWINDER_SPACES	256	/* most address spaces that are */

enum unwinder_kind {
	UNWINDER_FILE,		/* a file's number, and its descriptor */
	UNWINDER_SPACE,		/* an address space's, and maps; more maps follow, or came */
	UNWINDER_COPY,		/* the address space's; words and bytes follow */
	UNWINDER_FORGET_FILES,	/* all of them */
	UNWINDER_FORGET_SPACES,
};

struct unwinder_head {
	uint32_t kind;
	uint32_t nr;		/* maps; registers */
	uint64_t number;
	uint32_t flags;		/* KFLAME_COPY_*; a space: 1 for its first maps */
	uint32_t bytes;		/* of the stack */
};

#define UNWINDER_MESSAGE \
	(sizeof(struct unwinder_head) + KFLAME_REGS_ARM64 * 8 + KFLAME_DUMP_MAX)

/** unwinder_work - for sandbox_start(), with the socket as its one descriptor.  Ends when the socket is closed */
extern const struct sandbox_work unwinder_work;

#endif
