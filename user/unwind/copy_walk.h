/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_walk.h - unwinds a copy of a stack, by the unwind information of mapped files
 *
 * libdw reads that information, and trusts it: only for a process of its own, see record/copy_worker.h.
 * libdwfl's unwinder is not used: it wants each file opened and read anew for each address
 * space, which is what short processes are made of. Here a file is read once for all.
 */
#ifndef KFLAME_UNWIND_COPY_WALK_H
#define KFLAME_UNWIND_COPY_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

#define WALK_DEPTH	1024	/* most frames of a stack */

struct walk_file;

/**
 * walk_file_open() - reads a file's unwind information
 * @fd:		of a regular file; belongs to the walk_file, also where there is none
 *
 * Return: NULL where it is no ELF file of this architecture, or has none.
 */
struct walk_file *walk_file_open(int fd);

/** walk_file_close() - frees it; takes NULL */
void walk_file_close(struct walk_file *f);

/** struct walk_map - an executable mapping */
struct walk_map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t file;		/* its number; 0 for none */
};

/** struct walk_space - an address space; its mappings are sorted and never overlap */
struct walk_space {
	const struct walk_map *maps;
	size_t nr;
	struct walk_file *(*file)(void *ctx, uint64_t number);	/* NULL: nothing is known of it */
	void *ctx;
};

/** struct walk_copy - what the module tells of a stack */
struct walk_copy {
	uint64_t regs[KFLAME_REGS_ARM64];
	uint32_t nr_regs;	/* KFLAME_REGS_* */
	uint32_t flags;		/* KFLAME_COPY_* */
	const unsigned char *stack;
	uint32_t bytes;		/* of it, from the stack pointer on */
};

/** struct walk_stack - frames, innermost first, as in struct kflame_rec_stack */
struct walk_stack {
	uint32_t end;		/* KFLAME_END_*, and KFLAME_BY_* */
	uint32_t nr;		/* at least 1 */
	uint64_t ip[WALK_DEPTH];
};

/** walk_pc() - Return: the program counter of a copy, 0 where it has none */
uint64_t walk_pc(const struct walk_copy *c);

/** walk() - unwinds a copy */
void walk(const struct walk_space *space, const struct walk_copy *copy, struct walk_stack *out);

#endif
