// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_table_cache.c - tables that are kept on disk: they come back, and only what can be trusted does
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "programs.h"
#include "record/table_cache.h"
#include "unwind/table.h"

static char cache[128];

static int set_up(void **state)
{
	(void)state;
	programs_make_dir();
	snprintf(cache, sizeof(cache), "%s/a/cache", dir);
	setenv("KFLAME_TABLE_CACHE", cache, 1);
	write_file("t.c", "int f(int x) { return x + 1; }\nint main(void) { return f(2); }\n");
	run("%s -O1 -Wl,--build-id -o t t.c");
	return 0;
}

static int open_program(void)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/t", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* The one file that is kept */
static void kept(char *path, size_t room)
{
	DIR *d = opendir(cache);
	struct dirent *e;
	int nr = 0;

	assert_non_null(d);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.') {
			snprintf(path, room, "%s/%s", cache, e->d_name);
			nr++;
		}
	closedir(d);
	assert_int_equal(nr, 1);
}

static void keep(int fd)
{
	struct unwind_table t;

	assert_int_equal(elf_table_read(fd, &t, NULL), 0);
	table_cache_put(fd, &t);
	unwind_table_exit(&t);
}

static int get(int fd)
{
	struct unwind_table t;
	int err = table_cache_get(fd, &t);

	unwind_table_exit(&t);
	return err;
}

static bool is_root(void)
{
	if (!geteuid())
		return true;
	print_message("# only root's files are kept, and this is not root\n");
	return false;
}

/* As Rust's compiler: it comes back as long as nobody has touched it */
static void without_a_build_id(void **state)
{
	char path[512];
	int fd;
	(void)state;

	if (!is_root())
		skip();
	run("%s -O1 -Wl,--build-id=none -o t t.c");
	fd = open_program();
	assert_int_equal(get(fd), -ENOENT);
	keep(fd);
	assert_int_equal(get(fd), 0);
	assert_int_equal(fchmod(fd, 0700), 0);
	assert_int_equal(get(fd), -ENOENT);
	close(fd);
	kept(path, sizeof(path));
	assert_int_equal(unlink(path), 0);
	run("%s -O1 -Wl,--build-id -o t t.c");
}

static void count_path(void *ctx, const char *path)
{
	int *nr = ctx;

	assert_string_equal(strrchr(path, '/'), "/t");
	(*nr)++;
}

static void comes_back(void **state)
{
	struct table_cache_state s;
	struct unwind_table a, b;
	int fd = open_program(), nr = 0;
	(void)state;

	if (!is_root())
		skip();
	assert_int_equal(get(fd), -ENOENT);
	keep(fd);
	assert_int_equal(elf_table_read(fd, &a, NULL), 0);
	assert_int_equal(table_cache_get(fd, &b), 0);
	assert_int_equal(a.flags, b.flags);
	assert_int_equal(a.nr_rows, b.nr_rows);
	assert_int_equal(a.nr_pages, b.nr_pages);
	assert_int_equal(a.nr_rules, b.nr_rules);
	assert_memory_equal(a.rows, b.rows, a.nr_rows * sizeof(*a.rows));
	assert_memory_equal(a.pages, b.pages, (a.nr_pages + 1) * sizeof(*a.pages));
	assert_memory_equal(a.rules, b.rules, a.nr_rules * sizeof(*a.rules));
	unwind_table_exit(&a);
	unwind_table_exit(&b);
	table_cache_recent(count_path, &nr);
	assert_int_equal(nr, 1);
	table_cache_look(&s);
	assert_string_equal(s.path, cache);
	assert_int_equal(s.files, 1);
	assert_null(s.trouble);
	close(fd);
}

/* Each byte of it changed, and each length */
static void damage_is_found(void **state)
{
	char path[512], bytes[65536], changed[65536];
	int fd = open_program(), file;
	struct stat st;
	(void)state;

	if (!is_root())
		skip();
	keep(fd);
	kept(path, sizeof(path));
	file = open(path, O_RDWR | O_CLOEXEC);
	assert_false(fstat(file, &st));
	assert_true(st.st_size > 64 && st.st_size < (off_t)sizeof(bytes));
	assert_int_equal(pread(file, bytes, sizeof(bytes), 0), st.st_size);
	for (off_t at = 0; at < st.st_size; at++) {
		/* the path is behind the checksum, and only a hint */
		if (at == 40)
			at += 256;
		memcpy(changed, bytes, (size_t)st.st_size);
		changed[at] ^= 0x41;
		assert_int_equal(pwrite(file, changed, (size_t)st.st_size, 0), st.st_size);
		assert_int_equal(get(fd), -ENOENT);
	}
	assert_int_equal(pwrite(file, bytes, (size_t)st.st_size, 0), st.st_size);
	assert_int_equal(get(fd), 0);
	for (off_t len = 0; len < st.st_size; len += 7) {
		assert_false(ftruncate(file, len));
		assert_int_equal(get(fd), -ENOENT);
	}
	close(file);
	unlink(path);
	close(fd);
}

/* Who may write to the directory, or to the program, could say what its table is */
static void only_what_can_be_trusted(void **state)
{
	struct table_cache_state s;
	char path[512], other[600];
	int fd = open_program();
	(void)state;

	if (!is_root())
		skip();
	keep(fd);
	kept(path, sizeof(path));
	assert_int_equal(get(fd), 0);
	assert_false(chmod(cache, 0777));
	assert_int_equal(get(fd), -ENOENT);
	table_cache_look(&s);
	assert_non_null(s.trouble);
	assert_false(chmod(cache, 0700));
	assert_int_equal(get(fd), 0);
	/* a link in its place is not followed */
	snprintf(other, sizeof(other), "%s.other", path);
	assert_false(rename(path, other));
	assert_false(symlink(other, path));
	assert_int_equal(get(fd), -ENOENT);
	assert_false(rename(other, path));
	assert_int_equal(get(fd), 0);
	assert_false(fchmod(fd, 0777));
	assert_int_equal(get(fd), -ENOENT);
	assert_false(fchmod(fd, 0755));
	setenv("KFLAME_TABLE_CACHE", "", 1);
	assert_int_equal(get(fd), -ENOENT);
	setenv("KFLAME_TABLE_CACHE", cache, 1);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_build_id),
		cmocka_unit_test(comes_back),
		cmocka_unit_test(damage_is_found),
		cmocka_unit_test(only_what_can_be_trusted),
	};

	return cmocka_run_group_tests_name("table_cache", tests, set_up, programs_remove);
}
