// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_record.c - what of kflame record needs no module: options, command, output
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/stream_file.h"
#include "children.h"
#include "cmd/record_command_line.h"
#include "elf/source_lookup.h"
#include "record/child_command.h"
#include "uapi/kflame.h"

#define ARGS(...)	((char *[]){ (char *)"kflame record", __VA_ARGS__ __VA_OPT__(,) NULL })

static void parse(struct record_options *o, char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	assert_int_equal(record_options_parse(o, argc, argv), 0);
}

static void defaults(void **state)
{
	struct record_options o;
	(void)state;

	parse(&o, ARGS());
	assert_int_equal(o.period_ns, 1003009);
	assert_int_equal(o.budget_permille, 50);
	assert_int_equal(o.config_flags, 0);
	assert_null(o.output);
	assert_string_equal(o.device, "/dev/kflame");
	assert_null(o.command);
	assert_false(o.all_cpus);
	record_options_exit(&o);
}

static void all_options(void **state)
{
	struct record_options o;
	(void)state;

	parse(&o, ARGS("-F", "99.5", "-p", "1,22", "-p", "333", "-t", "7", "-C", "0-2,5", "-d", "1.5",
		       "-o", "x", "--budget", "0.1", "--entries", "64", "--unwind", "regs",
		       "--per-thread", "--no-idle", "--no-children", "-K", "--device", "/dev/x"));
	assert_int_equal(o.period_ns, 10050251);
	assert_int_equal(o.pids.nr, 3);
	assert_int_equal(o.pids.all[1], 22);
	assert_int_equal(o.pids.all[2], 333);
	assert_int_equal(o.tids.nr, 1);
	assert_int_equal(o.cpus.nr, 4);
	assert_int_equal(o.cpus.all[2], 2);
	assert_int_equal(o.cpus.all[3], 5);
	assert_true(o.duration_ns == 1500000000);
	assert_int_equal(o.budget_permille, 1);
	assert_int_equal(o.entries, 64);
	assert_int_equal(o.kway, KFLAME_KWAY_UNWIND);
	assert_int_equal(o.config_flags, KFLAME_CF_PER_THREAD | KFLAME_CF_EXCLUDE_IDLE |
			 KFLAME_CF_NO_CHILDREN | KFLAME_CF_EXCLUDE_USER | KFLAME_CF_NO_USTACK);
	assert_string_equal(o.device, "/dev/x");
	record_options_exit(&o);
	parse(&o, ARGS("--budget", "0.01"));
	assert_int_equal(o.budget_permille, 1);
	record_options_exit(&o);
}

static void inline_options(void **state)
{
	struct record_options o;
	(void)state;

	parse(&o, ARGS("-a"));
	assert_int_equal(o.inlines, SOURCE_INLINE_AUTO);
	record_options_exit(&o);
	parse(&o, ARGS("--inline"));
	assert_int_equal(o.inlines, SOURCE_INLINE_ALL);
	record_options_exit(&o);
	parse(&o, ARGS("--no-inline"));
	assert_int_equal(o.inlines, SOURCE_INLINE_NO);
	record_options_exit(&o);
}

static void user_ways(void **state)
{
	struct record_options o;
	(void)state;

	parse(&o, ARGS("-a"));
	assert_int_equal(o.graph.dump, KFLAME_DUMP_NONE);
	assert_int_equal(o.graph.uway, KFLAME_UWAY_AUTO);
	assert_false(o.graph.asked);
	parse(&o, ARGS("-g", "dwarf"));
	assert_int_equal(o.graph.uway, KFLAME_UWAY_TABLE);
	assert_true(o.graph.asked);
	parse(&o, ARGS("-g", "dwarf,dump,8K"));
	assert_int_equal(o.graph.uway, KFLAME_UWAY_TABLE);
	assert_int_equal(o.graph.dump, KFLAME_DUMP_REST);
	assert_int_equal(o.graph.dump_bytes, 8192);
	parse(&o, ARGS("-g", "dump"));
	assert_int_equal(o.graph.uway, KFLAME_UWAY_FP);
	assert_int_equal(o.graph.dump, KFLAME_DUMP_ALL);
	assert_int_equal(o.graph.dump_bytes, 0);
	parse(&o, ARGS("-g", "dump,64K"));
	assert_int_equal(o.graph.dump_bytes, 65536);
	parse(&o, ARGS("-gdump,1024"));
	assert_int_equal(o.graph.dump_bytes, 1024);
	parse(&o, ARGS("-g", "dump", "--call-graph=fp"));
	assert_int_equal(o.graph.dump, KFLAME_DUMP_NONE);
}

static void command_ends_options(void **state)
{
	struct record_options o;
	(void)state;

	parse(&o, ARGS("-a", "--", "ls", "-F", "x"));
	assert_true(o.all_cpus);
	assert_string_equal(o.command[0], "ls");
	assert_string_equal(o.command[1], "-F");
	assert_string_equal(o.command[2], "x");
	assert_null(o.command[3]);
	record_options_exit(&o);
	parse(&o, ARGS("-U", "sleep", "-d"));
	assert_string_equal(o.command[0], "sleep");
	assert_string_equal(o.command[1], "-d");
	assert_int_equal(o.config_flags, KFLAME_CF_EXCLUDE_KERNEL | KFLAME_CF_NO_KSTACK);
	record_options_exit(&o);
}

/* Exit status of a child that parses these, its messages thrown away */
static int refused(char **argv)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		struct record_options o;

		if (!freopen("/dev/null", "w", stderr))
			_exit(99);
		int argc = 0;

		while (argv[argc])
			argc++;
		/* The lists are the parent's to check; this process is thrown away */
		_exit(record_options_parse(&o, argc, argv) ? 98 : 0);
	}
	return exit_status(pid);
}

static void bad_options(void **state)
{
	(void)state;
	assert_int_equal(refused(ARGS("-g", "lbr")), 2);
	assert_int_equal(refused(ARGS("-g", "fp,8")), 2);
	assert_int_equal(refused(ARGS("-g", "dump,")), 2);
	assert_int_equal(refused(ARGS("-g", "dwarf,8K")), 2);
	assert_int_equal(refused(ARGS("-g", "fp,dump")), 2);
	assert_int_equal(refused(ARGS("-g", "dump,12")), 2);
	assert_int_equal(refused(ARGS("-g", "dump,65K")), 2);
	assert_int_equal(refused(ARGS("-g", "dump,99999999999999999999K")), 2);
	assert_int_equal(refused(ARGS("-F", "99")), 0);
	assert_int_equal(refused(ARGS("-F", "0")), 2);
	assert_int_equal(refused(ARGS("-F", "-5")), 2);
	assert_int_equal(refused(ARGS("-F", "nan")), 2);
	assert_int_equal(refused(ARGS("-F", "10x")), 2);
	assert_int_equal(refused(ARGS("-p", "")), 2);
	assert_int_equal(refused(ARGS("-p", "1,")), 2);
	assert_int_equal(refused(ARGS("-p", "1-3")), 2);
	assert_int_equal(refused(ARGS("-p", "-1")), 2);
	assert_int_equal(refused(ARGS("-p", "99999999999999999999")), 2);
	assert_int_equal(refused(ARGS("-C", "3-1")), 2);
	assert_int_equal(refused(ARGS("-C", "0-100000")), 2);
	assert_int_equal(refused(ARGS("-d", "0")), 2);
	assert_int_equal(refused(ARGS("--budget", "101")), 2);
	assert_int_equal(refused(ARGS("--unwind", "magic")), 2);
	assert_int_equal(refused(ARGS("-a", "-p", "1")), 2);
	assert_int_equal(refused(ARGS("-K", "-U")), 2);
	assert_int_equal(refused(ARGS("--no-idle", "--idle-stack")), 2);
}

static int run_command(char **argv, int *go)
{
	struct command_run c;

	assert_int_equal(command_fork(&c, argv), 0);
	*go = command_go(&c);
	while (!c.ended) {
		siginfo_t info;

		assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
		command_reap(&c);
	}
	command_drop(&c);
	return command_status(&c);
}

static void command_status_is_passed_on(void **state)
{
	int go;
	(void)state;

	assert_int_equal(run_command((char *[]){ (char *)"true", NULL }, &go), 0);
	assert_int_equal(go, 0);
	assert_int_equal(run_command((char *[]){ (char *)"sh", (char *)"-c", (char *)"exit 7", NULL }, &go), 7);
	assert_int_equal(run_command((char *[]){ (char *)"sh", (char *)"-c", (char *)"kill -9 $$", NULL }, &go), 137);
	assert_int_equal(go, 0);
	run_command((char *[]){ (char *)"/no/such/program", NULL }, &go);
	assert_int_equal(go, 127);
	run_command((char *[]){ (char *)"/dev/null", NULL }, &go);
	assert_int_equal(go, 126);
}

/* A command that is dropped has not run */
static void command_waits_for_the_word(void **state)
{
	char path[] = "/tmp/kflame-test-XXXXXX", line[64];
	struct command_run c;
	struct stat st;
	int fd = mkstemp(path);
	(void)state;

	assert_true(fd >= 0);
	snprintf(line, sizeof(line), "echo ran > %s", path);
	assert_int_equal(command_fork(&c, (char *[]){ (char *)"sh", (char *)"-c", line, NULL }), 0);
	command_drop(&c);
	assert_int_equal(waitpid(c.pid, NULL, 0), -1);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 0);
	close(fd);
	unlink(path);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void has(const char *path, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	if (!fgets(got, sizeof(got), f))
		got[0] = 0;
	fclose(f);
	assert_string_equal(got, text);
}

static void output(void **state)
{
	char dir[] = "/tmp/kflame-test-XXXXXX", path[64], old[64], again[8];
	struct record_output out;
	struct stat st;
	(void)state;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/k.data", dir);
	snprintf(old, sizeof(old), "%s/k.data.old", dir);
	put(path, "before");
	assert_int_equal(record_output_open(&out, path, NULL), 0);
	assert_int_equal(record_output_write(&out, "now", 3), 0);
	assert_int_equal(pread(record_output_file(&out), again, sizeof(again), 0), 3);
	assert_memory_equal(again, "now", 3);
	assert_int_equal(record_output_close(&out), 0);
	has(path, "now");
	has(old, "before");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* Given up: everything as it was */
	assert_int_equal(record_output_open(&out, path, NULL), 0);
	record_output_write(&out, "never", 5);
	record_output_abandon(&out);
	has(path, "now");
	assert_int_equal(access(old, F_OK), -1);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void output_that_fails(void **state)
{
	struct record_output out;
	int err = dup(STDERR_FILENO);
	(void)state;

	assert_non_null(freopen("/dev/null", "w", stderr));
	assert_int_equal(record_output_open(&out, "/nowhere/at/all", NULL), -1);
	assert_int_equal(record_output_open(&out, "/dev/full", NULL), 0);
	assert_int_equal(record_output_file(&out), -1);
	assert_int_equal(record_output_write(&out, "x", 1), -1);
	assert_true(out.failed);
	assert_int_equal(record_output_close(&out), -1);
	fflush(stderr);
	dup2(err, STDERR_FILENO);
	close(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(all_options),
		cmocka_unit_test(inline_options),
		cmocka_unit_test(user_ways),
		cmocka_unit_test(command_ends_options),
		cmocka_unit_test(bad_options),
		cmocka_unit_test(command_status_is_passed_on),
		cmocka_unit_test(command_waits_for_the_word),
		cmocka_unit_test(output),
		cmocka_unit_test(output_that_fails),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
