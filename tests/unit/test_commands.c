// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_commands.c - kflame fold, flame and report from a profile to a file
 *
 * The commands are called as main() calls them; what they say on standard error
 * is caught.
 */
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

#include "mkprofile.h"
#include "run_command.h"

static char dir[] = "/tmp/kflame-commands-XXXXXX";

static void write_folded(const char *text)
{
	write_file("in.folded", text, strlen(text));
}

/* 10 samples of a task in kernel code, 30 idle ones, a gap, 4 ms late */
static int setup(void **state)
{
	const uint64_t start = 0xffffffff81000000;
	struct mk m = { 0 };

	*state = NULL;
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	mk_header(&m);
	mk_session(&m);
	mk_stack(&m, 1, KFLAME_STACK_KERNEL, (uint64_t[]){ start + 4, start + 0x104 }, 2);
	mk_count_rec(&m, (struct kflame_rec_count){ .kstack = 1, .samples = 10, .tgid = 9,
		     .weight_ns = 14000000, .late_ns = 4000000, .comm = "task;<x>" });
	mk_count_rec(&m, (struct kflame_rec_count){ .context = KFLAME_CTX_IDLE, .samples = 30,
		     .weight_ns = 30000000, .comm = "swapper/0" });
	mk_count_rec(&m, (struct kflame_rec_count){ .context = KFLAME_CTX_GAP, .samples = 1,
		     .weight_ns = 900000000, .comm = "swapper/0" });
	mk_cpu(&m, 0, 41, 944000000);
	mk_stats(&m);
	records_ksym(&m.r, start, start + 0x100, "inner_fn");
	records_ksym(&m.r, start + 0x100, start + 0x200, "outer_fn [mod]");
	mk_end(&m);
	write_file("kflame.data", m.r.data, m.r.len);
	mk_free(&m);
	return 0;
}

static int teardown(void **state)
{
	static const char *const files[] = { "kflame.data", "in.folded", "out", "flame.svg",
		"again.svg", "said", "junk" };

	*state = NULL;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(files[i]);
	return chdir("/") || rmdir(dir);
}

/* 41 samples and what is filtered out are always all */
static void filters_are_everywhere(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "--focus=inner --exclude=gap -o out"), 0);
	assert_out("out", "task:<x>;inner_fn 10\n");
	assert_int_equal(run(cmd_report, "--include=inner -o out"), 0);
	assert_has("out", "filtered out: 75.6%", true);
	assert_has("out", "inner_fn", true);
	assert_has("out", "[gap]", false);
	assert_int_equal(run(cmd_report, "--include=inner --by=pid,cpu -o out"), 0);
	assert_has("out", "No table by pid: it is of all samples", true);
	assert_has("out", "No table by cpu: it is of all samples", true);
	assert_int_equal(run(cmd_report, "--include=inner --json -o out"), 0);
	assert_has("out", "\"filtered_out\"", true);
	assert_int_equal(run(cmd_flame, "--exclude=task --idle"), 0);
	assert_has("flame.svg", "; 24.4% filtered out", true);
	assert_has("flame.svg", "inner_fn", false);
	assert_int_equal(run(cmd_flame, "--include=nothing_has_this_name -o out"), 1);
	assert_has("said", "no stack is left to draw", true);
}

static void fold_prints_every_sample(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-o out"), 0);
	assert_out("out", "[gap] 1\nswapper;[idle] 30\ntask:<x>;outer_fn;inner_fn 10\n");
	assert_int_equal(run(cmd_fold, "-o out --kernel --no-idle"), 0);
	assert_out("out", "[gap] 1\ntask:<x>;outer_fn_[k];inner_fn_[k] 10\n");
	assert_int_equal(run(cmd_fold, "-i kflame.data -o out --time"), 0);
	assert_out("out", "[gap] 900000000\nswapper;[idle] 30000000\n"
		   "task:<x>;outer_fn;inner_fn 10000000\n"
		   "task:<x>;outer_fn;inner_fn;[late: irqs off or stolen] 4000000\n");
}

static void flame_leaves_idle_out_and_says_so(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_flame, ""), 0);
	assert_has("flame.svg", "997 Hz, 1.0 s, 1 CPU, 41 samples; "
		   "idle 73.2% not drawn (--idle draws it)<", true);
	assert_has("flame.svg", "data-whole=\"11\"", true);
	assert_has("flame.svg", "<title>[idle]", false);
	assert_has("flame.svg", "<title>inner_fn\nkernel\n10 samples, 14.0 ms\n"
		   "90.91% of all, 100.00% of its caller<", true);
	assert_int_equal(run(cmd_flame, "--idle --time --title A&B"), 0);
	assert_has("flame.svg", "41 samples; widths are time<", true);
	assert_has("flame.svg", "data-whole=\"944000000\"", true);
	assert_has("flame.svg", "<title>[idle]", true);
	assert_has("flame.svg", "<title>[late: irqs off or stolen]", true);
	assert_has("flame.svg", ">A&amp;B<", true);
}

/* The picture of the folded stacks shows the same frames at the same places */
static void folded_stacks_draw_alike(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-o in.folded --kernel"), 0);
	assert_int_equal(run(cmd_flame, "--folded -i in.folded -o flame.svg"), 0);
	assert_has("flame.svg", "41 samples; idle 73.2% not drawn (--idle draws it)<", true);
	assert_has("flame.svg", "<g class=\"k\" data-x=\"1\" data-w=\"10\"><title>inner_fn\n"
		   "kernel\n10 samples\n90.91% of all", true);
	assert_has("flame.svg", "<g class=\"l\" data-x=\"0\" data-w=\"1\"><title>[gap]", true);
	assert_int_equal(run(cmd_flame, "--folded -i in.folded -o again.svg"), 0);
	for (char *a = golden_read("flame.svg"), *b = golden_read("again.svg"); a; a = NULL) {
		assert_string_equal(a, b);
		free(a);
		free(b);
	}
}

static void all_idle_is_drawn(void **state)
{
	(void)state;
	write_folded("swapper;[idle] 7\n");
	assert_int_equal(run(cmd_flame, "--folded -i in.folded"), 0);
	assert_has("flame.svg", "7 samples; all of it idle<", true);
	assert_has("flame.svg", "<title>[idle]", true);
}

static void bad_lines_warn_and_no_lines_fail(void **state)
{
	(void)state;
	write_folded("a;b 1\nnonsense\na;c 2\n");
	assert_int_equal(run(cmd_flame, "--folded -i in.folded"), 1);
	assert_int_equal(access("flame.svg", F_OK), 0);
	assert_non_null(strstr(said, "in.folded: line 2 is not a folded stack"));
	assert_non_null(strstr(said, "1 line skipped (the first is line 2), 2 read"));
	write_folded("nonsense\nmore\n");
	unlink("flame.svg");
	assert_int_equal(run(cmd_flame, "--folded -i in.folded"), 1);
	assert_non_null(strstr(said, "holds no folded stacks"));
	assert_int_not_equal(access("flame.svg", F_OK), 0);
	write_folded("");
	assert_int_equal(run(cmd_flame, "--folded -i in.folded"), 1);
	assert_non_null(strstr(said, "nothing to draw"));
	write_folded("a;b 1\n");
	assert_int_equal(run(cmd_flame, "--folded -i in.folded --time"), 1);
	assert_non_null(strstr(said, "leave out --time"));
	assert_int_equal(run(cmd_flame, "--folded -i not-there"), 1);
	assert_non_null(strstr(said, "cannot read not-there: No such file"));
}

/* Folded stacks have their names, and roots */
static void what_needs_a_profile_is_refused(void **state)
{
	static const char *const options[] = { "--vmlinux x", "--root pid", "--lines",
		"--resymbolize", "--inline", "--symbols symbols", "--from 1" };
	char line[128];

	(void)state;
	write_folded("a;b 1\n");
	assert_int_equal(mkdir("symbols", 0700) | mkdir("symbols/files", 0700), 0);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		snprintf(line, sizeof(line), "--folded -i in.folded %s", options[i]);
		/* Text of the module has files, which a picture names by --symbols */
		if (strncmp(options[i], "--symbols", 9))
			assert_refused(cmd_flame, line, " profile");
		snprintf(line, sizeof(line), "--folded in.folded in.folded %s", options[i]);
		assert_refused(cmd_diff, line, " profile");
		snprintf(line, sizeof(line), "-i in.folded --to pprof %s", options[i]);
		assert_refused(cmd_convert, line, " profile");
	}
	assert_int_equal(rmdir("symbols/files") | rmdir("symbols"), 0);
	assert_int_equal(run(cmd_flame, "--folded -i in.folded --no-demangle --no-inline"), 0);
}

static void errors_end_in_failure(void **state)
{
	(void)state;
	write_file("junk", "no profile at all, but long enough to have a header's size....", 62);
	assert_int_equal(run(cmd_fold, "-i junk -o out"), 1);
	assert_int_equal(run(cmd_flame, "-i junk"), 1);
	assert_int_equal(run(cmd_report, "-i junk"), 1);
	assert_int_equal(run(cmd_report, "-i not-there"), 1);
	assert_int_equal(run(cmd_fold, "-o /dev/full"), 1);
	assert_non_null(strstr(said, "cannot write /dev/full: No space left on device"));
	assert_int_equal(run(cmd_flame, "-o no/such/dir.svg"), 1);
	assert_non_null(strstr(said, "cannot write no/such/dir.svg"));
	assert_int_equal(run(cmd_report, "-o /dev/full"), 1);
	assert_non_null(strstr(said, "No space left on device"));
}

static void report_is_whole(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(run(cmd_report, "-o out"), 0);
	text = golden_read("out");
	assert_non_null(text);
	golden_check("report-whole.txt", text);
	free(text);
	assert_int_equal(run(cmd_report, "-o out --idle --time --sort total -n 1"), 0);
	assert_has("out", " 95.34%  95.34%         900.0 ms  note     -     [gap]", true);
	assert_has("out", "... and ", true);
}

/* Idle and gaps belong to no process, and idle is found below no root as well */
static void stacks_begin_with_what_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-o out --root pid"), 0);
	assert_out("out", "[gap] 1\npid 9;task:<x>;outer_fn;inner_fn 10\nswapper;[idle] 30\n");
	assert_int_equal(run(cmd_fold, "-o out --root=cgroup --no-idle"), 0);
	assert_out("out", "[gap] 1\n[no address space];task:<x>;outer_fn;inner_fn 10\n");
	assert_string_equal(said, "");
	assert_int_equal(run(cmd_fold, "-o out --root tid"), 0);
	assert_out("out", "[gap] 1\npid 9;task:<x>;outer_fn;inner_fn 10\nswapper;[idle] 30\n");
	assert_non_null(strstr(said, "has no separate threads"));
	assert_int_equal(run(cmd_flame, "--root pid"), 0);
	assert_has("flame.svg", "idle 73.2% not drawn", true);
	assert_has("flame.svg", "<g class=\"r\" data-x=\"1\" data-w=\"10\"><title>pid 9\ngroup\n", true);
	assert_int_equal(run(cmd_report, "-o out --root pid"), 0);
	assert_has("out", "  Process\n", true);
	assert_has("out", "  pid 9  task;<x>\n", true);
	assert_has("out", "  group ", false);
}

/* A process is named as it was called in most of its samples */
static void processes_have_names(void **state)
{
	struct mk m = { 0 };

	(void)state;
	mk_header(&m);
	mk_session(&m);
	mk_count_rec(&m, (struct kflame_rec_count){ .tgid = 9, .samples = 2, .comm = "sh" });
	mk_count_rec(&m, (struct kflame_rec_count){ .tgid = 9, .samples = 5, .comm = "make" });
	mk_count_rec(&m, (struct kflame_rec_count){ .tgid = 9, .samples = 3, .comm = "cc" });
	mk_count_rec(&m, (struct kflame_rec_count){ .tgid = 10, .samples = 1, .comm = "a" });
	mk_stats(&m);
	mk_end(&m);
	write_file("in.folded", m.r.data, m.r.len);
	mk_free(&m);
	assert_int_equal(run(cmd_report, "-i in.folded --by pid -o out"), 0);
	assert_has("out", " 90.91%           10  pid 9  make\n  9.09%            1  pid 10  a\n", true);
	assert_int_equal(run(cmd_report, "-i in.folded --by pid --json -o out"), 0);
	assert_has("out", "\"mostly\":\"make\"", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_are_everywhere),
		cmocka_unit_test(fold_prints_every_sample),
		cmocka_unit_test(flame_leaves_idle_out_and_says_so),
		cmocka_unit_test(folded_stacks_draw_alike),
		cmocka_unit_test(all_idle_is_drawn),
		cmocka_unit_test(bad_lines_warn_and_no_lines_fail),
		cmocka_unit_test(what_needs_a_profile_is_refused),
		cmocka_unit_test(errors_end_in_failure),
		cmocka_unit_test(report_is_whole),
		cmocka_unit_test(stacks_begin_with_what_is_asked_for),
		cmocka_unit_test(processes_have_names),
	};

	return cmocka_run_group_tests_name("commands", tests, setup, teardown);
}
