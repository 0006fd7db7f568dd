// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_perf_maps.c - what a compiler's file says, to whom the names go
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "mkprofile.h"
#include "record/perf_maps.h"
#include "stacks/open.h"
#include "stacks/stacks.h"

#define U	KFLAME_STACK_USER

/* The names of leaves, one after the other */
static int take(void *ctx, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	(void)samples;
	(void)ns;
	strcat(strcat(ctx, frames[nr - 1].name), ";");
	return 0;
}

static int print_name(void *out, uint32_t aspace, uint64_t start, uint64_t end, const char *name)
{
	assert_int_equal(aspace, 0);
	fprintf(out, "%llx-%llx %s\n", (unsigned long long)start, (unsigned long long)end, name);
	return 0;
}

/* The names that are found while it is recorded; for free() */
static char *look(struct perf_maps *maps, const struct profile *p)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	maps->open = 1;
	assert_int_equal(perf_maps_look(maps, p, print_name, out), 0);
	fclose(out);
	return text;
}

/* The names found while @p was recorded, and again, are its names in the end */
static void check_looks(const struct profile *p, const char *first, const char *second)
{
	const struct profile_symbols *syms = &p->aspaces[0].syms;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; i < syms->nr; i++)
		print_name(out, 0, syms->all[i].start, syms->all[i].end, syms->all[i].name);
	fclose(out);
	assert_string_equal(first, text);
	assert_string_equal(second, text);
	free(text);
}

/* A file of these bytes at these places, and holes elsewhere */
static int sparse(const char *text, off_t at, const char *more)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
	assert_int_equal(pwrite(fd, more, strlen(more), at), strlen(more));
	assert_int_equal(ftruncate(fd, at * 2), 0);
	return fd;
}

/* Holes take no time; half a line before one is none */
static void holes_are_passed_over(void **state)
{
	struct perf_place places[] = { { .at = 0x1000 }, { .at = 0x2000 }, { .at = 0x3000 } };
	struct perf_lines lines = { 0 };

	(void)state;
	assert_int_equal(perf_map_read(sparse("1000 10 first\n2000 10 sec", (off_t)1 << 40,
					      "ond\n3000 10 third\n"), places, 3, &lines), 0);
	assert_string_equal(places[0].name, "first");
	assert_null(places[1].name);
	assert_string_equal(places[2].name, "third");
	assert_true(lines.used.bytes < 1u << 20);
	perf_lines_exit(&lines);
}

/* As many bytes as one user may have read, NUL or not, and then no more */
static void bytes_are_counted(void **state)
{
	struct perf_place places[] = { { .at = 0x1000 }, { .at = 0x2000 } };
	struct perf_lines lines = { .used.bytes = (256u << 20) - 8192 };
	char zeros[4096] = { 0 };
	int fd = memfd_create("map", MFD_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "1000 10 first\n", 14), 14);
	for (int i = 0; i < 4; i++)
		assert_int_equal(write(fd, zeros, sizeof(zeros)), sizeof(zeros));
	assert_int_equal(write(fd, "\n2000 10 second\n", 16), 16);
	assert_int_equal(perf_map_read(fd, places, 2, &lines), 0);
	assert_string_equal(places[0].name, "first");
	assert_null(places[1].name);
	assert_true(perf_lines_full(&lines));
	perf_lines_exit(&lines);
}

/* Where 0x500000 is: in a file; NULL: in none, "" in no mapping */
static const char *behind;

static void map_code(struct mk *m)
{
	if (behind && *behind)
		mk_file(m, 1, behind);
	if (!behind || *behind)
		mk_mapping(m, 1, 0x500000, 0x501000, behind ? 1 : 0, 0);
}

/* Leaves at these addresses of what is at 0x500000, with this file and dump */
static void check_both(const char *text, int dump, const uint64_t *at, const char *expected)
{
	struct perf_maps maps = { 0 };
	struct mk m = { 0 };
	struct records names = { 0 };
	struct profile *p;
	char got[1024] = "", *looks[2];
	FILE *file = tmpfile();

	mk_header(&m);
	mk_session(&m);
	mk_aspace(&m, 1, "task");
	map_code(&m);
	for (uint64_t i = 0; at[i]; i++) {
		mk_stack(&m, i + 1, U, &at[i], 1);
		mk_count(&m, 1, 0, i + 1, 1, 1);
	}
	p = profile_create();
	assert_int_equal(profile_feed(p, m.r.data, m.r.len), 0);
	assert_int_equal(profile_finish(p), 0);
	perf_maps_update(&maps, p);
	/* What is in no mapping is looked for at the end */
	if (!maps.nr) {
		assert_int_equal(perf_maps_name(&maps, p, &names), 0);
		assert_int_equal(maps.nr, 1);
	}
	fputs(text ? : "", file);
	fflush(file);
	rewind(file);
	maps.all[0].fd = text ? dup(fileno(file)) : -1;
	maps.all[0].dump = dump;
	looks[0] = look(&maps, p);
	looks[1] = look(&maps, p);
	assert_int_equal(perf_maps_name(&maps, p, &names), 0);
	assert_int_equal(profile_feed(p, names.data, names.len), 0);
	assert_int_equal(profile_finish(p), 0);
	assert_int_equal(p->damaged, 0);
	assert_int_equal(profile_show(p, &(struct naming){ 0 }), 0);
	assert_int_equal(profile_each_stack(p, take, got), 0);
	assert_string_equal(got, expected);
	check_looks(p, looks[0], looks[1]);
	free(looks[0]);
	free(looks[1]);
	profile_destroy(p);
	records_exit(&names);
	mk_free(&m);
	perf_maps_exit(&maps);
	fclose(file);
}

static void check(const char *text, const uint64_t *at, const char *expected)
{
	check_both(text, -1, at, expected);
}

/* A jitdump of one function of 16 bytes at 0x500000 */
static int dump_of(const char *name)
{
	const struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
		uint32_t type, bytes;
		uint64_t at_time;
		uint32_t owner, tid;
		uint64_t vma, address, code_bytes, index;
	} d = {
		.magic = 0x4a695444, .version = 1, .size = 40,
		.bytes = 56 + (uint32_t)strlen(name) + 1, .address = 0x500000, .code_bytes = 16,
	};
	int fd = memfd_create("dump", MFD_CLOEXEC);

	assert_int_equal(write(fd, &d, sizeof(d)), 96);
	assert_int_equal(write(fd, name, strlen(name) + 1), strlen(name) + 1);
	return fd;
}

/* The jitdump holds where it has a name */
static void both_files(void **state)
{
	static const uint64_t at[] = { 0x500000, 0x500010, 0 };
	(void)state;

	check_both("500000 20 by map\n", dump_of("by dump"), at, "by dump;by map;");
	check_both(NULL, dump_of("by dump"), at, "by dump;[anonymous memory];");
	check_both(NULL, -1, at, "[anonymous memory];[anonymous memory];");
}

static void named(void **state)
{
	(void)state;
	check("500000 10 first\n0x500010 10 second one\n",
	      (uint64_t[]){ 0x500000, 0x50000f, 0x500010, 0x50001f, 0x500020, 0 },
	      "first;first;second one;second one;[anonymous memory];");
}

/* Not a symbol's version, nor a module: compilers tell any character */
static void any_character(void **state)
{
	(void)state;
	check("500000 10 LazyCompile:*parse /app/node_modules/@babel/parser [x]\n",
	      (uint64_t[]){ 0x500000, 0 },
	      "LazyCompile:*parse /app/node_modules/@babel/parser [x];");
}

/* Made anew: the last name in the map wins, and each function on its own side of another */
static void over_each_other(void **state)
{
	(void)state;
	check("500000 100 old\n500000 100 new\n", (uint64_t[]){ 0x500080, 0 }, "new;");
	check("500000 200 wide\n500000 150 low\n",
	      (uint64_t[]){ 0x500100, 0x500180, 0 }, "low;wide;");
	check("500000 200 wide\n500080 10 inner\n",
	      (uint64_t[]){ 0x500010, 0x500088, 0x500100, 0 }, "wide;inner;wide;");
}

static void no_lines(void **state)
{
	char *line = malloc(20001);
	(void)state;

	check("", (uint64_t[]){ 0x500000, 0 }, "[anonymous memory];");
	check("\n\n500000\n500000 10\n500000 10 \n500000 0 none\nzz 10 no\n"
	      "ffffffffffffffff 10 past the end\n1ffffffffffffffff 10 too much\n500000 10 good",
	      (uint64_t[]){ 0x500000, 0 }, "good;");
	/* what does not fit is cut, and its rest is no line, whatever it looks like */
	memset(line, 'a', 20000);
	memcpy(line, "500000 10 b", 11);
	for (int chunk = 1; chunk < 4; chunk++)
		memcpy(line + chunk * 4095, "500020 10 no ", 13);
	line[20000] = 0;
	check(line, (uint64_t[]){ 0x500020, 0 }, "[anonymous memory];");
	free(line);
}

/* Code may be in memory of any kind, and in no file on disk */
static void any_memory(void **state)
{
	static const char *const memory[] = {
		"/memfd:doublemapper (deleted)", "/dev/zero", "/dev/zero (deleted)",
		"/anon_hugepage (deleted)", "/SYSV00000000 (deleted)", "/dev/shm/code", "",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++) {
		behind = memory[i];
		check("500000 10 made\n", (uint64_t[]){ 0x500000, 0 }, "made;");
	}
	behind = NULL;
}

/* A profile with samples at 0x500000, in @path, and at 0x600000, in anonymous memory. A perf map claims both. */
static struct profile *claimed(const char *path)
{
	const uint64_t at[] = { 0x500000, 0x600000 };
	struct profile *p = profile_create();
	struct records names = { 0 };
	struct mk m = { 0 };

	mk_header(&m);
	mk_session(&m);
	mk_aspace(&m, 1, "task");
	mk_file(&m, 1, path);
	mk_mapping(&m, 1, 0x500000, 0x501000, 1, 0);
	mk_mapping(&m, 1, 0x600000, 0x601000, 0, 0);
	for (uint64_t k = 0; k < 2; k++) {
		mk_stack(&m, k + 1, U, &at[k], 1);
		mk_count(&m, 1, 0, k + 1, 1, 1);
	}
	records_jsym(&names, 1, 0x100000, 0x700000, "all");
	assert_int_equal(profile_feed(p, m.r.data, m.r.len), 0);
	assert_int_equal(profile_feed(p, names.data, names.len), 0);
	assert_int_equal(profile_finish(p), 0);
	assert_int_equal(profile_show(p, &(struct naming){ 0 }), 0);
	records_exit(&names);
	mk_free(&m);
	return p;
}

/* A map that claims all memory names what is in no file on disk, and nothing else */
static void files_keep_their_names(void **state)
{
	static const char *const files[] = { "/usr/lib/libc.so.6", "/dev/zeros", "/home/a/memfd:x", "/tmp/x (deleted)" };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct profile *p = claimed(files[i]);
		char got[1024] = "";

		assert_int_equal(profile_each_stack(p, take, got), 0);
		assert_int_equal(strncmp(got, "[not named: ", 12), 0);
		assert_non_null(strstr(got, ";all;"));
		profile_destroy(p);
	}
}

/* Appends the leaf of a sample: its symbol, the start of its function, and its file */
static int take_place(void *ctx, const struct sample *s)
{
	const struct place *at = &s->places[s->nr - 1];
	char text[128];

	snprintf(text, sizeof(text), "%s %#llx %s;", at->symbol ? : "-", (unsigned long long)at->start,
		 at->path ? : "-");
	strcat(ctx, text);
	return 0;
}

/* A map that claims all memory changes no address in a file on disk. perf script and pprof show these addresses. */
static void files_keep_their_addresses(void **state)
{
	struct profile *p = claimed("/usr/lib/libc.so.6");
	char got[1024] = "";

	(void)state;
	assert_int_equal(profile_each_sample(p, take_place, got), 0);
	assert_string_equal(got, "- 0 /usr/lib/libc.so.6;all 0x100000 -;");
	profile_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(named),
		cmocka_unit_test(any_character),
		cmocka_unit_test(over_each_other),
		cmocka_unit_test(no_lines),
		cmocka_unit_test(both_files),
		cmocka_unit_test(holes_are_passed_over),
		cmocka_unit_test(bytes_are_counted),
		cmocka_unit_test(any_memory),
		cmocka_unit_test(files_keep_their_names),
		cmocka_unit_test(files_keep_their_addresses),
	};

	return cmocka_run_group_tests_name("perf_maps", tests, NULL, NULL);
}
