/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs.h - where tracefs is mounted
 */
#ifndef KFLAME_CATALOG_TRACEFS_H
#define KFLAME_CATALOG_TRACEFS_H

#include <stddef.h>

/**
 * tracefs_find() - find a directory of tracefs that has events
 * @root:	directory that stands for /
 * @path:	out: the directory, below @root; also after -EACCES
 *
 * Return: 0; -ENOENT if tracefs is not mounted; another negative errno if it cannot be read.
 */
int tracefs_find(const char *root, char *path, size_t size);

/** tracefs_has_event() - Return: 1 if this kernel has a tracepoint SYSTEM:NAME; 0 if not; -errno if tracefs cannot be read */
int tracefs_has_event(const char *system_name);

#endif
