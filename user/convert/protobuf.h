/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protobuf.h - encode a message of protocol buffers, proto3
 *
 * Fields are written in the order of the calls.  A number that is zero is left out: readers take it for zero.
 */
#ifndef KFLAME_CONVERT_PROTOBUF_H
#define KFLAME_CONVERT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct protobuf - a message that is being encoded; all zero is an empty one
 * @bytes:	the caller frees it
 * @len:	bytes of the message so far; 0 begins another message
 * @error:	0, or -ENOMEM: the message is incomplete, and all later calls do nothing
 */
struct protobuf {
	uint8_t *bytes;
	size_t len, cap;
	int error;
};

/** protobuf_number() - add a number or a bool; a negative number is converted to uint64_t */
void protobuf_number(struct protobuf *m, unsigned int field, uint64_t value);

/** protobuf_fixed64() - add a number of the type fixed64 */
void protobuf_fixed64(struct protobuf *m, unsigned int field, uint64_t value);

/** protobuf_bytes() - add a string, even if it is empty */
void protobuf_bytes(struct protobuf *m, unsigned int field, const void *bytes, size_t len);

/** protobuf_packed() - add a repeated number: all its values, zeros too; nothing if @nr is 0 */
void protobuf_packed(struct protobuf *m, unsigned int field, const uint64_t *values, size_t nr);

/** protobuf_begin() - begin a message inside the message.  Return: where it starts, for protobuf_end() */
size_t protobuf_begin(struct protobuf *m, unsigned int field);

/** protobuf_end() - end the message that was begun last */
void protobuf_end(struct protobuf *m, size_t start);

#endif
