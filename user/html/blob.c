// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * blob.c - columns of numbers as bytes, and bytes as deflated base64
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/base64.h"
#include "base/text.h"
#include "html/blob.h"

static bool has_room(struct blob *b, size_t more)
{
	size_t cap = b->cap ? b->cap : 4096;
	uint8_t *bytes;

	if (b->err)
		return false;
	if (more <= b->cap - b->len)
		return true;
	while (cap - b->len < more && cap <= SIZE_MAX / 2)
		cap *= 2;
	bytes = cap - b->len < more ? NULL : realloc(b->bytes, cap);
	if (!bytes) {
		b->err = -ENOMEM;
		return false;
	}
	b->bytes = bytes;
	b->cap = cap;
	return true;
}

void blob_number(struct blob *b, uint64_t n)
{
	if (!has_room(b, 10))
		return;
	for (; n > 0x7f; n >>= 7)
		b->bytes[b->len++] = (uint8_t)(n | 0x80);
	b->bytes[b->len++] = (uint8_t)n;
}

void blob_signed(struct blob *b, int64_t n)
{
	blob_number(b, (uint64_t)n << 1 ^ (uint64_t)(n >> 63));
}

void blob_bytes(struct blob *b, const void *bytes, size_t len)
{
	if (!len || !has_room(b, len))
		return;
	memcpy(b->bytes + b->len, bytes, len);
	b->len += len;
}

void blob_text(struct blob *b, const char *s)
{
	char *clean = text_clean(s);

	if (clean)
		blob_bytes(b, clean, strlen(clean));
	else
		b->err = -ENOMEM;
	free(clean);
}

void blob_column(struct blob *b, struct blob *column)
{
	if (column->err)
		b->err = column->err;
	blob_number(b, column->len);
	blob_bytes(b, column->bytes, column->len);
	blob_exit(column);
}

void blob_exit(struct blob *b)
{
	free(b->bytes);
	*b = (struct blob){ 0 };
}

static int deflate_to(struct base64 *e, const struct blob *b)
{
	uint8_t piece[16384];
	z_stream z = { 0 };
	size_t at = 0, part;
	int state = Z_OK;

	if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	while (state != Z_STREAM_END) {
		if (!z.avail_in) {
			part = b->len - at < INT_MAX ? b->len - at : INT_MAX;
			z.next_in = b->bytes + at;
			z.avail_in = (unsigned int)part;
			at += part;
		}
		z.next_out = piece;
		z.avail_out = sizeof(piece);
		state = deflate(&z, at == b->len ? Z_FINISH : Z_NO_FLUSH);
		base64_put(e, piece, sizeof(piece) - z.avail_out);
	}
	deflateEnd(&z);
	return 0;
}

int blob_write(FILE *out, const struct blob *b, bool deflates)
{
	struct base64 e = { .out = out };
	int err = b->err;

	if (err)
		return err;
	if (deflates)
		err = deflate_to(&e, b);
	else
		base64_put(&e, b->bytes, b->len);
	base64_end(&e);
	return err;
}
