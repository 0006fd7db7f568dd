/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.h - read numbers from untrusted bytes
 *
 * A read past the end returns zero and sets .bad.  So a parser needs to check .bad only once, at the end.
 */
#ifndef KFLAME_BASE_BYTES_H
#define KFLAME_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct bytes - the bytes that are still to be read */
struct bytes {
	const unsigned char *at;
	const unsigned char *end;
	bool bad;
};

/** bytes_take() - Return: the next @len bytes; NULL if fewer are left */
static inline const unsigned char *bytes_take(struct bytes *b, uint64_t len)
{
	const unsigned char *at = b->at;

	if (len > (uint64_t)(b->end - b->at)) {
		b->bad = true;
		b->at = b->end;
		return NULL;
	}
	b->at += len;
	return at;
}

/** bytes_uint() - Return: a little-endian unsigned number of @len bytes; @len is at most 8 */
static inline uint64_t bytes_uint(struct bytes *b, unsigned int len)
{
	const unsigned char *at = bytes_take(b, len);
	uint64_t value = 0;

	while (at && len--)
		value = value << 8 | at[len];
	return value;
}

/** bytes_sint() - Return: a little-endian signed number of @len bytes, as two's complement */
static inline uint64_t bytes_sint(struct bytes *b, unsigned int len)
{
	uint64_t sign = 1ull << (len * 8 - 1);

	return (bytes_uint(b, len) ^ sign) - sign;
}

#define BYTES_LEB	16	/* longest LEB128 that is read: 10 bytes hold 64 bits, some encoders pad */

/* Read a LEB128.  @shift gets how many bits its bytes can hold, @last gets its last byte */
static inline uint64_t bytes_leb(struct bytes *b, unsigned int *shift, unsigned char *last)
{
	const unsigned char *at;
	unsigned int len = 0;
	uint64_t value = 0;

	*shift = 0;
	*last = 0;
	do {
		at = bytes_take(b, 1);
		if (!at || ++len > BYTES_LEB) {
			b->bad = true;
			return 0;
		}
		*last = *at;
		if (*shift < 64)
			value |= (uint64_t)(*at & 0x7f) << *shift;
		*shift += *shift < 64 ? 7 : 0;
	} while (*at & 0x80);
	return value;
}

/** bytes_uleb() - Return: an unsigned LEB128, without bits beyond the 64th */
static inline uint64_t bytes_uleb(struct bytes *b)
{
	unsigned char last;
	unsigned int shift;

	return bytes_leb(b, &shift, &last);
}

/** bytes_sleb() - Return: a signed LEB128, as two's complement */
static inline uint64_t bytes_sleb(struct bytes *b)
{
	unsigned char last;
	unsigned int shift;
	uint64_t value = bytes_leb(b, &shift, &last);

	return shift < 64 && (last & 0x40) ? value | ~0ull << shift : value;
}

#endif
