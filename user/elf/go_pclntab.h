/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_pclntab.h - find the functions of a Go program by the table of its runtime
 *
 * Go programs are often shipped stripped (-ldflags=-s), and have neither .dynsym nor unwind information.  The
 * table in .gopclntab is never stripped: a program needs it to print its own stack.
 */
#ifndef KFLAME_ELF_GO_PCLNTAB_H
#define KFLAME_ELF_GO_PCLNTAB_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A section that only Go programs have, since Go 1.13 */
#define GO_BUILD_INFO	".go.buildinfo"

/** struct go_function - a function, with addresses in the file */
struct go_function {
	uint64_t start;
	uint64_t end;		/* address after the last byte */
	const char *name;	/* points into the file */
	uint64_t frames;	/* offset in the table: the function's frame sizes */
};

/** struct go_table - the functions of a file; all zero is none */
struct go_table {
	struct go_function *all;	/* sorted by address */
	size_t nr, cap;
	const unsigned char *data;	/* the whole table, in the file */
	uint64_t len;
};

/**
 * go_table_load() - read the table of Go 1.2 to 1.15, 1.16, 1.18, or 1.20 and later
 * @elf:	64-bit and little-endian; must outlive @out, which points to names in it
 * @out:	the caller frees it with go_table_exit(), whatever is returned
 *
 * The file is untrusted: entries that point outside of the table are skipped.
 *
 * Return: 0, also if there is no table or it is damaged; -ENOMEM.
 */
int go_table_load(Elf *elf, struct go_table *out);

/**
 * go_table_leaf() - is the return address where a leaf function without a frame has it?
 *
 * As for cfi_leaf(), this is the word at the stack pointer (x86-64) or the link register (arm64).
 *
 * Return: whether the table says so.
 */
bool go_table_leaf(const struct go_table *t, uint64_t address);

/** go_table_exit() - free what go_table_load() allocated */
void go_table_exit(struct go_table *t);

#endif
