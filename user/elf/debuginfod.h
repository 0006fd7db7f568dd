/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debuginfod.h - asks servers for debug files, where the user named some
 */
#ifndef KFLAME_ELF_DEBUGINFOD_H
#define KFLAME_ELF_DEBUGINFOD_H

#include <stddef.h>

/**
 * debuginfod_open() - gets the debug file of a build-id
 * @id:		build-id, @len bytes
 *
 * From the servers in the environment's DEBUGINFOD_URLS, by elfutils' library, which
 * keeps what it got and knows how long to wait (debuginfod_find_debuginfo(3)).  Nothing
 * is asked where the variable is not set, or the library is not installed.
 *
 * Return: a descriptor of the caller's; -1 for none.
 */
int debuginfod_open(const void *id, size_t len);

#endif
