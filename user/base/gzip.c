// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gzip.c - write a gzip file piece by piece, without a file name or a time in its header
 */
#include <errno.h>
#include <limits.h>

#include "base/gzip.h"

#define GZIP_WRAPPER	16	/* added to the window bits: see deflateInit2() in zlib.h */

int gzip_begin(struct gzip *g, FILE *out)
{
	*g = (struct gzip){ .out = out };
	return deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_WRAPPER,
			    MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK ? 0 : -ENOMEM;
}

static void run(struct gzip *g, int flush)
{
	unsigned char piece[16384];

	do {
		g->z.next_out = piece;
		g->z.avail_out = sizeof(piece);
		deflate(&g->z, flush);
		fwrite(piece, 1, sizeof(piece) - g->z.avail_out, g->out);
	} while (!g->z.avail_out);
}

void gzip_put(struct gzip *g, const void *bytes, size_t len)
{
	while (len) {
		size_t part = len < UINT_MAX ? len : UINT_MAX;

		g->z.next_in = (unsigned char *)bytes;
		g->z.avail_in = (unsigned int)part;
		run(g, Z_NO_FLUSH);
		bytes = (const char *)bytes + part;
		len -= part;
	}
}

void gzip_end(struct gzip *g)
{
	run(g, Z_FINISH);
	deflateEnd(&g->z);
}
