/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwinder.h - the process that unwinds copies of stacks, and what is said to it
 *
 * Over a socket of whole messages, each beginning with a struct unwinder_head; to a copy,
 * and to nothing else, it answers, in their order. It is confined as sandbox.h has it, and
 * what it answers is not trusted to be more than a stack. See nursery.h for how it is started.
 */
#ifndef KFLAME_UNWINDER_H
#define KFLAME_UNWINDER_H

#include <stdint.h>

#include "unwind/walk.h"

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

/** unwinder_run() - does it, until the other end is closed */
void unwinder_run(int socket);

#endif
