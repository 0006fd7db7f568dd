/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gzip.h - writes a gzip file piece by piece, without a name and a time in it
 */
#ifndef KFLAME_BASE_GZIP_H
#define KFLAME_BASE_GZIP_H

#include <stdio.h>
#include <zlib.h>

/** struct gzip - one on its way */
struct gzip {
	FILE *out;
	z_stream z;
};

/** gzip_begin() - Return: 0 or -ENOMEM; gzip_end() is due after 0 */
int gzip_begin(struct gzip *g, FILE *out);

/** gzip_put() - writes some bytes; errors of .out are left for the caller to find */
void gzip_put(struct gzip *g, const void *bytes, size_t len);

/** gzip_end() - writes what is left, and frees */
void gzip_end(struct gzip *g);

#endif
