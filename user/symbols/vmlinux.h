/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vmlinux.h - a kernel's image as it was linked: symbols, and maybe debug data
 *
 * Addresses here are those of the running kernel, once it is known how far from where it was
 * linked that was loaded (KASLR).
 */
#ifndef KFLAME_SYMBOLS_VMLINUX_H
#define KFLAME_SYMBOLS_VMLINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/build_id.h"
#include "elf/source_lookup.h"
#include "profile/profile.h"

struct vmlinux;

/**
 * vmlinux_open() - opens the image that somebody named
 * @kernel:	the kernel that it is wanted for
 *
 * Return: for vmlinux_close(); NULL, after an error message: it is none, or that of another kernel.
 * An image without a build-id, and any image where @kernel is not known, is taken.
 */
struct vmlinux *vmlinux_open(const char *path, const struct kernel_id *kernel);

/**
 * vmlinux_find() - looks where distributions put it
 * @release:	uname -r
 * @kernel:	its build-id, which the image must have: a release may be built many times
 *
 * Return: for vmlinux_close(); NULL for none, in silence.
 */
struct vmlinux *vmlinux_find(const char *release, const struct kernel_id *kernel);

/** vmlinux_close() - frees it; takes NULL */
void vmlinux_close(struct vmlinux *v);

/** vmlinux_path() - Return: where it is */
const char *vmlinux_path(const struct vmlinux *v);

/** vmlinux_place() - says where _stext is in the running kernel; 0: it is not known */
void vmlinux_place(struct vmlinux *v, uint64_t stext);

/**
 * vmlinux_hint() - says where some function is in the running kernel
 *
 * Where that of _stext is not known, most of these decide.  Functions of which the image
 * has none, or more than one, say nothing.
 */
void vmlinux_hint(struct vmlinux *v, const char *name, uint64_t start);

/** vmlinux_stext() - Return: where _stext is in the running kernel; 0: it is not known */
uint64_t vmlinux_stext(const struct vmlinux *v);

/**
 * vmlinux_function() - the function at an address of the running kernel
 *
 * As binary_function().
 */
const char *vmlinux_function(const struct vmlinux *v, uint64_t address, uint64_t *start,
			     uint64_t *end);

/**
 * vmlinux_sources() - source lines and inlined functions
 * @addresses:	of the running kernel, sorted
 * @wish:	SOURCE_INLINE_AUTO: not where there is very much debug data
 *
 * As binary_sources().
 */
int vmlinux_sources(const struct vmlinux *v, const uint64_t *addresses, size_t nr,
		    enum source_inline wish, uint64_t *time_ns,
		    const struct source_taker *taker);

/**
 * vmlinux_code() - reads the code at an address of the running kernel
 *
 * Return: whether all of it is there; a debug file has none.
 */
bool vmlinux_code(const struct vmlinux *v, uint64_t address, void *to, size_t len);

#endif
