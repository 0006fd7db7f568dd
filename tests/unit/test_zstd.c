// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_zstd.c - profiles that zstd compressed: whole, cut short, damaged, made to fill the memory
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/zstd_library.h"
#include "hush.h"
#include "mkprofile.h"

static char directory[] = "/tmp/kflame-zstd.XXXXXX";

static int enter(void **state)
{
	(void)state;
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	return mkdtemp(directory) && !chdir(directory) ? 0 : -1;
}

static int leave(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return chdir("/") || system(command) ? -1 : 0;
}

static void write_bytes(const char *name, const void *bytes, size_t len)
{
	FILE *out = fopen(name, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, len, out), len);
	assert_int_equal(fclose(out), 0);
}

static void compressed_profile(void **state)
{
	int saved;
	struct mk m = { 0 };
	struct profile *p;
	void *packed;
	size_t len;

	(void)state;
	mk_header(&m);
	mk_session(&m);
	mk_stack(&m, 1, KFLAME_STACK_KERNEL, (uint64_t[]){ 0xffffffff81000000, 0xffffffff82000000 }, 2);
	mk_count(&m, 0, 1, 0, 10, 10000);
	mk_end(&m);
	assert_int_equal(zstd_pack(m.r.data, m.r.len, 3, &packed, &len), 0);
	write_bytes("p.zst", packed, len);
	p = open_profile("p.zst", NULL);
	assert_non_null(p);
	assert_int_equal(p->state, PROFILE_WHOLE);
	assert_int_equal(p->samples, 10);
	profile_destroy(p);
	/* Cut short, by more than its checksum: what is there is read, or a message says what is wrong */
	for (size_t i = 0; i + 4 < len; i++) {
		write_bytes("cut.zst", packed, i);
		saved = hush();
		p = open_profile("cut.zst", NULL);
		unhush(saved);
		if (p)
			assert_int_not_equal(p->state, PROFILE_WHOLE);
		profile_destroy(p);
	}
	/* Each bit flipped: the checksum, or the reader of the profile, sees it */
	for (size_t i = 4; i < len; i++) {
		((unsigned char *)packed)[i] ^= 0x10;
		write_bytes("bad.zst", packed, len);
		((unsigned char *)packed)[i] ^= 0x10;
		saved = hush();
		profile_destroy(open_profile("bad.zst", NULL));
		unhush(saved);
	}
	free(packed);
	mk_free(&m);
}

/* 256 MiB of zeros in some KiB: it is refused before it is read */
static void bomb(void **state)
{
	int saved;
	const size_t most = 256u << 20;
	unsigned char *zeros = calloc(1, most);
	struct mk m = { 0 };
	void *packed;
	size_t len;

	(void)state;
	assert_non_null(zeros);
	mk_header(&m);
	memcpy(zeros, m.r.data, m.r.len);
	assert_int_equal(zstd_pack(zeros, most, 3, &packed, &len), 0);
	assert_true(len < most / 1024);
	write_bytes("bomb.zst", packed, len);
	saved = hush();
	assert_null(open_profile("bomb.zst", NULL));
	unhush(saved);
	free(packed);
	free(zeros);
	mk_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(compressed_profile, enter, leave),
		cmocka_unit_test_setup_teardown(bomb, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
