/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kcore.h - what /proc/kcore tells of the running kernel where /proc/kallsyms does not
 */
#ifndef KFLAME_SYMBOLS_KCORE_H
#define KFLAME_SYMBOLS_KCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * kcore_stext() - where _stext is in the running kernel
 *
 * Return: 0 where it is unknown: without CONFIG_PROC_KCORE, without CAP_SYS_RAWIO, or
 * locked down.
 */
uint64_t kcore_stext(void);

/** kcore_stext_of() - as kcore_stext(), in a file like /proc/kcore, whatever it holds */
uint64_t kcore_stext_of(int fd);

/**
 * kcore_read() - reads the memory of the running kernel
 *
 * Return: whether all of it was read; that takes CAP_SYS_RAWIO.
 */
bool kcore_read(uint64_t address, void *to, size_t len);

#endif
