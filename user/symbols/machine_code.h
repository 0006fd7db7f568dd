/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_code.h - reads the machine code of a function in a recorded file or kernel
 */
#ifndef KFLAME_SYMBOLS_MACHINE_CODE_H
#define KFLAME_SYMBOLS_MACHINE_CODE_H

#include "profile/profile.h"
#include "symbols/vmlinux.h"

/**
 * struct code - some bytes of machine code; code_exit() frees them
 * @bytes:	the code; NULL if there is none
 * @len:	number of bytes
 * @address:	address of the first byte: in a file as it was linked, in the kernel as it ran
 * @machine:	EM_*
 * @missing:	if @bytes is NULL, why, and what to do
 */
struct code {
	unsigned char *bytes;
	size_t len;
	uint64_t address;
	unsigned int machine;
	const char *missing;
};

/**
 * code_of_file() - reads code of a mapped file
 * @symbols:	as for binary_open_file()
 * @start:	file offset
 * @end:	one past the last file offset
 * @out:	the code
 *
 * Return: 0, even if there is no code; -ENOMEM.
 */
int code_of_file(const struct profile_file *f, const char *symbols, uint64_t start, uint64_t end,
		 struct code *out);

/**
 * code_of_kernel() - reads code of the kernel or one of its modules
 * @v:		an image whose load address is known; NULL for none
 * @s:		the function
 * @out:	the code
 *
 * The code comes from memory (/proc/kcore) if the recorded kernel runs here, with the function at the
 * same address.  Memory has what was executed, including runtime patches.  Otherwise the code comes from
 * the image.
 *
 * Return: 0, even if there is no code; -ENOMEM.
 */
int code_of_kernel(const struct profile *p, const struct vmlinux *v,
		   const struct profile_symbol *s, struct code *out);

/** code_exit() - frees what is in @c */
void code_exit(struct code *c);

#endif
