// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_light_copy.c - a copy without code names what the file names, and one with it unwinds
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include "elf/sparse_copy.h"
#include "programs.h"
#include "unwind/table.h"

#define ROOM	((size_t)256 << 20)

/* The tool itself: symbols, jump stubs, unwind tables, C at its largest here */
static const char *const files[] = { KFLAME_TOOL, "/lib/x86_64-linux-gnu/libc.so.6", "/bin/sh" };

static int open_copy(const char *path, size_t room, size_t *left)
{
	int fd = open(path, O_RDONLY), copy;

	assert_true(fd >= 0);
	*left = room;
	copy = light_copy(fd, left, 0);
	close(fd);
	return copy;
}

static struct looked *open_as(const struct profile_file *f, int fd)
{
	struct looked *b;

	b = look_open(f, fd, NULL);
	return b;
}

/* A copy has no code, so it cannot know that the byte before a function is padding, and names it nothing */
static bool is_one_before(uint64_t at, const char *name, uint64_t start, uint64_t end)
{
	return name && at % 16 == 15 && start == at && end == at + 1;
}

/* Every byte has the name it has in the file, and the verdicts are the same */
static void compare(const char *path, int copy, uint64_t bytes)
{
	struct profile_file f;
	struct looked *a, *b;
	unsigned int functions = 0, left_out = 0;

	describe_path(path, &f);
	a = open_as(&f, -1);
	b = open_as(&f, copy);
	assert_int_equal(look_state(a), look_state(b));
	for (uint64_t at = 0; at < bytes;) {
		/* Where there is no name, the next byte to ask for is the one before a multiple of 16, or behind it */
		uint64_t next = at % 16 == 15 ? at + 1 : at | 15, start[2], end[2] = { next, next };
		const char *one = look_find(a, at, &start[0], &end[0]);
		const char *other = look_find(b, at, &start[1], &end[1]);

		if (!other && is_one_before(at, one, start[0], end[0])) {
			left_out++;
			at++;
			continue;
		}
		assert_int_equal(!one, !other);
		if (one) {
			assert_string_equal(one, other);
			assert_int_equal(start[0], start[1]);
			functions++;
		}
		assert_int_equal(end[0], end[1]);
		assert_int_equal(look_leaf(a, at), look_leaf(b, at));
		at = end[0];
	}
	assert_true(functions > 10);
	assert_true(left_out <= functions / 50);
	print_message("# %s: %u functions; %u bytes before one are named by the file only\n", path, functions, left_out);
	look_close(a);
	look_close(b);
}

static void same_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct stat whole, light;
		size_t left;
		int copy;

		if (stat(files[i], &whole))
			continue;
		copy = open_copy(files[i], ROOM, &left);
		assert_true(copy >= 0);
		assert_int_equal(fstat(copy, &light), 0);
		assert_int_equal(light.st_size, whole.st_size);
		assert_int_equal(light.st_uid, whole.st_uid);
		/* It takes what it says, but for the pages that are not full */
		assert_true((uint64_t)light.st_blocks * 512 <= (ROOM - left) + 64 * 4096);
		compare(files[i], copy, (uint64_t)whole.st_size);
		print_message("# %s: %zu of %llu bytes copied\n", files[i], ROOM - left,
			      (unsigned long long)whole.st_size);
		close(copy);
	}
}

static void without_code(void **state)
{
	struct stat whole, light;
	char path[128];
	size_t left;
	int copy;

	(void)state;
	write_file("code.c", "unsigned char code[1 << 20] "
		   "__attribute__((section(\".text.big,\\\"ax\\\",@progbits#\"))) = { 1, 2, 3 };\n"
		   "int main(void) { return code[1]; }\n");
	run("%s -o code code.c");
	snprintf(path, sizeof(path), "%s/code", dir);
	if (!geteuid())
		assert_int_equal(chown(path, 1234, 1234), 0);
	copy = open_copy(path, ROOM, &left);
	assert_true(copy >= 0);
	assert_true(ROOM - left < 1 << 20);
	assert_int_equal(stat(path, &whole), 0);
	assert_int_equal(fstat(copy, &light), 0);
	assert_int_equal(light.st_uid, whole.st_uid);
	close(copy);
}

static void no_room(void **state)
{
	size_t left, needed;
	int copy;

	(void)state;
	copy = open_copy(files[0], ROOM, &left);
	needed = ROOM - left;
	close(copy);
	copy = open_copy(files[0], needed, &left);
	assert_true(copy >= 0);
	assert_int_equal(left, 0);
	close(copy);
	assert_int_equal(open_copy(files[0], needed - 1, &left), -1);
	/* nothing was taken */
	assert_int_equal(left, needed - 1);
}

static void no_elf(void **state)
{
	char path[128];
	size_t left;

	(void)state;
	write_file("text", "not an ELF file\n");
	snprintf(path, sizeof(path), "%s/text", dir);
	assert_int_equal(open_copy(path, ROOM, &left), -1);
	assert_int_equal(left, ROOM);
}

/* Of @name.  Return: the blocks of a copy of it; -1: there is none */
static long blocks_of(const char *name, unsigned int with)
{
	size_t left = ROOM;
	struct stat st;
	char path[128];
	int fd, copy;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	copy = light_copy(fd, &left, with);
	close(fd);
	if (copy < 0)
		return -1;
	assert_int_equal(fstat(copy, &st), 0);
	close(copy);
	return st.st_blocks;
}

/* For an archive: all debug information, or nothing */
static void with_debug(void **state)
{
	(void)state;
	run("head -c 40M /dev/urandom >random; cat random random random >more; "
	    "%s -o small code.c; objcopy --add-section .debug_x=random small much; "
	    "objcopy --add-section .debug_x=more small most");
	assert_in_range(blocks_of("much", 0), 1, 1 << 10);
	assert_in_range(blocks_of("much", LIGHT_COPY_DEBUG), 40 << 11, 42 << 11);
	assert_in_range(blocks_of("most", 0), 1, 1 << 10);
	assert_int_equal(blocks_of("most", LIGHT_COPY_DEBUG), -1);
}

/* Stacks are unwound by what code is there; where that is too much it is left out */
static void with_code(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct unwind_table of_file, of_copy;
		int fd = open(files[i], O_RDONLY), copy;
		size_t left = ROOM;

		if (fd < 0)
			continue;
		copy = light_copy(fd, &left, LIGHT_COPY_CODE);
		assert_true(copy >= 0);
		assert_int_equal(elf_table_read(fd, &of_file, NULL), 0);
		assert_int_equal(elf_table_read(copy, &of_copy, NULL), 0);
		assert_true(of_file.nr_rows > 100);
		assert_int_equal(of_copy.nr_rows, of_file.nr_rows);
		assert_memory_equal(of_copy.rows, of_file.rows,
				    of_file.nr_rows * sizeof(*of_file.rows));
		unwind_table_exit(&of_file);
		unwind_table_exit(&of_copy);
		close(copy);
		close(fd);
	}
	run("head -c 40M /dev/urandom >random; cat random random random >more; %s -o small code.c; "
	    "objcopy --add-section .a=random --set-section-flags .a=alloc,readonly,code small much 2>/dev/null; "
	    "objcopy --add-section .a=more --set-section-flags .a=alloc,readonly,code small most 2>/dev/null");
	assert_in_range(blocks_of("much", 0), 1, 1 << 10);
	assert_in_range(blocks_of("much", LIGHT_COPY_CODE), 40 << 11, 44 << 11);
	assert_in_range(blocks_of("most", LIGHT_COPY_CODE), 1, 1 << 10);
}

/* Who is not root cannot give the copy to the file's owner, and has one all the same */
static void not_root(void **state)
{
	size_t left = ROOM;
	int fd = open("/bin/sh", O_RDONLY), copy;

	(void)state;
	assert_true(fd >= 0);
	if (!geteuid())
		assert_int_equal(seteuid(65534), 0);
	copy = light_copy(fd, &left, 0);
	if (!getuid())
		assert_int_equal(seteuid(0), 0);
	assert_true(copy >= 0);
	close(copy);
	close(fd);
}

/* All sections are one and the same: each is counted */
static void all_the_same(void **state)
{
	Elf64_Ehdr eh;
	char path[128];
	size_t left;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/same", dir);
	run("cp code same");
	fd = open(path, O_RDWR);
	assert_int_equal(pread(fd, &eh, sizeof(eh), 0), sizeof(eh));
	for (unsigned int i = 1; i < eh.e_shnum; i++) {
		Elf64_Shdr sh = { .sh_type = SHT_PROGBITS, .sh_size = 1 << 20 };

		if (i != eh.e_shstrndx)
			assert_int_equal(pwrite(fd, &sh, sizeof(sh),
						(off_t)(eh.e_shoff + i * sizeof(sh))), sizeof(sh));
	}
	close(fd);
	assert_int_equal(open_copy(path, 8 << 20, &left), -1);
	assert_int_equal(left, 8 << 20);
}

/* Cut anywhere, it is copied or not, and read beyond its end never */
static void cut(void **state)
{
	char path[128];
	struct stat st;
	size_t left;

	(void)state;
	snprintf(path, sizeof(path), "%s/code", dir);
	assert_int_equal(stat(path, &st), 0);
	for (off_t len = st.st_size; len >= 0; len -= len < 512 ? 1 : st.st_size / 100) {
		int copy;

		assert_int_equal(truncate(path, len), 0);
		copy = open_copy(path, ROOM, &left);
		if (copy >= 0)
			close(copy);
	}
}

static int set_up(void **state)
{
	(void)state;
	programs_make_dir();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_names),
		cmocka_unit_test(without_code),
		cmocka_unit_test(with_debug),
		cmocka_unit_test(with_code),
		cmocka_unit_test(not_root),
		cmocka_unit_test(no_room),
		cmocka_unit_test(no_elf),
		cmocka_unit_test(all_the_same),
		cmocka_unit_test(cut),
	};

	return cmocka_run_group_tests(tests, set_up, programs_remove);
}
