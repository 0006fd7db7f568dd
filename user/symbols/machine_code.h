/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_code.h - the machine code of a function, of the file or the kernel that was recorded
 */
#ifndef KFLAME_SYMBOLS_MACHINE_CODE_H
#define KFLAME_SYMBOLS_MACHINE_CODE_H

#include "profile/profile.h"
#include "symbols/vmlinux.h"

/**
 * struct code - some bytes of it; code_exit() frees it
 * @bytes:	NULL: there are none, and @missing says why and what to do
 * @len:	how many
 * @address:	of the first one: as the file was linked, in the kernel as it ran
 * @machine:	EM_*
 */
struct code {
	unsigned char *bytes;
	size_t len;
	uint64_t address;
	unsigned int machine;
	const char *missing;
};

/**
 * code_of_file() - of a file that was mapped
 * @symbols:	as for binary_open_file()
 * @start:	file offset
 * @end:	one past the last
 *
 * Return: 0, also where there is none; -ENOMEM.
 */
int code_of_file(const struct profile_file *f, const char *symbols, uint64_t start, uint64_t end,
		 struct code *out);

/**
 * code_of_kernel() - of the kernel or one of its modules
 * @v:		an image that is placed; NULL for none
 * @s:		the function
 *
 * From memory (/proc/kcore) where that kernel runs here and has the function there: that is what
 * was executed, patches and all.  Otherwise from the image.
 *
 * Return: as above.
 */
int code_of_kernel(const struct profile *p, const struct vmlinux *v,
		   const struct profile_symbol *s, struct code *out);

/** code_exit() - frees what is in @c */
void code_exit(struct code *c);

#endif
