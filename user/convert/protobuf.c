// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * protobuf.c - encode a message of protocol buffers, proto3
 *
 * The encoding is described in protobuf.dev/programming-guides/encoding.
 */
#include <stdbool.h>
#include <string.h>

#include "base/hash.h"
#include "convert/protobuf.h"

#define VARINT_MAX	10	/* bytes: seven bits of a number in each */

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LEN = 2 };

/* Make room for @more bytes.  Return: whether there is room */
static bool reserve(struct protobuf *m, size_t more)
{
	while (!m->error && m->cap - m->len < more)
		m->error = grow(&m->bytes, m->cap, &m->cap, sizeof(*m->bytes));
	return !m->error;
}

static size_t varint_size(uint64_t value)
{
	size_t size = 1;

	while (value >>= 7)
		size++;
	return size;
}

/* Return: the byte after the number */
static uint8_t *write_varint(uint8_t *to, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

static void add_varint(struct protobuf *m, uint64_t value)
{
	if (reserve(m, VARINT_MAX))
		m->len = (size_t)(write_varint(m->bytes + m->len, value) - m->bytes);
}

static void add_tag(struct protobuf *m, unsigned int field, enum wire_type type)
{
	add_varint(m, (uint64_t)field << 3 | type);
}

void protobuf_number(struct protobuf *m, unsigned int field, uint64_t value)
{
	if (!value)
		return;
	add_tag(m, field, WIRE_VARINT);
	add_varint(m, value);
}

void protobuf_fixed64(struct protobuf *m, unsigned int field, uint64_t value)
{
	if (!value)
		return;
	add_tag(m, field, WIRE_FIXED64);
	if (!reserve(m, sizeof(value)))
		return;
	for (unsigned int i = 0; i < sizeof(value); i++)
		m->bytes[m->len++] = (uint8_t)(value >> 8 * i);
}

void protobuf_bytes(struct protobuf *m, unsigned int field, const void *bytes, size_t len)
{
	add_tag(m, field, WIRE_LEN);
	add_varint(m, len);
	if (!len || !reserve(m, len))
		return;
	memcpy(m->bytes + m->len, bytes, len);
	m->len += len;
}

void protobuf_packed(struct protobuf *m, unsigned int field, const uint64_t *values, size_t nr)
{
	size_t start;

	if (!nr)
		return;
	start = protobuf_begin(m, field);
	for (size_t i = 0; i < nr; i++)
		add_varint(m, values[i]);
	protobuf_end(m, start);
}

size_t protobuf_begin(struct protobuf *m, unsigned int field)
{
	add_tag(m, field, WIRE_LEN);
	/* One byte for the length is enough for most messages; protobuf_end() inserts the others */
	if (reserve(m, 1))
		m->len++;
	return m->len;
}

void protobuf_end(struct protobuf *m, size_t start)
{
	size_t len = m->len - start, more = varint_size(len) - 1;

	if (!reserve(m, more))
		return;
	if (more)
		memmove(m->bytes + start + more, m->bytes + start, len);
	write_varint(m->bytes + start - 1, len);
	m->len += more;
}
