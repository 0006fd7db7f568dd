// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_symbols.c - which of its symbol tables a file is named by, in each way that a linker lays out files
 */
#include "made_symbols.h"

static void check_layout(const char *name, const char *how)
{
	struct looked *b;

	run(how);
	b = look_named(name);
	assert_int_equal(look_state(b), KFLAME_NAMED_SYMTAB);
	check_function(b, name, "", "first");
	check_function(b, name, "", "hidden");
	check_function(b, name, "", "second");
	look_close(b);
}

static void layouts(void **state)
{
	(void)state;
	check_layout("pie", "%s -O1 -pie -fPIE -o pie t.c");
	check_layout("fixed", "%s -O1 -no-pie -fno-pie -o fixed t.c");
	check_layout("lib.so", "%s -O1 -shared -fPIC -Dmain=third -o lib.so t.c");
	/* Addresses and file offsets that have nothing in common */
	check_layout("apart", "%s -O1 -no-pie -fno-pie -Wl,-Ttext-segment=0x7000000 "
		     "-Wl,-z,noseparate-code -o apart t.c");
	check_layout("separate", "%s -O1 -pie -fPIE -Wl,-z,separate-code "
		     "-Wl,-z,max-page-size=0x10000 -o separate t.c");
}

static void stripped(void **state)
{
	uint64_t start, end, hidden, size;
	struct looked *b;
	(void)state;

	run("%s -O1 -shared -fPIC -Dmain=third -o s.so t.c");
	hidden = nm_offset("s.so", "", "hidden", &size);
	assert_true(size > 1);
	b = look_stripped("s.so");
	assert_int_equal(look_state(b), KFLAME_NAMED_DYNSYM);
	check_function(b, "s.so", "-D", "second");
	check_nameless(b, "s.so", hidden, size);
	look_close(b);

	run("%s -O1 -shared -fPIC -fno-asynchronous-unwind-tables -Dmain=third -o u.so t.c");
	hidden = symbol_offset("u.so", "hidden");
	b = look_stripped("u.so");
	assert_null(look_find(b, hidden, &start, &end));
	look_close(b);

	run("%s -O1 -static -nostdlib -Dmain=_start -o bare t.c && strip bare");
	b = look_named("bare");
	assert_int_equal(look_state(b), KFLAME_NAMED_NONE);
	look_close(b);
}

/* A .symtab with one function hides neither .dynsym nor the debug file */
static void partial_symtab(void **state)
{
	struct looked *b;
	(void)state;

	run("%s -O1 -shared -fPIC -Dmain=third -o p.so t.c && cp p.so whole.so && "
	    "objcopy --only-keep-debug p.so p.debug && strip -s -K third p.so");
	b = look_named("p.so");
	assert_int_equal(look_state(b), KFLAME_NAMED_SYMTAB);
	check_function(b, "whole.so", "", "third");
	check_function(b, "whole.so", "", "first");
	check_function(b, "whole.so", "", "second");
	look_close(b);
	run("true %s && objcopy --add-gnu-debuglink=p.debug p.so");
	b = look_named("p.so");
	assert_int_equal(look_state(b), KFLAME_NAMED_DEBUG);
	check_function(b, "whole.so", "", "hidden");
	check_function(b, "whole.so", "", "third");
	look_close(b);
}

/* The same for a program that exports nothing, beside whose build-id a debug file is */
static void partial_symtab_build_id(void **state)
{
	static const char *const partial[] = { "-s -K second", "-x" };
	char command[256];
	struct looked *b;
	(void)state;

	run("%s -O1 -pie -fPIE -Wl,--build-id=0x12345678 -o program t.c && mkdir 12345678 && "
	    "objcopy --only-keep-debug program 12345678/debuginfo");
	setenv("DEBUGINFOD_CACHE_PATH", dir, 1);
	for (size_t i = 0; i < sizeof(partial) / sizeof(*partial); i++) {
		snprintf(command, sizeof(command), "true %%s && strip %s -o part program", partial[i]);
		run(command);
		b = look_named("part");
		assert_int_equal(look_state(b), KFLAME_NAMED_SYMTAB);
		check_function(b, "program", "", "second");
		check_function(b, "program", "", "hidden");
		check_function(b, "program", "", "first");
		assert_int_equal(look_state(b), KFLAME_NAMED_DEBUG);
		look_close(b);
	}
	unsetenv("DEBUGINFOD_CACHE_PATH");
}

static void vdso(void **state)
{
	struct profile_file f = { .path = (char *)"[vdso]", .base = "[vdso]" };
	uint64_t start, end, named = 0;
	struct looked *b;
	(void)state;

	b = look_open(&f, -1, NULL);
	assert_int_equal(look_state(b), KFLAME_NAMED_DYNSYM);
	for (uint64_t at = 0; at < 8192; at++) {
		const char *name = look_find(b, at, &start, &end);

		named += name && strstr(name, "clock_gettime");
	}
	assert_true(named > 10);
	look_close(b);
	/* Recorded on another kernel */
	f.rec.build_id_len = 4;
	b = look_open(&f, -1, NULL);
	assert_int_equal(look_state(b), KFLAME_NAMED_CHANGED);
	look_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts),
		cmocka_unit_test(stripped),
		cmocka_unit_test(partial_symtab),
		cmocka_unit_test(partial_symtab_build_id),
		cmocka_unit_test(vdso),
	};

	return cmocka_run_group_tests_name("symbols", tests, symbols_set_up, programs_remove);
}
