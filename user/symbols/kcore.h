/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kcore.h - reads code and the address of _stext of the running kernel from /proc/kcore
 */
#ifndef KFLAME_SYMBOLS_KCORE_H
#define KFLAME_SYMBOLS_KCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * kcore_stext() - the address of _stext in the running kernel
 *
 * Return: the address; 0 if it is unknown: without CONFIG_PROC_KCORE, without CAP_SYS_RAWIO, or if the
 * kernel is locked down.
 */
uint64_t kcore_stext(void);

/** kcore_stext_of() - as kcore_stext(), but from @fd, whose contents may be malformed */
uint64_t kcore_stext_of(int fd);

/**
 * kcore_read() - reads the memory of the running kernel
 *
 * Reading needs CAP_SYS_RAWIO.
 *
 * Return: whether all bytes were read.
 */
bool kcore_read(uint64_t address, void *to, size_t len);

#endif
