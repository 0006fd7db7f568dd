// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_debug_files.c - the symbols of stripped programs, from wherever they are
 *
 * A program is stripped each way that distributions do it, and put beside its symbols
 * each way that they do; hidden() is in no .dynsym.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "programs.h"

static const char source[] =
	"int sink;\n"
	"__attribute__((noinline)) static int hidden(int x) { return x * 3 + sink; }\n"
	"int seen(int x) { return hidden(x) + hidden(x + 1); }\n";

static uint64_t hidden_at;

/*
 * Makes lib.so (with a build-id or without), full.so, and lib.debug; lib.so is not stripped. It has no
 * unwind information, which would tell of hidden() as well.
 */
static void make(const char *build_id)
{
	char command[256], line[256];
	unsigned long long address;
	FILE *in;

	snprintf(command, sizeof(command), "rm -rf lib* .debug cache; "
		 "%%s -O1 -g -fno-asynchronous-unwind-tables -shared -fPIC "
		 "-Wl,--build-id=%s -o lib.so t.c", build_id);
	run(command);
	run("true %s; cp lib.so full.so; objcopy --only-keep-debug lib.so lib.debug");
	snprintf(line, sizeof(line), "nm %s/lib.so | grep ' t hidden$'", dir);
	in = popen(line, "r");
	assert_int_equal(fscanf(in, "%llx", &address), 1);
	pclose(in);
	hidden_at = offset_of("lib.so", address);
}

/* hidden() begins and ends where .symtab said */
static void check_bounds(void)
{
	struct looked *b = look_named("lib.so"), *full = look_named("full.so");
	uint64_t start[2], end[2];

	assert_string_equal(look_find(b, hidden_at + 1, &start[0], &end[0]), "hidden");
	assert_string_equal(look_find(full, hidden_at + 1, &start[1], &end[1]), "hidden");
	assert_int_equal(start[0], start[1]);
	assert_int_equal(end[0], end[1]);
	look_close(b);
	look_close(full);
}

/* What the names are from, and the name of hidden() */
static void check(uint32_t state, const char *name)
{
	struct looked *b = look_named("lib.so");

	assert_int_equal(look_state(b), state);
	assert_string_equal(name_at(b, hidden_at), name);
	look_close(b);
}

static int set_up(void **state)
{
	(void)state;
	programs_make_dir();
	write_file("t.c", source);
	setenv("DEBUGINFOD_CACHE_PATH", dir, 1);
	unsetenv("DEBUGINFOD_URLS");
	return 0;
}

static void nowhere(void **state)
{
	(void)state;
	make("0x12345678");
	run("true %s; strip lib.so; rm lib.debug");
	check(KFLAME_NAMED_DYNSYM, "-");
}

static void by_build_id(void **state)
{
	(void)state;
	make("0x12345678");
	run("true %s; strip lib.so; mkdir 12345678; mv lib.debug 12345678/debuginfo");
	check(KFLAME_NAMED_DEBUG, "hidden");
	/* that of another program is at its place */
	make("0x12345679");
	run("true %s; strip lib.so; mv 12345678 12345679");
	run("true %s; objcopy --only-keep-debug full.so 12345679/debuginfo");
	check(KFLAME_NAMED_DEBUG, "hidden");
	make("0x1234567a");
	run("true %s; strip lib.so; mv 12345679 1234567a; rm lib.debug");
	check(KFLAME_NAMED_DYNSYM, "-");
	run("true %s; rm -r 1234567a");
}

static void by_link(void **state)
{
	(void)state;
	make("none");
	run("true %s; strip lib.so; objcopy --add-gnu-debuglink=lib.debug lib.so");
	check(KFLAME_NAMED_DEBUG, "hidden");
	run("true %s; mkdir .debug; mv lib.debug .debug");
	check(KFLAME_NAMED_DEBUG, "hidden");
	/* not the one that is meant: its checksum is another */
	run("true %s; echo >>.debug/lib.debug");
	check(KFLAME_NAMED_DYNSYM, "-");
}

/* No .symtab, neither in the program nor in its debug file: debug data names its functions */
static void by_debug_info(void **state)
{
	static const char only_debug[] = "objcopy -S --keep-section=.debug_*";
	char command[256];
	(void)state;

	make("0x1234567e");
	snprintf(command, sizeof(command), "true %%s; rm lib.debug; %s lib.so; objcopy --keep-section=.debug_* "
		 "--compress-debug-sections lib.so packed.so", only_debug);
	run(command);
	check(KFLAME_NAMED_DEBUG, "hidden");
	check_bounds();
	run("true %s; mv packed.so lib.so");
	check(KFLAME_NAMED_DEBUG, "hidden");
	check_bounds();
	make("0x1234567e");
	snprintf(command, sizeof(command), "true %%s; strip lib.so; mkdir 1234567e; %s lib.debug 1234567e/debuginfo",
		 only_debug);
	run(command);
	check(KFLAME_NAMED_DEBUG, "hidden");
	check_bounds();
	run("true %s; rm -r 1234567e");
}

/* Debug data has functions that the linker removed, at address 0: they name no code that is there */
static void removed_functions(void **state)
{
	struct looked *b;
	uint64_t at;
	(void)state;

	write_file("r.c", "int other(int x) __attribute__((visibility(\"hidden\")));\n"
		   "int gone(int x) { __asm__(\".skip 4096, 0x90\"); return x * 7; }\n"
		   "__attribute__((visibility(\"default\"))) int kept(int x) { return other(x) + 2; }\n");
	write_file("o.s", ".text\n.globl other\n.hidden other\n.type other,@function\nother: .skip 8192, 0x90\nret\n.size other, .-other\n"
			  ".section .note.GNU-stack,\"\",@progbits\n");
	run("%s -c o.s");
	run("rm -f lib*; %s -O1 -g -fno-asynchronous-unwind-tables -fvisibility=hidden -ffunction-sections -fPIC -shared "
	    "-nostdlib -Wl,--gc-sections,-z,noseparate-code -Wl,-u,kept -o lib.so r.c o.o; cp lib.so full.so; "
	    "objcopy -S --keep-section='.debug_*' lib.so");
	at = symbol_offset("full.so", "other");
	b = look_named("lib.so");
	assert_string_equal(name_at(b, symbol_offset("full.so", "kept")), "kept");
	assert_string_equal(name_at(b, at), "-");
	assert_string_equal(name_at(b, at + 1), "-");
	look_close(b);
}

static void mini(void **state)
{
	(void)state;
	make("none");
	run("true %s; objcopy -S --keep-symbol hidden full.so mini; xz -f mini; strip lib.so; "
	    "objcopy --add-section .gnu_debugdata=mini.xz lib.so");
	check(KFLAME_NAMED_MINI, "hidden");
	/* cut short */
	run("true %s; truncate -s -40 mini.xz; "
	    "objcopy --update-section .gnu_debugdata=mini.xz lib.so");
	check(KFLAME_NAMED_DYNSYM, "-");
}

/* 100 MB of zeros are 15 kB */
static void mini_without_end(void **state)
{
	(void)state;
	make("none");
	run("true %s; head -c 100M /dev/zero | xz -0 >mini.xz; strip lib.so; "
	    "objcopy --add-section .gnu_debugdata=mini.xz lib.so");
	check(KFLAME_NAMED_DYNSYM, "-");
}

/* elfutils' own client, asked for a file: URL, so that no server is needed */
static void by_server(void **state)
{
	char url[128];
	(void)state;

	make("0x1234567b");
	run("true %s; strip lib.so; mkdir -p srv/buildid/1234567b; "
	    "mv lib.debug srv/buildid/1234567b/debuginfo");
	check(KFLAME_NAMED_DYNSYM, "-");
	snprintf(url, sizeof(url), "file://%s/srv", dir);
	setenv("DEBUGINFOD_URLS", url, 1);
	check(KFLAME_NAMED_DEBUG, "hidden");
	unsetenv("DEBUGINFOD_URLS");
}

/* Whether this libelf unpacks it is asked of eu-readelf, which uses the same */
static void zstd(void **state)
{
	char command[256];
	struct looked *b;
	bool unpacks;
	(void)state;

	make("0x1234567c");
	b = look_named("lib.so");
	assert_false(look_packed(b));
	look_close(b);
	snprintf(command, sizeof(command),
		 "cd %s && objcopy --compress-debug-sections=zstd lib.so packed 2>/dev/null && mv packed lib.so",
		 dir);
	if (system(command) || system("command -v eu-readelf >/dev/null"))
		skip();
	snprintf(command, sizeof(command), "cd %s && eu-readelf --debug-dump=info lib.so 2>&1 | grep -q hidden", dir);
	unpacks = !system(command);
	b = look_named("lib.so");
	assert_int_equal(look_packed(b), !unpacks);
	look_close(b);
}

static uint32_t no_text(void *ctx, const char *text, size_t len)
{
	(void)ctx, (void)text, (void)len;
	return 1;
}

static void no_place(void *ctx, size_t i, const struct source_level *levels, size_t nr)
{
	(void)ctx, (void)i, (void)levels, (void)nr;
}

static void note_packed(void *ctx)
{
	*(bool *)ctx = true;
}

/* The program has its symbols, and the debug file is read for the lines only */
static void zstd_lines(void **state)
{
	bool expected, packed = false;
	const struct source_taker taker = { no_text, no_place, &packed, note_packed };
	uint64_t time_ns = 30000000000ull;
	char command[256];
	struct looked *b;
	(void)state;

	make("0x1234567d");
	snprintf(command, sizeof(command),
		 "cd %s && objcopy --compress-debug-sections=zstd lib.so packed 2>/dev/null && mv packed lib.so",
		 dir);
	if (system(command))
		skip();
	b = look_named("lib.so");
	expected = look_packed(b);
	look_close(b);
	run("true %s; mkdir 1234567d; objcopy --only-keep-debug lib.so 1234567d/debuginfo; strip -g lib.so");
	b = look_named("lib.so");
	assert_int_equal(look_state(b), KFLAME_NAMED_SYMTAB);
	assert_int_equal(binary_sources(b->binary, &hidden_at, 1, SOURCE_INLINE_AUTO, &time_ns, &taker), 0);
	assert_int_equal(packed, expected);
	look_close(b);
	run("true %s; rm -r 1234567d");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nowhere),
		cmocka_unit_test(by_build_id),
		cmocka_unit_test(by_link),
		cmocka_unit_test(by_debug_info),
		cmocka_unit_test(removed_functions),
		cmocka_unit_test(mini),
		cmocka_unit_test(mini_without_end),
		cmocka_unit_test(by_server),
		cmocka_unit_test(zstd),
		cmocka_unit_test(zstd_lines),
	};

	return cmocka_run_group_tests_name("debug_files", tests, set_up, programs_remove);
}
