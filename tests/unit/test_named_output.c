// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_named_output.c - only the owner may read a file with addresses of the kernel
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

#define CODE	0xffffffff81000000ull
#define WARNING	"out has kernel addresses, so only its owner may read it"

/* A sample in kernel code that the profile names up to @end, with its time */
static void make(const char *path, uint64_t end)
{
	const struct kflame_sample sample = { .time_ns = 1500000000, .weight_ns = 1000000, .count = 9 };
	const uint64_t id = sample.count;
	struct kflame_rec_count c = { .rec.type = KFLAME_REC_COUNT, .kstack = 1, .samples = 1, .weight_ns = 1000000,
					    .tgid = 7, .tid = 7, .comm = "task" };
	struct kflame_rec_sample times = { .rec.type = KFLAME_REC_SAMPLE, .nr = 1 };
	struct mk m = { 0 };

	mk_header(&m);
	mk_session(&m);
	mk_stack(&m, 1, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE + 0x104, CODE + 4 }, 2);
	records_add(&m.r, &c, sizeof(c), &id, sizeof(id));
	records_add(&m.r, &times, sizeof(times), &sample, sizeof(sample));
	mk_cpu(&m, 0, 1, 1000000);
	mk_stats(&m);
	records_ksym(&m.r, CODE, end, "named");
	mk_end(&m);
	write_file(path, m.r.data, m.r.len);
	mk_free(&m);
}

/* The file that a command writes has these permissions, and only for a private one there is a message */
static void assert_mode(mode_t mode, int (*cmd)(int, char **), const char *arguments, const char *profile)
{
	char line[128];
	struct stat st;

	snprintf(line, sizeof(line), "-o out %s %s", arguments, profile);
	unlink("out");
	if (run(cmd, line))
		fail_msg("%s: %s", line, said);
	assert_int_equal(stat("out", &st), 0);
	if ((st.st_mode & 0777) != mode || !strstr(said, WARNING) != (mode == 0644))
		fail_msg("%s: mode %o, and %s", line, st.st_mode & 0777, said);
}

static void addresses_are_for_the_owner(void **state)
{
	static const struct {
		int (*cmd)(int, char **);
		const char *arguments;
	} all[] = {
		{ cmd_flame, "-i" }, { cmd_flame, "--chart -i" }, { cmd_fold, "-i" }, { cmd_view, "" }, { cmd_summary, "" },
		{ cmd_report, "-i" }, { cmd_report, "--json -i" }, { cmd_convert, "--to speedscope -i" },
		{ cmd_diff, "named" }, { cmd_diff, "--flame named" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_mode(0644, all[i].cmd, all[i].arguments, "named");
		assert_has("out", "ffffffff81", false);
		assert_mode(0600, all[i].cmd, all[i].arguments, "unnamed");
	}
	/* The addresses of the first profile count, too; a heat map has no names */
	assert_mode(0600, cmd_diff, "unnamed", "named");
	assert_mode(0644, cmd_flame, "--heatmap -i", "unnamed");
}

/* The file of standard output belongs to whoever opened it */
static void standard_output_stays_as_it_is(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-i unnamed"), 0);
	assert_null(strstr(said, "only its owner"));
}

static int setup(void **state)
{
	*state = NULL;
	enter_scratch();
	umask(022);
	make("named", CODE + 0x200);
	make("unnamed", CODE + 0x100);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_for_the_owner),
		cmocka_unit_test(standard_output_stays_as_it_is),
	};

	return cmocka_run_group_tests_name("named_output", tests, setup, leave_scratch);
}
