// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * base64.c - writes bytes as base64, which arrive in pieces of any length
 */
#include "base/base64.h"

static void put_group(struct base64 *e, unsigned int chars)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char group[4] = { '=', '=', '=', '=' };

	for (unsigned int i = 0; i < chars; i++)
		group[i] = digits[e->bits >> (18 - 6 * i) & 63];
	fwrite(group, 1, sizeof(group), e->out);
}

void base64_put(struct base64 *e, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	for (; len; p++, len--) {
		e->bits |= (uint32_t)*p << (16 - 8 * e->nr);
		if (++e->nr < 3)
			continue;
		put_group(e, 4);
		e->bits = e->nr = 0;
	}
}

void base64_end(struct base64 *e)
{
	if (e->nr)
		put_group(e, e->nr + 1);
}
