/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inflate.h - unpack a gzip file in memory, such as /proc/config.gz
 */
#ifndef KFLAME_RECORDER_INFLATE_H
#define KFLAME_RECORDER_INFLATE_H

#include <stddef.h>

/**
 * inflate_gzip() - unpack a gzip file, as RFC 1952 and 1951 describe it
 * @in:		the file, @len bytes
 * @out:	gets the content, @room bytes at most
 * @used:	gets the length of the content
 *
 * Return: 0; -EIO if the file is damaged, or its checksum is wrong; -EFBIG if @room is too small.
 */
int inflate_gzip(const unsigned char *in, size_t len, unsigned char *out, size_t room, size_t *used);

#endif
