// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_unwind_tables.c - unwind tables that are compiled for the module, of real files and at their limits
 *
 * All places of real files where the table changes are compared with what libdw says of them.
 */
#include "elf/vdso.h"
#include "made_tables.h"

#define NR_WAYS	3

/* As the compiler finds it; the file itself, not a link to it */
static void compare_library(const char *name)
{
	char line[256], found[4096], path[4096];
	FILE *in;

	snprintf(line, sizeof(line), "%s -print-file-name=%s", TEST_CC, name);
	in = popen(line, "r");
	assert_non_null(in);
	assert_non_null(fgets(found, sizeof(found), in));
	pclose(in);
	found[strcspn(found, "\n")] = 0;
	if (!realpath(found, path))
		print_message("# %s is not installed\n", name);
	else
		compare_path(path, MOST_NONE);
}

static void libraries(void **state)
{
	(void)state;
	compare_library("libc.so.6");
	compare_library("ld-linux-x86-64.so.2");
	compare_library("ld-linux-aarch64.so.1");
	compare_library("libstdc++.so.6");
	compare_library("libdw.so.1");
	compare_library("libcrypto.so.3");
}

static void programs(void **state)
{
	(void)state;
	compare_path(KFLAME_TOOL, MOST_NONE);
	compare_path("/bin/bash", MOST_NONE);
	if (access("/usr/bin/python3", R_OK))
		print_message("# python3 is not installed\n");
	else
		compare_path("/usr/bin/python3", MOST_NONE);
}

/* Either way of compression has the rows of the uncompressed .debug_frame */
static void compressed(void **state)
{
	static const char *const ways[] = { "none", "zlib", "zlib-gnu" };
	struct unwind_table t[NR_WAYS];
	(void)state;

	write_file("frame.c", "int leaf(char *); int two(void) { char a[90]; return leaf(a); }\n"
			      "int one(int n) { char a[n]; return leaf(a) + two(); }\n");
	for (int i = 0; i < NR_WAYS; i++) {
		char command[256];

		snprintf(command, sizeof(command), "%%s -O1 -g -shared -fPIC -nostdlib -fno-asynchronous-unwind-tables "
			 "-Wl,--compress-debug-sections=%s -o frame.so frame.c", ways[i]);
		run(command);
		run(!i ? "true %s" : i == 1 ? "readelf -t frame.so | grep -q ZLIB # %s" :
		    "readelf -S frame.so | grep -q zdebug_frame # %s");
		read_table("frame.so", &t[i], false);
		assert_false(t[i].flags & KFLAME_TABLE_CODE);
		assert_true(t[i].nr_rows > 4);
		assert_int_equal(t[i].nr_rows, t[0].nr_rows);
		assert_memory_equal(t[i].rows, t[0].rows, t[0].nr_rows * sizeof(*t[0].rows));
	}
	for (int i = 0; i < NR_WAYS; i++)
		unwind_table_exit(&t[i]);
}

/* Only PT_GNU_EH_FRAME leads to .eh_frame */
static void without_sections(void **state)
{
	struct unwind_table whole, bare;
	char path[128];
	(void)state;

	run("true %s && cp /bin/bash whole");
	read_table("whole", &whole, false);
	run("true %s && cp whole bare");
	strip_sections("bare");
	snprintf(path, sizeof(path), "%s/bare", dir);
	compare_path(path, MOST_NONE);
	read_table("bare", &bare, false);
	assert_false(bare.flags & KFLAME_TABLE_CODE);
	assert_true(bare.nr_rows > whole.nr_rows - whole.nr_rows / 100);
	unwind_table_exit(&whole);
	unwind_table_exit(&bare);
}

static void vdso(void **state)
{
	uint64_t lost[UNWIND_LOSSES];
	struct unwind_table t;
	Elf *elf = vdso_begin();
	(void)state;

	if (!elf)
		skip();
	assert_int_equal(elf_table_vdso(&t, lost), 0);
	compare(elf, "vdso", &t, lost, MOST_NONE);
	unwind_table_exit(&t);
	elf_end(elf);
}

static void nothing(void **state)
{
	struct unwind_table t;
	char path[128];
	int fd;
	(void)state;

	write_file("bare.c", "int bare(void) { return 1; }\n");
	run("%s -O1 -shared -fPIC -nostdlib -fno-asynchronous-unwind-tables -o bare.so bare.c");
	read_table("bare.so", &t, false);
	assert_int_equal(t.flags, KFLAME_TABLE_NONE);
	assert_int_equal(t.nr_rows + t.nr_pages, 0);
	assert_int_equal(unwind_table_find(&t, 0)->cfa, KFLAME_CFA_NONE);
	unwind_table_exit(&t);
	snprintf(path, sizeof(path), "%s/bare.c", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_table_read(fd, &t, NULL), -ENOEXEC);
	unwind_table_exit(&t);
	close(fd);
}

#ifdef __SANITIZE_ADDRESS__
/* AddressSanitizer's; <sanitizer/allocator_interface.h> is clang's alone */
int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void *, size_t),
					      void (*given)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *p);

static size_t taken_now, taken_most;

static void on_malloc(const volatile void *p, size_t bytes)
{
	(void)p;
	taken_now += bytes;
	if (taken_now > taken_most)
		taken_most = taken_now;
}

static void on_free(const volatile void *p)
{
	size_t bytes = p ? __sanitizer_get_allocated_size(p) : 0;

	taken_now = taken_now > bytes ? taken_now - bytes : 0;
}
#endif

#define MANY	2300000u	/* entries, of which 2 Mi are read */

/* A .debug_frame of as many entries as fit, 13 bytes each, all of the same 16 bytes of code */
static void write_many(const char *name)
{
	static const unsigned char cie[] = { 14, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 'z', 'R', 0,
					     1, 0x78, 16, 1, 2, 0 };
	static const unsigned char fde[] = { 9, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 16, 0, 0 };
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(cie, sizeof(cie), 1, f);
	for (unsigned int i = 0; i < MANY; i++)
		fwrite(fde, sizeof(fde), 1, f);
	assert_int_equal(fclose(f), 0);
}

static void many_entries(void **state)
{
	uint64_t lost[UNWIND_LOSSES];
	struct unwind_table t;
	char path[128];
	int fd;
	(void)state;

	write_many("many.bin");
	write_file("many.s", ".text\n.skip 64\n.section .debug_frame,\"\",@progbits\n"
			     ".incbin \"many.bin\"\n");
	run("%s -shared -nostdlib -o many.so many.s && rm many.bin");
	snprintf(path, sizeof(path), "%s/many.so", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
#endif
	assert_int_equal(elf_table_read(fd, &t, lost), 0);
	check_form(&t);
	assert_int_equal(lost[UNWIND_LIMIT], MANY - (2u << 20));
	unwind_table_exit(&t);
	close(fd);
	unlink(path);
#ifdef __SANITIZE_ADDRESS__
	print_message("# %u entries: %zu MB at a time\n", MANY, taken_most / 1000000);
	assert_in_range(taken_most, 30000000, 150000000);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries),
		cmocka_unit_test(programs),
		cmocka_unit_test(compressed),
		cmocka_unit_test(without_sections),
		cmocka_unit_test(vdso),
		cmocka_unit_test(many_entries),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests_name("unwind_tables", tests, tables_set_up, programs_remove);
}
