/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_symbols.h - the symbols of /proc/kallsyms
 */
#ifndef KFLAME_CATALOG_KERNEL_SYMBOLS_H
#define KFLAME_CATALOG_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct kernel_symbol - a symbol
 * @address:	0: hidden by kptr_restrict
 * @order:	its position in the file
 * @type:	a letter, as nm(1) has it
 * @module:	NULL: the kernel itself
 */
struct kernel_symbol {
	uint64_t address;
	size_t order;
	char type;
	const char *name;
	const char *module;
};

/**
 * struct kernel_symbols - all symbols, in the order of the file; all zero before they are read
 * @first:	_stext, where the code begins that stays in memory after the kernel was booted; without it all zero
 * @end:	_etext, where that code ends
 */
struct kernel_symbols {
	char *text;		/* private to kernel_symbols.c */
	bool was_read;
	int err;
	struct kernel_symbol *all;
	size_t nr, cap;
	struct kernel_symbol first, end;
};

/**
 * kernel_symbols_read() - reads the file, if that was not done before
 * @root:	directory that stands for /
 *
 * Return: 0 or a negative errno, also if an earlier call failed.
 */
int kernel_symbols_read(struct kernel_symbols *k, const char *root);

/** kernel_symbols_exit() - frees them; @k is all zero afterwards */
void kernel_symbols_exit(struct kernel_symbols *k);

#endif
