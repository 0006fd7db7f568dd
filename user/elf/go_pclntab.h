/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_pclntab.h - the functions of a Go program, by the table that its own runtime uses
 *
 * Go programs are shipped stripped (-ldflags=-s), and have neither .dynsym nor unwind
 * information. The table in .gopclntab stays: without it a program could not print its own stack.
 */
#ifndef KFLAME_ELF_GO_PCLNTAB_H
#define KFLAME_ELF_GO_PCLNTAB_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A section that only Go programs have, of Go 1.13 on */
#define GO_BUILD_INFO	".go.buildinfo"

/** struct go_function - addresses as the file counts */
struct go_function {
	uint64_t start;
	uint64_t end;		/* one past the last byte */
	const char *name;	/* in the file */
	uint64_t frames;	/* place in the table of how large its frame is, where */
};

/** struct go_table - all zero is none */
struct go_table {
	struct go_function *all;	/* by address */
	size_t nr, cap;
	const unsigned char *data;	/* all of it, in the file */
	uint64_t len;
};

/**
 * go_table_load() - reads the table, of Go 1.2 to 1.15, 1.16, 1.18 and 1.20 on
 * @elf:	64 bits wide and little-endian; must outlive @out: the names are in it
 * @out:	to be freed with go_table_exit() whatever is returned
 *
 * Nobody vouches for the file: what does not fit in it is left out.
 *
 * Return: 0, also where there is none, and of damage; -ENOMEM.
 */
int go_table_load(Elf *elf, struct go_table *out);

/**
 * go_table_leaf() - is the return address where a leaf without a frame has it?
 *
 * As cfi_leaf(): the word at the stack pointer (x86-64), the link register (arm64).
 *
 * Return: whether the table says so.
 */
bool go_table_leaf(const struct go_table *t, uint64_t address);

/** go_table_exit() - frees what go_table_load() took */
void go_table_exit(struct go_table *t);

#endif
