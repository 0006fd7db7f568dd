// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_every_symbol.c - the first, middle and last byte of every function of real files
 *
 * nm says which functions there are.  Where some overlap, the innermost one is meant: that
 * which begins last.  Of several that begin there, any is right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "programs.h"

struct function {
	uint64_t start;
	uint64_t end;
	char name[1024];
};

struct functions {
	struct function *all;
	size_t nr, cap;
	uint64_t longest;
};

/* Of the executable segment: file offset less address */
static uint64_t segment_shift(const char *path, uint64_t *from, uint64_t *to)
{
	unsigned long long offset, vaddr, paddr, bytes;
	uint64_t shift = 0;
	char line[512];
	FILE *in;

	snprintf(line, sizeof(line), "readelf -lW %s", path);
	in = popen(line, "r");
	assert_non_null(in);
	*to = 0;
	while (fgets(line, sizeof(line), in))
		if (sscanf(line, " LOAD 0x%llx 0x%llx 0x%llx 0x%llx", &offset, &vaddr, &paddr,
			   &bytes) == 4 && strstr(line, "R E ")) {
			*from = vaddr;
			*to = vaddr + bytes;
			shift = offset - vaddr;
		}
	pclose(in);
	assert_true(*to);
	return shift;
}

static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* @symbols: the file whose symbol table is read, for the functions that are in @path */
static struct functions ask_nm(const char *path, const char *options, const char *symbols)
{
	struct functions f = { 0 };
	unsigned long long address, size;
	uint64_t from, to, shift = segment_shift(path, &from, &to);
	char line[4096], name[1024], type;
	FILE *in;

	snprintf(line, sizeof(line), "nm -S --defined-only %s %s", options, symbols);
	in = popen(line, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%llx %llx %c %1023s", &address, &size, &type, name) != 4 ||
		    !strchr("tTwWiI", type) || address < from || address + size > to || !size)
			continue;
		name[1 + strcspn(name + 1, "@")] = 0;
		assert_int_equal(grow(&f.all, f.nr, &f.cap, sizeof(*f.all)), 0);
		f.all[f.nr] = (struct function){ .start = address + shift,
						 .end = address + shift + size };
		strcpy(f.all[f.nr++].name, name);
		f.longest = size > f.longest ? size : f.longest;
	}
	assert_int_equal(pclose(in), 0);
	assert_true(f.nr > 100);
	qsort(f.all, f.nr, sizeof(*f.all), by_start);
	return f;
}

/* Is @name that of the innermost function around @at? @near: the index of one */
static bool right(const struct functions *f, size_t near, uint64_t at, const char *name)
{
	uint64_t start = 0;
	size_t i = near;

	while (i < f->nr && f->all[i].start <= at)
		i++;
	while (i-- && f->all[i].start + f->longest > at) {
		if (start && f->all[i].start != start)
			break;
		if (f->all[i].end <= at)
			continue;
		start = f->all[i].start;
		/* without the version that .symtab has in names */
		if (!strncmp(f->all[i].name, name, strcspn(name + 1, "@") + 1) &&
		    strlen(f->all[i].name) == strcspn(name + 1, "@") + 1)
			return true;
	}
	return false;
}

/* Where Debian's packages have the symbols of a file; in a chroot also outside of it, as the tool looks there */
static void debug_file(const char *path, char *out)
{
	char line[4096], id[128] = "";
	FILE *in;

	snprintf(line, sizeof(line), "readelf -n %s", path);
	in = popen(line, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in))
		sscanf(line, " Build ID: %127s", id);
	pclose(in);
	assert_true(strlen(id) > 2);
	snprintf(out, 256, "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	if (access(out, F_OK))
		snprintf(out, 256, "/proc/1/root/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
}

static void check_file(const char *path)
{
	uint64_t start, end;
	struct profile_file file;
	struct functions f;
	char debug[256];
	struct looked *b;
	size_t wrong = 0;

	describe_path(path, &file);
	b = look_open(&file, -1, NULL);
	if (look_state(b) == KFLAME_NAMED_DEBUG) {
		debug_file(path, debug);
		print_message("# symbols of %s\n", debug);
		f = ask_nm(path, "", debug);
	} else {
		f = ask_nm(path, look_state(b) == KFLAME_NAMED_DYNSYM ? "-D" : "", path);
	}
	for (size_t i = 0; i < f.nr; i++) {
		uint64_t bytes = f.all[i].end - f.all[i].start;

		for (int k = 0; k < 3; k++) {
			uint64_t at = f.all[i].start + (uint64_t)k * (bytes - 1) / 2;
			const char *name = look_find(b, at, &start, &end);

			if (name && right(&f, i, at, name))
				continue;
			if (!wrong++)
				print_message("# %s: %s at %#llx is named %s\n", path, f.all[i].name,
					      (unsigned long long)at, name ? name : "not at all");
		}
	}
	print_message("# %s: %zu functions, %zu places named otherwise than by nm\n", path, f.nr,
		      wrong);
	assert_int_equal(wrong, 0);
	look_close(b);
	free(f.all);
}

/* As the compiler finds it; the file itself, not a link to it */
static void library(const char *name, char *path)
{
	char line[256], found[4096];
	FILE *in;

	snprintf(line, sizeof(line), "%s -print-file-name=%s", TEST_CC, name);
	in = popen(line, "r");
	assert_non_null(in);
	assert_non_null(fgets(found, sizeof(found), in));
	pclose(in);
	found[strcspn(found, "\n")] = 0;
	assert_non_null(realpath(found, path));
}

static void libc(void **state)
{
	char path[4096];
	(void)state;

	library("libc.so.6", path);
	check_file(path);
}

static void libstdcxx(void **state)
{
	char path[4096];
	(void)state;

	library("libstdc++.so.6", path);
	check_file(path);
}

static void with_symtab(void **state)
{
	(void)state;
	check_file(KFLAME_TOOL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libc),
		cmocka_unit_test(libstdcxx),
		cmocka_unit_test(with_symtab),
	};

	return cmocka_run_group_tests_name("every_symbol", tests, NULL, NULL);
}
