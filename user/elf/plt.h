/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plt.h - what the jump stubs of an ELF file lead to
 *
 * Stubs of the procedure linkage table have no symbols.  Each reads the address to jump to
 * from a slot, and a relocation says which symbol's address the slot gets.
 */
#ifndef KFLAME_ELF_PLT_H
#define KFLAME_ELF_PLT_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

/** struct plt_stub - a stub, or what is in such a section beside them */
struct plt_stub {
	uint64_t address;	/* as the file counts */
	uint64_t bytes;
	const char *symbol;	/* in the file's string table; NULL: not known */
};

/** struct plt - those of a file, all zero is none; their sections are covered whole */
struct plt {
	struct plt_stub *all;
	size_t nr, cap;
};

/**
 * plt_load() - finds the stubs
 * @elf:	must outlive @out.  x86-64 and arm64; elsewhere no stub is known
 * @out:	to be freed with plt_exit() whatever is returned
 *
 * Return: 0, also of damage; -ENOMEM.
 */
int plt_load(Elf *elf, struct plt *out);

/** plt_exit() - frees what plt_load() took */
void plt_exit(struct plt *p);

#endif
