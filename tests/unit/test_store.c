// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_store.c - profiles of a spool directory, selected by time, host and labels
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/commands.h"
#include "mkprofile.h"
#include "run_command.h"
#include "store/find_profiles.h"

#define MINUTE	60000000000ull
#define START	1764492300000000000ull	/* 2025-11-30T08:45:00Z */

static char dir[] = "/tmp/kflame-store-XXXXXX";

struct cut {
	const char *file, *host, *labels;	/* labels: "label.a=b" strings, or "" */
	uint64_t start, samples;
};

/* Half of the samples are in "common", all in "main" */
static void write_cut(const struct cut *c)
{
	char text[256];
	struct mk m = { 0 };
	size_t len;

	mk_header(&m);
	mk_session(&m);
	len = (size_t)snprintf(text, sizeof(text), "host=%s%ctool=test%ccut-start=%llu%ccut-end=%llu%c%s", c->host, 0, 0,
			       (unsigned long long)c->start, 0, (unsigned long long)(c->start + MINUTE), 0, c->labels);
	records_host(&m.r, text, len + 1);
	mk_aspace(&m, 1, "one");
	mk_file(&m, 1, "/usr/bin/web");
	mk_mapping(&m, 1, 0x500000, 0x510000, 1, 0x1000);
	mk_stack(&m, 1, KFLAME_STACK_USER, (uint64_t[]){ 0x500010, 0x500118 }, 2);
	mk_stack(&m, 2, KFLAME_STACK_USER, (uint64_t[]){ 0x500118 }, 1);
	mk_count(&m, 1, 0, 1, c->samples, c->samples * 1000);
	mk_count(&m, 1, 0, 2, c->samples, c->samples * 1000);
	mk_cpu(&m, 0, 2 * c->samples, 2000 * c->samples);
	mk_stats(&m);
	records_usym(&m.r, 1, 0x1000, 0x1100, "common");
	records_usym(&m.r, 1, 0x1100, 0x1200, "main");
	records_named(&m.r, 1, KFLAME_NAMED_SYMTAB, 0);
	mk_end(&m);
	write_file(c->file, m.r.data, m.r.len);
	mk_free(&m);
}

static const struct cut cuts[] = {
	{ "s/20251130T084500Z-web1-000000000001.kflame", "web1", "label.service=web", START, 1 },
	{ "s/20251130T084600Z-web1-000000000002.kflame", "web1", "label.service=web", START + MINUTE, 10 },
	{ "s/20251130T084700Z-web1-000000000003.kflame", "web1", "label.service=web", START + 2 * MINUTE, 100 },
	/* A host with a dash, in a folder of its own, with another label */
	{ "s/db/20251130T084530Z-db-1-00000000000a.kflame", "db-1", "label.service=db", START + MINUTE / 2, 1000 },
	{ "s/db/20251130T084630Z-db-1-00000000000b.kflame", "db-1", "label.service=db", START + 3 * MINUTE / 2, 10000 },
	/* The same profile once more, and names that are no profiles */
	{ "s/db/again/20251130T084630Z-db-1-00000000000b.kflame", "db-1", "label.service=db", START + 3 * MINUTE / 2, 10000 },
	{ "s/20251130T084630Z-db-1-00000000000b.kflame.tmp", "db-1", "", START, 5 },
	{ "s/20251130T084630Z-00000000000b.kflame", "db-1", "", START, 5 },
	{ "s/other.kflame", "db-1", "", START, 5 },
};

static int setup(void **state)
{
	*state = NULL;
	if (!mkdtemp(dir) || chdir(dir) || mkdir("s", 0700) || mkdir("s/db", 0700) || mkdir("s/db/again", 0700) ||
	    mkdir("empty", 0700))
		return -1;
	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++)
		write_cut(&cuts[i]);
	return 0;
}

static int teardown(void **state)
{
	char line[64];

	*state = NULL;
	snprintf(line, sizeof(line), "rm -rf %s", dir);
	return chdir("/") || system(line);
}

/* The samples of "one;main;common" that a query shows */
static uint64_t shown(const char *query)
{
	char line[256], *text, *at;
	uint64_t samples;

	snprintf(line, sizeof(line), "--store s -o out --samples %s", query);
	if (run(cmd_fold, line))
		fail_msg("%s: %s", query, said);
	text = golden_read("out");
	at = strstr(text, "task;main;common ");
	assert_non_null(at);
	samples = strtoull(at + strlen("task;main;common "), NULL, 10);
	free(text);
	return samples;
}

static void each_id_counts_once(void **state)
{
	(void)state;
	assert_int_equal(shown(""), 11111);
}

static void time_selects(void **state)
{
	char last[64];

	(void)state;
	assert_int_equal(shown("--from 2025-11-30T08:46Z --to 2025-11-30T08:46:20Z"), 1010);
	assert_int_equal(shown("--from 2025-11-30T08:46:30Z"), 10110);
	assert_int_equal(shown("--to 20251130T084600Z"), 1001);
	assert_int_equal(shown("--from 2025-11-30T08:47:59Z"), 100);
	snprintf(last, sizeof(last), "--last %lldm", (long long)((time(NULL) - START / 1000000000) / 60 + 1));
	assert_int_equal(shown(last), 11111);
	assert_int_equal(run(cmd_fold, "--store s --from 2025-11-30T08:48Z -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "s has no profiles of that time, and 6 of other times"));
	assert_int_equal(run(cmd_fold, "--store s --from 10 -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "times of the clock"));
	assert_int_equal(run(cmd_fold, "-i s/other.kflame --from 2025-11-30 -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "needs --store"));
}

static void host_and_labels_select(void **state)
{
	(void)state;
	assert_int_equal(shown("--where service=web"), 111);
	assert_int_equal(shown("--where not(host=web1)"), 11000);
	assert_int_equal(shown("--where (host=web1)or(host=db-1)"), 11111);
	assert_int_equal(run(cmd_fold, "--store s --where zone=a -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "none of the 5 profiles of that time in s passes --where 'zone=a'"));
	assert_int_equal(run(cmd_fold, "--store s --where zone -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "at character 5"));
}

static void mistakes_are_told(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "--store empty -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "empty has no profiles"));
	assert_int_equal(run(cmd_fold, "--store s/other.kflame -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "is no directory"));
	assert_int_equal(run(cmd_fold, "--store nowhere -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "No such file"));
}

/* A damaged profile is reported, and the others are shown */
static void damage_is_told(void **state)
{
	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(system("cp s/*-web1-*.kflame d; echo x >d/20251130T084500Z-web2-000000000001.kflame"), 0);
	assert_int_equal(run(cmd_fold, "--store d -o out --samples"), EXIT_FAILURE);
	assert_non_null(strstr(said, "web2-000000000001.kflame is not a kflame profile"));
	assert_int_equal(access("out", F_OK), 0);
}

static void assert_contains(const char *path, const char *text)
{
	char *all = golden_read(path);

	if (!strstr(all, text))
		fail_msg("no '%s' in:\n%s", text, all);
	free(all);
}

static void a_function_by_host_or_label(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--store s --function common -o out"), 0);
	assert_contains("out", " 50.00%        11,000        22,000  db-1\n 50.00%           111           222  web1\n");
	assert_contains("out", " 50.00%        11,111        22,222  [all]\n");
	assert_int_equal(run(cmd_report, "--store s --function main --by service --json -o out"), 0);
	assert_contains("out", "{\"value\":\"web\",\"with\":{\"samples\":222,\"ns\":222000}");
	assert_int_equal(run(cmd_report, "--store s --function common --by run -o out"), 0);
	assert_contains("out", "10,010        20,020  2025-11-30T08:46:00Z");
	assert_int_equal(run(cmd_report, "--store s --function nothing -o gone"), EXIT_FAILURE);
	assert_non_null(strstr(said, "no stack has the function 'nothing'"));
}

static void parts_are_compared(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_diff, "--store s --where service=web --against service=db -o out"), 0);
	assert_contains("out", "A        service=web (base): ");
	assert_contains("out", "222 samples");
	assert_contains("out", "22,000 samples");
}

static void names_are_parsed(void **state)
{
	struct found_profile f = { .path = (char *)"x/20251130T084500Z-a-b.c-0123456789ab.kflame.zst" };
	static const char *const others[] = {
		"20251130T084500Z-a-0123456789ab", "20251130T084500Z-a-0123456789ag.kflame", "20251130T084500Z--0123456789ab.kflame",
		"20251330T084500Z-a-0123456789ab.kflame", "20251130T0845Z-a-0123456789ab.kflame", ".kflame", "a.kflame",
		"20251130T084500Z-0123456789ab.kflame", "19691231T235959Z-a-0123456789ab.kflame",
		"30251130T084500Z-a-0123456789ab.kflame",
	};

	(void)state;
	assert_true(found_profile_parse(&f));
	assert_int_equal(f.start_ns, START);
	assert_int_equal(f.host_len, 5);
	assert_memory_equal(f.host, "a-b.c", 5);
	assert_int_equal(f.id_len, strlen("20251130T084500Z-a-b.c-0123456789ab"));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		f.path = (char *)others[i];
		if (found_profile_parse(&f))
			fail_msg("%s", others[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_id_counts_once),
		cmocka_unit_test(time_selects),
		cmocka_unit_test(host_and_labels_select),
		cmocka_unit_test(mistakes_are_told),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(a_function_by_host_or_label),
		cmocka_unit_test(parts_are_compared),
		cmocka_unit_test(names_are_parsed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
