/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_walk.h - unwinds a copy of a stack, by the unwind information of mapped files
 *
 * libdw reads the unwind information, and trusts it. So this code runs only in a separate process, see
 * record/copy_worker.h. libdwfl's unwinder would open and read each file again for each address space,
 * which is slow for many short processes. Here, each file is read once.
 */
#ifndef KFLAME_UNWIND_COPY_WALK_H
#define KFLAME_UNWIND_COPY_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

#define WALK_DEPTH	1024	/* maximum number of frames of a stack */

struct walk_file;

/**
 * walk_file_open() - reads a file's unwind information
 * @fd:		a regular file; this function always takes ownership, and closes it on failure
 *
 * A file without unwind information is accepted: the walk then uses its code (table.h).
 *
 * Return: the file; NULL if it is no 64-bit ELF file for x86-64 or arm64, or without memory.
 */
struct walk_file *walk_file_open(int fd);

/** walk_file_close() - frees it; does nothing for NULL */
void walk_file_close(struct walk_file *f);

/** struct walk_map - an executable mapping */
struct walk_map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t file;		/* id of the file; 0 for none */
};

/** struct walk_space - an address space; its mappings are sorted and never overlap */
struct walk_space {
	const struct walk_map *maps;
	size_t nr;
	struct walk_file *(*file)(void *ctx, uint64_t number);	/* returns NULL for an unknown file */
	void *ctx;
};

/** struct walk_copy - the module's copy of a stack */
struct walk_copy {
	uint64_t regs[KFLAME_REGS_ARM64];
	uint32_t nr_regs;	/* KFLAME_REGS_* */
	uint32_t flags;		/* KFLAME_COPY_* */
	const unsigned char *stack;
	uint32_t bytes;		/* size of .stack, which begins at the stack pointer */
};

/** struct walk_stack - frames, innermost first, as in struct kflame_rec_stack */
struct walk_stack {
	uint32_t end;		/* KFLAME_END_*, and KFLAME_BY_* */
	uint32_t nr;		/* at least 1 */
	uint64_t ip[WALK_DEPTH];
};

/** walk_pc() - Return: the program counter of a copy; 0 if its registers are of no known machine */
uint64_t walk_pc(const struct walk_copy *c);

/** walk() - unwinds a copy */
void walk(const struct walk_space *space, const struct walk_copy *copy, struct walk_stack *out);

#endif
