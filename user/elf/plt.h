/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plt.h - find the symbols that the jump stubs of an ELF file lead to
 *
 * Stubs of the procedure linkage table have no symbols.  Each stub reads the address to jump to from a slot.
 * A relocation says which symbol's address the slot gets.
 */
#ifndef KFLAME_ELF_PLT_H
#define KFLAME_ELF_PLT_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

/** struct plt_stub - a stub, or other bytes of a section with stubs */
struct plt_stub {
	uint64_t address;	/* in the file */
	uint64_t bytes;
	const char *symbol;	/* in the file's string table; NULL: not known */
};

/** struct plt - the stubs of a file, which cover their sections completely; all zero is none */
struct plt {
	struct plt_stub *all;
	size_t nr, cap;
};

/**
 * plt_load() - find the stubs of a file
 * @elf:	must outlive @out.  Symbols are known for x86-64 and arm64 only
 * @out:	the caller frees it with plt_exit(), whatever is returned
 *
 * Return: 0, also if the file is damaged; -ENOMEM.
 */
int plt_load(Elf *elf, struct plt *out);

/** plt_exit() - free what plt_load() allocated */
void plt_exit(struct plt *p);

#endif
