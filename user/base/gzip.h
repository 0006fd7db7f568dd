/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gzip.h - write a gzip file piece by piece, without a file name or a time in its header
 */
#ifndef KFLAME_BASE_GZIP_H
#define KFLAME_BASE_GZIP_H

#include <stdio.h>
#include <zlib.h>

/** struct gzip - a gzip file that is being written */
struct gzip {
	FILE *out;
	z_stream z;
};

/** gzip_begin() - Return: 0 or -ENOMEM; call gzip_end() only after 0 */
int gzip_begin(struct gzip *g, FILE *out);

/** gzip_put() - write some bytes; the caller checks .out for errors */
void gzip_put(struct gzip *g, const void *bytes, size_t len);

/** gzip_end() - write the remaining bytes and free the memory */
void gzip_end(struct gzip *g);

#endif
