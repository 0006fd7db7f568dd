/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kcore.h - what /proc/kcore tells of the running kernel where /proc/kallsyms does not
 */
#ifndef KFLAME_KCORE_H
#define KFLAME_KCORE_H

#include <stdint.h>

/**
 * kcore_stext() - where _stext is in the running kernel
 *
 * Return: 0 where it is not told: without CONFIG_PROC_KCORE, without CAP_SYS_RAWIO, or
 * locked down.
 */
uint64_t kcore_stext(void);

/** kcore_stext_of() - likewise in a file like /proc/kcore, whatever it holds */
uint64_t kcore_stext_of(int fd);

#endif
