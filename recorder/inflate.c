// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inflate.c - unpack a gzip file in memory
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "recorder/inflate.h"

#define MOST_BITS	15	/* of a code */
#define LITERALS	288
#define DISTANCES	30
#define LENGTH_CODES	19
#define END_OF_BLOCK	256

struct stream {
	const unsigned char *in;
	size_t len, at;
	uint32_t bits;		/* read from .in and not used, lowest first */
	unsigned int nr_bits;
	unsigned char *out;
	size_t room, used;
	int error;
};

/* A Huffman code: how many codes have each length, and the symbols in the order of their codes */
struct code {
	uint16_t count[MOST_BITS + 1];
	uint16_t symbol[LITERALS];
};

/* Return: the next @nr bits, at most 16; after the end, 0 and .error */
static uint32_t take_bits(struct stream *s, unsigned int nr)
{
	uint32_t value;

	while (s->nr_bits < nr) {
		if (s->at == s->len) {
			s->error = -EIO;
			return 0;
		}
		s->bits |= (uint32_t)s->in[s->at++] << s->nr_bits;
		s->nr_bits += 8;
	}
	value = s->bits & ((1u << nr) - 1);
	s->bits >>= nr;
	s->nr_bits -= nr;
	return value;
}

static void put(struct stream *s, unsigned char byte)
{
	if (s->used == s->room)
		s->error = -EFBIG;
	else
		s->out[s->used++] = byte;
}

/* Return: false if more codes have these lengths than there are */
static bool make_code(struct code *c, const unsigned char *lengths, unsigned int nr)
{
	uint16_t first[MOST_BITS + 2] = { 0 };
	int left = 1;

	memset(c->count, 0, sizeof(c->count));
	for (unsigned int i = 0; i < nr; i++)
		c->count[lengths[i]]++;
	c->count[0] = 0;
	for (unsigned int bits = 1; bits <= MOST_BITS; bits++) {
		left = 2 * left - c->count[bits];
		if (left < 0)
			return false;
		first[bits + 1] = (uint16_t)(first[bits] + c->count[bits]);
	}
	for (unsigned int i = 0; i < nr; i++)
		if (lengths[i])
			c->symbol[first[lengths[i]]++] = (uint16_t)i;
	return true;
}

/* Return: the next symbol; -1 and .error if no symbol has that code */
static int take_symbol(struct stream *s, const struct code *c)
{
	int code = 0, first = 0, index = 0;

	for (unsigned int bits = 1; bits <= MOST_BITS && !s->error; bits++) {
		code |= (int)take_bits(s, 1);
		if (code - first < c->count[bits])
			return c->symbol[index + code - first];
		index += c->count[bits];
		first = (first + c->count[bits]) << 1;
		code <<= 1;
	}
	s->error = -EIO;
	return -1;
}

/* Copy @length bytes from @distance bytes back; both may overlap */
static void copy(struct stream *s, size_t length, size_t distance)
{
	if (distance > s->used) {
		s->error = -EIO;
		return;
	}
	while (length-- && !s->error)
		put(s, s->out[s->used - distance]);
}

static void take_match(struct stream *s, unsigned int symbol, const struct code *distances)
{
	/* The base, and the extra bits, of each symbol: RFC 1951, 3.2.5 */
	static const uint16_t length_base[] = { 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51,
						59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
	static const uint16_t distance_base[] = { 1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385,
						  513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385,
						  24577 };
	unsigned int extra = symbol < 8 || symbol == 28 ? 0 : symbol / 4 - 1;
	size_t length;
	int by;

	if (symbol >= sizeof(length_base) / sizeof(*length_base)) {
		s->error = -EIO;
		return;
	}
	length = length_base[symbol] + take_bits(s, extra);
	by = take_symbol(s, distances);
	if (by < 0 || by >= DISTANCES)
		s->error = -EIO;
	else
		copy(s, length, distance_base[by] + take_bits(s, by < 4 ? 0 : (unsigned int)by / 2 - 1));
}

static void take_codes(struct stream *s, const struct code *literals, const struct code *distances)
{
	while (!s->error) {
		int symbol = take_symbol(s, literals);

		if (symbol < 0 || symbol == END_OF_BLOCK)
			return;
		if (symbol < END_OF_BLOCK)
			put(s, (unsigned char)symbol);
		else
			take_match(s, (unsigned int)symbol - END_OF_BLOCK - 1, distances);
	}
}

static void take_stored(struct stream *s)
{
	uint32_t length, inverted;

	s->bits = s->nr_bits = 0;
	length = take_bits(s, 16);
	inverted = take_bits(s, 16);
	if (length != (~inverted & 0xffff))
		s->error = -EIO;
	while (length-- && !s->error)
		put(s, (unsigned char)take_bits(s, 8));
}

static void take_fixed(struct stream *s)
{
	unsigned char lengths[LITERALS];
	struct code literals, distances;

	for (unsigned int i = 0; i < LITERALS; i++)
		lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
	make_code(&literals, lengths, LITERALS);
	memset(lengths, 5, DISTANCES);
	make_code(&distances, lengths, DISTANCES);
	take_codes(s, &literals, &distances);
}

/* Read @nr lengths of codes, which are packed by the code @by */
static void take_lengths(struct stream *s, const struct code *by, unsigned char *lengths, unsigned int nr)
{
	for (unsigned int i = 0; i < nr && !s->error;) {
		int symbol = take_symbol(s, by);
		unsigned char value = 0;
		unsigned int times = 1;

		if (symbol < 16)
			value = (unsigned char)symbol;
		else if (symbol == 16 && i)
			value = lengths[i - 1];
		else if (symbol == 16)
			s->error = -EIO;
		if (symbol >= 16)
			times = symbol == 16 ? 3 + take_bits(s, 2) : symbol == 17 ? 3 + take_bits(s, 3) :
				11 + take_bits(s, 7);
		if (symbol < 0 || times > nr - i)
			s->error = -EIO;
		while (!s->error && times--)
			lengths[i++] = value;
	}
}

static void take_dynamic(struct stream *s)
{
	static const unsigned char order[LENGTH_CODES] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14,
							   1, 15 };
	unsigned char lengths[LITERALS + 32] = { 0 };
	unsigned int nr_literals = 257 + take_bits(s, 5), nr_distances = 1 + take_bits(s, 5);
	unsigned int nr_lengths = 4 + take_bits(s, 4);
	struct code literals, distances, by;

	if (nr_literals > 286 || nr_distances > DISTANCES)
		s->error = -EIO;
	for (unsigned int i = 0; i < nr_lengths && !s->error; i++)
		lengths[order[i]] = (unsigned char)take_bits(s, 3);
	if (s->error || !make_code(&by, lengths, LENGTH_CODES)) {
		s->error = -EIO;
		return;
	}
	memset(lengths, 0, sizeof(lengths));
	take_lengths(s, &by, lengths, nr_literals + nr_distances);
	if (s->error || !make_code(&literals, lengths, nr_literals) ||
	    !make_code(&distances, lengths + nr_literals, nr_distances))
		s->error = -EIO;
	else
		take_codes(s, &literals, &distances);
}

static void take_blocks(struct stream *s)
{
	bool last = false;

	while (!last && !s->error) {
		last = take_bits(s, 1);
		switch (take_bits(s, 2)) {
		case 0:
			take_stored(s);
			break;
		case 1:
			take_fixed(s);
			break;
		case 2:
			take_dynamic(s);
			break;
		default:
			s->error = -EIO;
		}
	}
}

static uint32_t crc_of(const unsigned char *data, size_t len)
{
	uint32_t crc = ~0u;

	while (len--) {
		crc ^= *data++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return ~crc;
}

static uint32_t little_endian(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Return: length of the header; 0 if it is none that this file supports */
static size_t header(const unsigned char *in, size_t len)
{
	enum { NAME = 8, COMMENT = 16, OTHERS = 2 | 4 | 0xe0 };
	size_t at = 10;

	if (len < at || in[0] != 0x1f || in[1] != 0x8b || in[2] != 8 || in[3] & OTHERS)
		return 0;
	for (int text = !!(in[3] & NAME) + !!(in[3] & COMMENT); text; text--) {
		const unsigned char *end = memchr(in + at, 0, len - at);

		if (!end)
			return 0;
		at = (size_t)(end - in) + 1;
	}
	return at;
}

int inflate_gzip(const unsigned char *in, size_t len, unsigned char *out, size_t room, size_t *used)
{
	struct stream s = { .in = in, .len = len, .at = header(in, len), .out = out, .room = room };

	*used = 0;
	if (!s.at)
		return -EIO;
	take_blocks(&s);
	if (s.error)
		return s.error;
	if (s.len - s.at < 8 || little_endian(in + s.at) != crc_of(out, s.used) ||
	    little_endian(in + s.at + 4) != (uint32_t)s.used)
		return -EIO;
	*used = s.used;
	return 0;
}
