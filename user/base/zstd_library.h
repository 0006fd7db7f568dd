/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zstd_library.h - compress and decompress with libzstd, which is loaded at run time, when it is needed
 */
#ifndef KFLAME_BASE_ZSTD_LIBRARY_H
#define KFLAME_BASE_ZSTD_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** zstd_is_magic() - Return: whether bytes begin as a zstd file does */
bool zstd_is_magic(const void *bytes, size_t len);

/**
 * zstd_pack() - compress bytes into one zstd frame with a checksum
 * @level:	1 (fast) to 19 (small)
 * @out:	out: the frame, to be freed
 *
 * Return: 0; -ENOSYS, after a message, if libzstd is not installed; -ENOMEM; -EIO.
 */
int zstd_pack(const void *bytes, size_t len, int level, void **out, size_t *out_len);

/**
 * unzstd_fn - receives decompressed bytes
 *
 * Return: 0; else unzstd_put() stops and returns it.
 */
typedef int unzstd_fn(void *ctx, const void *bytes, size_t len);

struct unzstd;

/**
 * unzstd_begin() - begin to decompress a file that may be hostile
 * @out:	out: to be freed with unzstd_end()
 *
 * Two limits protect the memory of the caller: a window of at most 8 MiB, and 1,024 times as many decompressed
 * bytes as compressed ones, plus 64 MiB.
 *
 * Return: 0; -ENOSYS, after a message, if libzstd is not installed; -ENOMEM.
 */
int unzstd_begin(struct unzstd **out);

/**
 * unzstd_put() - decompress the next bytes of the file
 *
 * Return: 0; a result of @fn; -EBADMSG if the bytes are damaged; -E2BIG beyond a limit.
 */
int unzstd_put(struct unzstd *z, const void *bytes, size_t len, unzstd_fn *fn, void *ctx);

/** unzstd_end() - free the memory; does nothing for NULL */
void unzstd_end(struct unzstd *z);

#endif
