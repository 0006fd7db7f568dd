// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_folded_names.c - folded stacks of the module's text=1 get the names of a copy of the target's root
 *
 * The tool itself is run: it asks sandboxes for the names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sys/wait.h>
#include <unistd.h>

#include "golden.h"
#include "mkprofile.h"
#include "programs.h"

static const char source[] =
	"volatile int sink;\n"
	"__attribute__((noinline)) static int hidden(int x)\n"
	"{\n"
	"	return x + sink;\n"
	"}\n"
	"int main(int argc, char **argv) { return hidden(argc) + argv[0][0]; }\n";

static unsigned long long hidden_at, main_at;

static int kflame(const char *arguments)
{
	char line[1024];
	int status;

	snprintf(line, sizeof(line), "cd %s && " KFLAME_TOOL " %s 2>said", dir, arguments);
	status = system(line);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void assert_has(const char *name, const char *part, bool wanted)
{
	char path[128], *text;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	text = golden_read(path);
	assert_non_null(text);
	if (!strstr(text, part) == wanted)
		fail_msg("%s %s \"%s\":\n%s", name, wanted ? "lacks" : "has", part, text);
	free(text);
}

static unsigned long long offset_in(const char *function)
{
	unsigned long long address;
	char line[256];
	FILE *in;

	snprintf(line, sizeof(line), "nm %s/program | grep ' %s$'", dir, function);
	in = popen(line, "r");
	assert_int_equal(fscanf(in, "%llx", &address), 1);
	pclose(in);
	return offset_of("program", address);
}

/* The program is stripped on the target, at /opt/bin/program. The root has its symbols, in .debug */
static int set_up(void **state)
{
	(void)state;
	programs_make_dir();
	setenv("DEBUGINFOD_CACHE_PATH", dir, 1);
	unsetenv("DEBUGINFOD_URLS");
	write_file("t.c", source);
	run("%s -O2 -g -Wl,--build-id=0x1234567c -o program t.c");
	hidden_at = offset_in("hidden");
	main_at = offset_in("main");
	run("true %s; mkdir -p root/opt/bin/.debug root/opt/lib; "
	    "objcopy --only-keep-debug program root/opt/bin/.debug/program; strip program; "
	    "objcopy --add-gnu-debuglink=root/opt/bin/.debug/program program root/opt/bin/program; rm program");
	return 0;
}

/* @more: lines behind the stacks, which describe files */
static void write_text(const char *more)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "task;program+0x%llx;program+0x%llx;do_syscall_64;vfs_read 3\n"
		 "task;program+0x%llx;lib.so+0x10;program+0xffffffffff 4\n"
		 "program+0x10;[unmapped];other+0x20 5\n%s",
		 main_at, hidden_at, main_at, more);
	write_file("stacks", text);
}

#define PROGRAM	"# file: /opt/bin/program size=1 mtime_ns=2 build-id=1234567c\n"
#define LIBRARY	"# file: /opt/lib/lib.so size=1 mtime_ns=2 build-id=-\n"

static void names(void **state)
{
	(void)state;
	write_text(PROGRAM LIBRARY PROGRAM);
	assert_int_equal(kflame("flame --folded -i stacks -o without.svg"), 0);
	assert_has("without.svg", "<title>hidden", false);
	assert_int_equal(kflame("flame --folded -i stacks -o named.svg --symbols root"), 0);
	assert_has("named.svg", "<title>hidden", true);
	assert_has("named.svg", "<title>main", true);
	assert_has("named.svg", "<title>vfs_read", true);
	/* A file that is not in the root says why, an unknown one stays as it is, and so does a thread */
	assert_has("named.svg", "[gone: lib.so", true);
	assert_has("named.svg", "other+0x20", true);
	assert_has("named.svg", "program+0xffffffffff", true);
	assert_has("named.svg", "<title>program+0x10", true);
	assert_has("said", "skipped", false);
	/* Names can be searched for */
	assert_int_equal(kflame("flame --folded -i stacks -o named.svg --symbols root --include=hidden"), 0);
	assert_has("named.svg", "lib.so", false);
	/* From a pipe */
	assert_int_equal(kflame("flame --folded -i - -o named.svg --symbols root <stacks"), 0);
	assert_has("named.svg", "<title>hidden", true);
}

/* Only the file that was mapped names its functions */
static void another_file(void **state)
{
	(void)state;
	write_text("# file: /opt/bin/program size=1 mtime_ns=2 build-id=ffff\n");
	assert_int_equal(kflame("flame --folded -i stacks -o named.svg --symbols root"), 0);
	assert_has("named.svg", "<title>hidden", false);
	assert_has("named.svg", "[changed: program", true);
	/* Two files of this name: it is unknown which one a frame is in */
	write_text(PROGRAM "# file: /usr/bin/program size=1 mtime_ns=2 build-id=ab\n");
	assert_int_equal(kflame("flame --folded -i stacks -o named.svg --symbols root"), 0);
	assert_has("named.svg", "<title>hidden", false);
}

static void no_description(void **state)
{
	(void)state;
	write_text("");
	assert_int_equal(kflame("flame --folded -i stacks -o named.svg --symbols root"), 1);
	assert_has("said", "stacks does not describe its files", true);
	/* Damaged ones are none */
	write_text("# file: \n# file: /opt/bin/program\n# file: build-id=ab\n# file:  size= mtime_ns= build-id=\n");
	assert_int_equal(kflame("flame --folded -i stacks -o named.svg --symbols root"), 1);
	assert_has("said", "stacks does not describe its files", true);
	write_file("empty", "");
	assert_int_equal(kflame("flame --folded -i empty -o named.svg --symbols root"), 1);
	/* Other options of names still need a profile */
	assert_int_equal(kflame("flame --folded -i stacks -o named.svg --symbols root --root pid"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(another_file),
		cmocka_unit_test(no_description),
	};

	return cmocka_run_group_tests_name("folded_names", tests, set_up, programs_remove);
}
