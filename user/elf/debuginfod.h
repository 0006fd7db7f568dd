/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debuginfod.h - get debug files from servers that the user named
 */
#ifndef KFLAME_ELF_DEBUGINFOD_H
#define KFLAME_ELF_DEBUGINFOD_H

#include <stddef.h>

/**
 * debuginfod_open() - get the debug file of a build-id
 * @id:		build-id, @len bytes
 *
 * The environment variable DEBUGINFOD_URLS names the servers.  elfutils' library asks them: it has a cache
 * and timeouts (debuginfod_find_debuginfo(3)).  If the variable is not set, or the library is not installed,
 * no server is asked.
 *
 * Return: a descriptor that the caller closes; negative if there is none.
 */
int debuginfod_open(const void *id, size_t len);

#endif
