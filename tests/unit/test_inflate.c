// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_inflate.c - the static recorder's own unpacking of /proc/config.gz, compared with zlib
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "recorder/inflate.c"

#define MOST	300000

static unsigned char plain[MOST], packed[2 * MOST], got[MOST];

static size_t pack(size_t len, int level, int strategy)
{
	z_stream z = { .next_in = plain, .avail_in = (unsigned int)len, .next_out = packed,
		       .avail_out = sizeof(packed) };

	/* 16: a gzip file */
	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 16 + MAX_WBITS, 8, strategy), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(deflateEnd(&z), Z_OK);
	return z.total_out;
}

static void check(size_t len, int level, int strategy)
{
	size_t size = pack(len, level, strategy), used;

	assert_int_equal(inflate_gzip(packed, size, got, len, &used), 0);
	assert_int_equal(used, len);
	assert_memory_equal(got, plain, len);
	/* Too little room, or a file that is cut short */
	if (len)
		assert_int_equal(inflate_gzip(packed, size, got, len - 1, &used), -EFBIG);
	for (size_t cut = 0; cut < size; cut += size / 7 + 1)
		assert_int_equal(inflate_gzip(packed, cut, got, len, &used), -EIO);
}

static void check_ways(size_t len)
{
	check(len, 0, Z_DEFAULT_STRATEGY);
	check(len, 1, Z_FIXED);
	check(len, 6, Z_DEFAULT_STRATEGY);
	check(len, 9, Z_HUFFMAN_ONLY);
}

/* Lines like those of a configuration, with far repetitions */
static void text(void **state)
{
	size_t len = 0;
	(void)state;

	for (unsigned int i = 0; len < MOST - 100; i++)
		len += (size_t)sprintf((char *)plain + len, "CONFIG_%x_%x=%c\n", i * 2654435761u, i % 97, i % 3 ? 'y' : 'm');
	check_ways(len);
	check_ways(1);
	check_ways(0);
}

/* Every length and every short distance of a repetition */
static void repetitions(void **state)
{
	size_t len = 0;
	(void)state;

	srand(2);
	while (len < MOST - 1000) {
		size_t distance = 1 + (size_t)rand() % 40, again = 3 + (size_t)rand() % 300;

		for (size_t i = 0; i < distance; i++)
			plain[len++] = (unsigned char)(rand() >> 8);
		for (; again; again--, len++)
			plain[len] = plain[len - distance];
	}
	check_ways(len);
}

static void noise(void **state)
{
	(void)state;
	srand(1);
	for (size_t i = 0; i < MOST; i++)
		plain[i] = (unsigned char)(rand() >> 8);
	check_ways(MOST);
}

/* A changed bit is found, by the checksum at the latest, unless it is one of the last byte that mean nothing */
static void damaged(void **state)
{
	size_t len = 0, size, used;
	(void)state;

	while (len < 4000)
		len += (size_t)sprintf((char *)plain + len, "CONFIG_%zx=y\n", len * len);
	size = pack(len, 6, Z_DEFAULT_STRATEGY);
	for (size_t i = 10; i < size; i++) {
		packed[i] ^= 1 << i % 8;
		if (!inflate_gzip(packed, size, got, len, &used))
			assert_memory_equal(got, plain, len);
		packed[i] ^= 1 << i % 8;
	}
	assert_int_equal(inflate_gzip(packed, size, got, len, &used), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),
		cmocka_unit_test(repetitions),
		cmocka_unit_test(noise),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests_name("inflate", tests, NULL, NULL);
}
