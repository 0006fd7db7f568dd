/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms.h - the names of kernel functions
 */
#ifndef KFLAME_SYMBOLS_KALLSYMS_H
#define KFLAME_SYMBOLS_KALLSYMS_H

#include <stdint.h>
#include <stdio.h>

struct kernel_symbols;

/**
 * kernel_symbols_load() - reads /proc/kallsyms, including the symbols of modules
 * @device:	descriptor of /dev/kflame; -1 for none. It is queried for single addresses if
 *		/proc/kallsyms is missing, hides addresses (kptr_restrict) or does not show where a
 *		function ends
 * @out:	to be freed with kernel_symbols_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_symbols_load(int device, struct kernel_symbols **out);

/**
 * kernel_symbols_parse() - reads the symbols from the text of a kallsyms file
 * @in:		the file, read to its end; NULL for none
 * @device:	as for kernel_symbols_load()
 * @out:	to be freed with kernel_symbols_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_symbols_parse(FILE *in, int device, struct kernel_symbols **out);

/** kernel_symbols_destroy() - frees the symbols; does nothing for NULL */
void kernel_symbols_destroy(struct kernel_symbols *k);

/**
 * kernel_symbols_stext() - the address of _stext, where the kernel's code begins
 *
 * Return: the address; 0 if /proc/kallsyms does not have it.
 */
uint64_t kernel_symbols_stext(const struct kernel_symbols *k);

/**
 * kernel_symbols_find() - the function at an address
 * @start:	out: its first address
 * @end:	out: one past its last address
 *
 * /proc/kallsyms has no sizes, so a function ends where the next symbol begins.  For the last function of
 * a module, the device is queried.  Without a device, a maximum length is assumed.
 *
 * Return: "name" or "name [module]", valid until the next call; NULL for none.
 */
const char *kernel_symbols_find(struct kernel_symbols *k, uint64_t address, uint64_t *start,
				uint64_t *end);

#endif
