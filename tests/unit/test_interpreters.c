// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_interpreters.c - functions of interpreted programs: their records and names, and interpreters in files
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/cpython_find.h"
#include "elf/interpreter_find.h"
#include "elf/perl_find.h"
#include "mkprofile.h"
#include "profile/merge.h"

#define PYTHON	"/usr/bin/python3.11"
#define PERL	"/usr/bin/perl"
#define AT(id, line) (KFLAME_FUNCTION | (uint64_t)(id) << KFLAME_FUNCTION_SHIFT | (line))

static void put_function(struct mk *m, uint32_t id, uint32_t line, const char *name, const char *file)
{
	records_function(&m->r, id, &(struct profile_function){
		.kind = KFLAME_INTERPRETER_CPYTHON_3_11, .line = line, .name = (char *)name, .file = (char *)file,
	});
}

/* main() calls work(), whose name was not in memory the second time; then a function without a record */
static void make(struct mk *m, uint32_t id)
{
	const uint64_t ips[] = { AT(id + 1, 9), AT(id, 21), 0x401100 };
	const uint64_t others[] = { AT(KFLAME_FUNCTION_MORE, 0), AT(id + 2, 0), AT(id + 3, 5), 0x401100 };

	*m = (struct mk){ 0 };
	mk_header(m);
	mk_session(m);
	mk_file(m, 1, "/usr/bin/python3.11");
	mk_aspace(m, 1, "python3");
	mk_mapping(m, 1, 0x400000, 0x500000, 1, 0);
	mk_stack(m, 1, KFLAME_STACK_USER, ips, 3);
	mk_stack(m, 2, KFLAME_STACK_USER, others, 4);
	/* A record may come after the stacks that name it */
	put_function(m, id, 20, "<module>", "/home/x/app.py");
	put_function(m, id + 1, 7, "Work.run", "/home/x/lib/w\xc3\xb6rk.py");
	put_function(m, id + 2, 0, "", "");
	mk_count(m, 1, 0, 1, 10, 10000);
	mk_count(m, 1, 0, 2, 5, 5000);
	mk_end(m);
	assert_false(m->r.failed);
}

struct seen {
	char text[2][400];
	uint32_t lines;
	size_t nr;
};

static int see(void *ctx, const struct sample *s)
{
	struct seen *seen = ctx;
	char *to = seen->text[seen->nr++ % 2];

	*to = 0;
	for (size_t i = 2; i < s->nr; i++) {
		if (s->frames[i].kind == FRAME_SCRIPT)
			seen->lines = seen->lines * 100 + s->places[i].line;
		strcat(strcat(to, s->frames[i].kind == FRAME_SCRIPT ? "+" : "-"), s->frames[i].name);
	}
	return 0;
}

static void check(struct profile *p, bool lines, const char *first)
{
	static const struct naming plain, with_lines = { .lines = true };
	struct seen seen = { 0 };

	p->names = names_create(p, lines ? &with_lines : &plain);
	assert_non_null(p->names);
	assert_int_equal(profile_each_sample(p, see, &seen), 0);
	assert_true(seen.nr >= 2);
	assert_string_equal(seen.text[0], first);
	assert_string_equal(seen.text[1],
			    "-[damaged: interpreted function]-[interpreted function: its name was not in memory]"
			    "-[interpreted function: no room for its name]");
	assert_int_equal(seen.lines % 10000, 2109);
	names_destroy(p->names);
	p->names = NULL;
}

#define FIRST "+<module> (app.py:20)+Work.run (w\xc3\xb6rk.py:7)"

static void frames_have_names(void **state)
{
	struct profile *p;
	struct mk m;

	(void)state;
	make(&m, 2);
	p = mk_profile(&m);
	names_destroy(p->names);
	assert_int_equal(p->damaged, 0);
	assert_int_equal(p->nr_functions, 3);
	check(p, false, FIRST);
	check(p, true, "+<module> app.py:21+Work.run w\xc3\xb6rk.py:9");
	profile_destroy(p);
	mk_free(&m);
}

/* Both inputs have the same ids for other functions. */
static void merged_profiles_keep_their_functions(void **state)
{
	static const struct merge_how how = { .no_runs = false };
	struct merge *m = merge_create(&how);
	struct profile *p, *sum, *merged;
	const uint32_t from[2] = { 2, 7 };
	char *bytes;
	size_t len;
	FILE *out = open_memstream(&bytes, &len);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct mk mk;

		make(&mk, from[i]);
		p = mk_profile(&mk);
		assert_int_equal(merge_add(m, p, i ? "other" : "one"), 0);
		profile_destroy(p);
		mk_free(&mk);
	}
	sum = merge_finish(m);
	assert_non_null(sum);
	assert_int_equal(profile_write(out, sum), 0);
	profile_destroy(sum);
	fclose(out);
	merged = profile_create();
	assert_int_equal(profile_feed(merged, bytes, len), 0);
	profile_finish(merged);
	assert_int_equal(merged->damaged, 0);
	/* Equal functions are one */
	assert_int_equal(merged->nr_functions, 3);
	check(merged, false, FIRST);
	profile_destroy(merged);
	free(bytes);
}

static void malformed_records_are_refused(void **state)
{
	static const struct kflame_rec_function bad[] = {
		{ .id = 0 }, { .id = KFLAME_FUNCTION_MORE }, { .id = KFLAME_FUNCTION_MAX + 1 },
		{ .id = 2, .name_len = 4, .text_len = 3 }, { .id = 2, .text_len = 100 }, { .id = 2, .text_len = 2 },
	};
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	mk_header(&m);
	mk_session(&m);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct kflame_rec_function f = bad[i];

		f.rec.type = KFLAME_REC_FUNCTION;
		records_add(&m.r, &f, offsetof(struct kflame_rec_function, text), "abc", 4);
	}
	mk_end(&m);
	p = mk_profile(&m);
	assert_int_equal(p->damaged, sizeof(bad) / sizeof(*bad));
	assert_int_equal(p->nr_functions, 0);
	profile_destroy(p);
	mk_free(&m);
}

static void python_is_found(void **state)
{
	int fd = open(PYTHON, O_RDONLY | O_CLOEXEC);
	struct kflame_interpreter is;

	(void)state;
	if (fd < 0) {
		print_message("no " PYTHON "\n");
		skip();
	}
	assert_true(interpreter_likely(fd));
	assert_int_equal(interpreter_find(fd, &is), 0);
	close(fd);
	assert_int_equal(is.size, sizeof(is));
	assert_int_equal(is.kind, KFLAME_INTERPRETER_CPYTHON_3_11);
	assert_int_equal(is.version >> 16, 0x030b);
	assert_int_equal(is.nr_at, KFLAME_PY_NR);
	/* gcc splits the loop */
	assert_int_equal(is.nr_loops, 2);
	for (uint32_t i = 0; i < is.nr_loops; i++)
		assert_true(is.loop[i].end > is.loop[i].start && is.loop[i].end - is.loop[i].start > 1000);
	assert_int_equal(is.loop[2].end, 0);
}

/* From 3.13 on a file has its own offsets: these words are those of 3.14 without a lock */
static void python_describes_itself(void **state)
{
	uint64_t debug[96] = { 0 };
	uint32_t at[KFLAME_PY_NR_ANY];

	(void)state;
	memcpy(debug, "xdebugpy", 8);
	debug[1] = 0x030e00f0;
	debug[2] = 1;
	for (uint64_t i = 3; i < 96; i++)
		debug[i] = 8 * i;
	assert_true(cpython_offsets(0x030e, debug, 96, at));
	assert_int_equal(at[KFLAME_PY_CURRENT], 8 * 26);
	assert_int_equal(at[KFLAME_PY_OWNER], 8 * 36);
	assert_int_equal(at[KFLAME_PY_COPY], 8 * 38);
	assert_int_equal(at[KFLAME_PY_FIRST], 8 * 48);
	assert_int_equal(at[KFLAME_PY_CHARACTERS], 8 * 80 + 16);
	assert_int_equal(at[KFLAME_PY_CHARACTER], 8);
	assert_int_equal(at[KFLAME_PY_CFRAME], 0);
	debug[2] = 0;
	assert_true(cpython_offsets(0x030e, debug, 96, at));
	assert_int_equal(at[KFLAME_PY_CHARACTER], 2);
	/* Of another version, cut short, or too large */
	assert_false(cpython_offsets(0x030d, debug, 96, at));
	assert_false(cpython_offsets(0x030f, debug, 96, at));
	assert_false(cpython_offsets(0x030e, debug, 40, at));
	debug[44] = 1 << 20;
	assert_false(cpython_offsets(0x030e, debug, 96, at));
	debug[0] = 0;
	assert_false(cpython_offsets(0x030e, debug, 96, at));
}

/* Versions without a description of themselves */
static void old_pythons_have_a_table(void **state)
{
	static const uint64_t none[96];
	uint32_t at[KFLAME_PY_NR_ANY];

	(void)state;
	assert_true(cpython_offsets(0x0309, none, 96, at));
	assert_int_equal(at[KFLAME_PY_LINES_ARE], KFLAME_PY_LINES_3_9);
	assert_true(cpython_offsets(0x030a, none, 96, at));
	assert_int_equal(at[KFLAME_PY_UNIT], 2);
	assert_true(cpython_offsets(0x030c, none, 96, at));
	assert_int_equal(at[KFLAME_PY_OWNER], 70);
	assert_false(cpython_offsets(0x0308, none, 96, at));
	assert_false(cpython_offsets(0x030d, none, 96, at));
}

/* The key in the code of PyGILState_GetThisThreadState(), as compilers write it */
static void key_is_in_the_code(void **state)
{
	static const struct {
		unsigned char code[32];
		uint32_t key;
	} is[] = {
		/* endbr64; cmpl $0,0x86c(%rip); je; mov 0x863(%rip),%edi: the key itself */
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x83, 0x3d, 0x5d, 0x08, 0, 0, 0, 0x74, 6, 0x8b, 0x3d, 0x5d, 0x08, 0, 0 },
		  0x5d + 0x800 + 19 },
		/* cmpl $0,0x93b(%rip); mov $structure,%edi */
		{ { 0x83, 0x3d, 0x3b, 0x09, 0, 0, 0, 0x74, 6, 0xbf, 0x20, 0x19, 0x40, 0 }, 0x924 },
		/* mov GOT(%rip),%rax; cmpq $0,0x240(%rax); lea 0x248(%rax),%rdi */
		{ { 0x48, 0x8b, 0x05, 0, 0, 0x10, 0, 0x48, 0x83, 0xb8, 0x40, 2, 0, 0, 0, 0x74, 9, 0x48, 0x8d, 0xb8,
		    0x48, 2, 0, 0 }, 0x24c },
		/* xor %eax,%eax; ret */
		{ { 0x31, 0xc0, 0xc3 }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(is) / sizeof(*is); i++)
		assert_int_equal(cpython_key(is[i].code, sizeof(is[i].code), 0x401000, 0x401000, 4096), is[i].key);
}

static void perl_is_found(void **state)
{
	int fd = open(PERL, O_RDONLY | O_CLOEXEC);
	struct kflame_interpreter is;

	(void)state;
	if (fd < 0) {
		print_message("no " PERL "\n");
		skip();
	}
	assert_true(interpreter_likely(fd));
	assert_int_equal(interpreter_find(fd, &is), 0);
	close(fd);
	assert_int_equal(is.size, sizeof(is));
	assert_int_equal(is.kind, KFLAME_INTERPRETER_PERL_5);
	assert_int_equal(is.version >> 8, 5);
	assert_int_equal(is.nr_at, KFLAME_PL_NR);
	assert_int_equal(is.nr_loops, 2);
	for (uint32_t i = 0; i < is.nr_loops; i++)
		assert_true(is.loop[i].end > is.loop[i].start && is.loop[i].end - is.loop[i].start < 1000);
}

static void perl_versions_have_offsets(void **state)
{
	uint32_t at[KFLAME_PL_NR];

	(void)state;
	for (unsigned int version = 0; version < 100; version++)
		assert_int_equal(perl_offsets(version, at), version >= 28 && version <= 42 && version % 2 == 0);
}

/* The headers of the installed Perl say the same as the table */
static void perl_offsets_are_those_of_the_headers(void **state)
{
	static const char line[] = "core=$(perl -MConfig -e 'print $Config{archlibexp}')/CORE && to=$(mktemp) && "
		"cc -w -D_GNU_SOURCE -O2 -I" TEST_DIR "/../../include -I\"$core\" " TEST_DIR "/perl_offsets.c -o \"$to\" "
		"2>/dev/null && \"$to\"; result=$?; rm -f \"$to\"; exit $result";
	FILE *out = popen(line, "r");
	unsigned int version, i, offset, nr = 0;
	uint32_t at[KFLAME_PL_NR];

	(void)state;
	assert_non_null(out);
	if (fscanf(out, "version %u", &version) != 1) {
		pclose(out);
		print_message("no headers of Perl\n");
		skip();
	}
	assert_true(perl_offsets(version, at));
	for (; fscanf(out, "%u %u", &i, &offset) == 2; nr++) {
		assert_true(i < KFLAME_PL_NR);
		assert_int_equal(at[i], offset);
	}
	assert_int_equal(pclose(out), 0);
	assert_true(nr > 25);
}

static void other_files_are_none(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct kflame_interpreter is;

	(void)state;
	assert_false(interpreter_likely(fd));
	assert_int_equal(interpreter_find(fd, &is), -ENOENT);
	close(fd);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_false(interpreter_likely(fd));
	assert_int_equal(interpreter_find(fd, &is), -ENOENT);
	close(fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_have_names), cmocka_unit_test(merged_profiles_keep_their_functions),
		cmocka_unit_test(malformed_records_are_refused), cmocka_unit_test(python_is_found),
		cmocka_unit_test(python_describes_itself), cmocka_unit_test(old_pythons_have_a_table),
		cmocka_unit_test(key_is_in_the_code),
		cmocka_unit_test(perl_is_found), cmocka_unit_test(perl_versions_have_offsets),
		cmocka_unit_test(perl_offsets_are_those_of_the_headers), cmocka_unit_test(other_files_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
