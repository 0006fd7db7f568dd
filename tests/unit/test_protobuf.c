// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_protobuf.c - the encoder's limits: long numbers, long nested messages, and no memory
 *
 * test_convert.c reads a whole pprof file back.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "convert/protobuf.h"

/* Compares the message with bytes, and frees it */
static void assert_message(struct protobuf *m, const char *bytes, size_t len)
{
	assert_int_equal(m->error, 0);
	assert_int_equal(m->len, len);
	if (len)
		assert_memory_equal(m->bytes, bytes, len);
	free(m->bytes);
	*m = (struct protobuf){ 0 };
}

/* @bytes: a string literal */
#define ASSERT_MESSAGE(m, bytes) assert_message(m, bytes, sizeof(bytes) - 1)

static void numbers(void **state)
{
	struct protobuf m = { 0 };

	(void)state;
	protobuf_number(&m, 1, 0);
	ASSERT_MESSAGE(&m, "");
	protobuf_number(&m, 1, 127);
	protobuf_number(&m, 2, 128);
	ASSERT_MESSAGE(&m, "\x08\x7f\x10\x80\x01");
	protobuf_number(&m, 15, UINT64_MAX);
	ASSERT_MESSAGE(&m, "\x78\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	/* The tag of a field after 15 has two bytes */
	protobuf_number(&m, 16, 1);
	ASSERT_MESSAGE(&m, "\x80\x01\x01");
}

static void strings_and_repeated_numbers(void **state)
{
	static const uint64_t values[] = { 0, 127, 128, UINT64_MAX };
	struct protobuf m = { 0 };

	(void)state;
	protobuf_bytes(&m, 6, "", 0);
	protobuf_bytes(&m, 6, "a\0b", 3);
	ASSERT_MESSAGE(&m, "\x32\x00\x32\x03" "a\0b");
	protobuf_packed(&m, 1, values, 0);
	protobuf_packed(&m, 1, values, 4);
	ASSERT_MESSAGE(&m, "\x0a\x0e\x00\x7f\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	protobuf_end(&m, protobuf_begin(&m, 4));
	ASSERT_MESSAGE(&m, "\x22\x00");
}

/* Checks a message of @len bytes in a message, with a number after each; @head: the bytes before the inner one */
static void assert_nested(size_t len, const char *head, size_t head_len)
{
	char *bytes = malloc(len), *want = malloc(head_len + len + 4);
	size_t outer, inner, string = len - (len > 129 ? len > 16386 ? 4 : 3 : 2);
	struct protobuf m = { 0 };

	assert_true(bytes && want);
	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)(i * 7);
	outer = protobuf_begin(&m, 1);
	inner = protobuf_begin(&m, 2);
	protobuf_bytes(&m, 3, bytes, string);
	protobuf_end(&m, inner);
	protobuf_number(&m, 4, 5);
	protobuf_end(&m, outer);
	protobuf_number(&m, 6, 7);
	memcpy(want, head, head_len);
	memcpy(want + head_len, bytes, string);
	memcpy(want + head_len + string, "\x20\x05\x30\x07", 4);
	assert_message(&m, want, head_len + string + 4);
	free(bytes);
	free(want);
}

#define ASSERT_NESTED(len, head) assert_nested(len, head, sizeof(head) - 1)

/* A length takes one byte up to 127, two up to 16383, then three */
static void nested_messages(void **state)
{
	(void)state;
	ASSERT_NESTED(123, "\x0a\x7f\x12\x7b\x1a\x79");
	ASSERT_NESTED(124, "\x0a\x80\x01\x12\x7c\x1a\x7a");
	ASSERT_NESTED(127, "\x0a\x83\x01\x12\x7f\x1a\x7d");
	ASSERT_NESTED(128, "\x0a\x85\x01\x12\x80\x01\x1a\x7e");
	ASSERT_NESTED(16378, "\x0a\xff\x7f\x12\xfa\x7f\x1a\xf7\x7f");
	ASSERT_NESTED(16379, "\x0a\x80\x80\x01\x12\xfb\x7f\x1a\xf8\x7f");
	ASSERT_NESTED(16383, "\x0a\x84\x80\x01\x12\xff\x7f\x1a\xfc\x7f");
	ASSERT_NESTED(16384, "\x0a\x86\x80\x01\x12\x80\x80\x01\x1a\xfd\x7f");
}

/* grow() refuses an array of 2 GB: the message looks as if it were so long */
static void no_memory(void **state)
{
	static const uint64_t values[] = { 1, 2 };
	static const size_t full = (size_t)1 << 31;
	struct protobuf m = { .len = full, .cap = full };
	size_t start;

	(void)state;
	start = protobuf_begin(&m, 1);
	protobuf_number(&m, 1, 1);
	protobuf_bytes(&m, 2, "a", 1);
	protobuf_packed(&m, 3, values, 2);
	protobuf_end(&m, start);
	assert_int_equal(m.error, -ENOMEM);
	assert_int_equal(m.len, full);
	assert_null(m.bytes);
	/* There is memory again, but the message lacks a part */
	m.len = 0;
	m.cap = 0;
	protobuf_number(&m, 1, 1);
	assert_int_equal(m.error, -ENOMEM);
	assert_int_equal(m.len, 0);
	assert_null(m.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(strings_and_repeated_numbers),
		cmocka_unit_test(nested_messages),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
