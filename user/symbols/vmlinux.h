/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vmlinux.h - a kernel image as it was linked: symbols, and maybe debug data
 *
 * KASLR loads a kernel at another address than it was linked for.  Once the difference is known, the
 * functions here use addresses of the running kernel.
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
 * vmlinux_open() - opens the image that the user named
 * @kernel:	build-id of the kernel that the image must belong to
 *
 * If the image has no build-id, or @kernel is not known, any image is accepted.
 *
 * Return: the image, for vmlinux_close(); NULL, after an error message, if it is no image or belongs to
 * another kernel.
 */
struct vmlinux *vmlinux_open(const char *path, const struct kernel_id *kernel);

/**
 * vmlinux_find() - searches for the image where distributions install it
 * @release:	release of the kernel, as uname -r prints it
 * @kernel:	build-id that the image must have, because a release may be built many times
 *
 * Return: the image, for vmlinux_close(); NULL for none, without a message.
 */
struct vmlinux *vmlinux_find(const char *release, const struct kernel_id *kernel);

/** vmlinux_close() - frees it; does nothing for NULL */
void vmlinux_close(struct vmlinux *v);

/** vmlinux_path() - Return: the path of the image */
const char *vmlinux_path(const struct vmlinux *v);

/** vmlinux_place() - sets the address of _stext in the running kernel; 0: it is not known */
void vmlinux_place(struct vmlinux *v, uint64_t stext);

/**
 * vmlinux_hint() - reports the address of a function in the running kernel
 *
 * If the address of _stext is not known, the majority of these hints decides.  A hint is ignored if the
 * image has no function of that name, or several.
 */
void vmlinux_hint(struct vmlinux *v, const char *name, uint64_t start);

/** vmlinux_stext() - Return: the address of _stext in the running kernel; 0: it is not known */
uint64_t vmlinux_stext(const struct vmlinux *v);

/**
 * vmlinux_function() - finds the function at an address of the running kernel
 * @start:	out: its first address
 * @end:	out: one past its last address
 *
 * Return: its name, valid until vmlinux_close(); NULL for none.
 */
const char *vmlinux_function(const struct vmlinux *v, uint64_t address, uint64_t *start,
			     uint64_t *end);

/**
 * vmlinux_sources() - looks up source lines and inlined functions
 * @addresses:	addresses of the running kernel, sorted
 * @wish:	SOURCE_INLINE_AUTO: skip an image with too much debug data
 * @time_ns:	as for sources_ask()
 *
 * Return: as binary_sources(); -ENOMEM.
 */
int vmlinux_sources(const struct vmlinux *v, const uint64_t *addresses, size_t nr,
		    enum source_inline wish, uint64_t *time_ns,
		    const struct source_taker *taker);

/**
 * vmlinux_code() - reads the code at an address of the running kernel
 *
 * Return: whether the image has all of the code; a debug file has no code.
 */
bool vmlinux_code(const struct vmlinux *v, uint64_t address, void *to, size_t len);

#endif
