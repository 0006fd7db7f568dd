// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_mapped_file.c - is the file at a path the one that was recorded?
 */
#include <unistd.h>

#include "made_symbols.h"

static void assert_opens(const struct profile_file *f)
{
	uint32_t named = 0;
	int fd = binary_open_file(f, NULL, &named);

	assert_true(fd >= 0);
	close(fd);
}

static void assert_refused(const struct profile_file *f, uint32_t why)
{
	uint32_t named = 0;

	assert_int_equal(binary_open_file(f, NULL, &named), -1);
	assert_int_equal(named, why);
}

static void identity(void **state)
{
	struct profile_file f;
	char path[128];
	(void)state;

	run("%s -O1 -Wl,--build-id=none -o id t.c");
	describe("id", &f, path);
	assert_opens(&f);
	/* Another device, as overlayfs shows it: size and time decide */
	f.rec.dev_major++;
	f.rec.inode++;
	assert_opens(&f);
	f.rec.mtime_ns++;
	assert_refused(&f, KFLAME_NAMED_CHANGED);
	describe("id", &f, path);
	f.rec.inode++;
	assert_refused(&f, KFLAME_NAMED_CHANGED);
	unlink(path);
	assert_refused(&f, KFLAME_NAMED_GONE);
}

static void identity_by_build_id(void **state)
{
	static const uint8_t id[] = { 0x12, 0x34, 0x56, 0x78 };
	struct profile_file f;
	char path[128];
	(void)state;

	run("%s -O1 -Wl,--build-id=0x12345678 -o bid t.c");
	describe("bid", &f, path);
	f.rec.build_id_len = sizeof(id);
	memcpy(f.rec.build_id, id, sizeof(id));
	/* The same file copied anew: only the build-id says so */
	f.rec.inode++;
	f.rec.mtime_ns++;
	assert_opens(&f);
	f.rec.build_id[3]++;
	assert_refused(&f, KFLAME_NAMED_CHANGED);
}

static void not_elf(void **state)
{
	struct profile_file f;
	struct looked *b;
	char path[128];
	(void)state;

	b = look_named("t.c");
	assert_int_equal(look_state(b), KFLAME_NAMED_DAMAGED);
	look_close(b);
	/* A pipe at a file's path is not waited for */
	run("true %s && mkfifo pipe");
	describe("pipe", &f, path);
	b = look_open(&f, -1, NULL);
	assert_int_equal(look_state(b), KFLAME_NAMED_GONE);
	look_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identity),
		cmocka_unit_test(identity_by_build_id),
		cmocka_unit_test(not_elf),
	};

	return cmocka_run_group_tests_name("mapped_file", tests, symbols_set_up, programs_remove);
}
