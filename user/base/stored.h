/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stored.h - how much of a file can be data rather than holes
 */
#ifndef KFLAME_BASE_STORED_H
#define KFLAME_BASE_STORED_H

#include <stdint.h>
#include <sys/stat.h>

/* A compressing file system may store a file in one eighth of its size */
#define STORED_PACKED	8

/**
 * stored_bytes() - Return: the most bytes of a file that can be other than zero
 *
 * A sparse file of a few KiB on disk may claim a size of gigabytes.  Reading its holes takes memory and time.
 */
static inline uint64_t stored_bytes(const struct stat *st)
{
	return 512ull * (uint64_t)st->st_blocks * STORED_PACKED;
}

#endif
