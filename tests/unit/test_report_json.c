// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_report_json.c - a report as JSON, read back; hostile names and deep stacks in every table
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mkprofile.h"
#include "read_json.h"

#define START	0xffffffff81000000ull
#define DEEP	1000u
#define HUGE	0x7fffffffffffff01ull	/* no double holds it */

static char dir[] = "/tmp/kflame-json-XXXXXX";
static char long_name[10001];

static const char *const hostile[] = {
	"</script><script>alert(1)</script>", "a&b\"c';d", "\x1b[31mred\n\r\t\x7f",
	"\xff\xfe broken \xc3", "\xe2\x80\xaeturned", "f\xc3\xbcnf \xe5\x87\xbd", "{\"json\": 1}", "\\u0000\\",
};

#define NR_HOSTILE	(sizeof(hostile) / sizeof(hostile[0]))

static void put_names(struct mk *m)
{
	char name[32];

	memset(long_name, 'x', sizeof(long_name) - 1);
	for (size_t i = 0; i < NR_HOSTILE; i++)
		records_ksym(&m->r, START + i * 16, START + i * 16 + 16, hostile[i]);
	records_ksym(&m->r, START + 0x800, START + 0x900, long_name);
	for (uint64_t i = 0; i < DEEP; i++) {
		snprintf(name, sizeof(name), "deep_%04u", (unsigned int)i);
		records_ksym(&m->r, START + 0x1000 + i * 16, START + 0x1010 + i * 16, name);
	}
}

/* Threads, a cgroup, a stack of each hostile name and one that is 1,000 frames deep */
static int setup(void **state)
{
	struct kflame_rec_aspace as = { .rec.type = KFLAME_REC_ASPACE, .id = 1, .tgid = 7,
					.cgroup_id = 5 };
	uint64_t deep[DEEP];
	struct mk m = { 0 };

	*state = NULL;
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	mk_header(&m);
	mk_session(&m);
	records_add(&m.r, &as, sizeof(as), NULL, 0);
	for (uint64_t i = 0; i <= NR_HOSTILE; i++) {
		uint64_t at = i < NR_HOSTILE ? START + i * 16 + 4 : START + 0x804;

		mk_stack(&m, i + 1, KFLAME_STACK_KERNEL, &at, 1);
		mk_count_rec(&m, (struct kflame_rec_count){ .aspace = 1, .kstack = i + 1,
			     .samples = i + 1, .weight_ns = 1000 * i + 3, .late_ns = i, .tgid = 7,
			     .tid = (uint32_t)(8 + i % 2), .comm = "\x1b]0;<b>&\"" });
	}
	for (uint64_t i = 0; i < DEEP; i++)
		deep[i] = START + 0x1004 + i * 16;
	mk_stack(&m, 100, KFLAME_STACK_KERNEL, deep, DEEP);
	mk_count_rec(&m, (struct kflame_rec_count){ .kstack = 100, .samples = HUGE,
		     .weight_ns = HUGE - 2, .tgid = 3, .tid = 3, .comm = "deep" });
	mk_count_rec(&m, (struct kflame_rec_count){ .context = KFLAME_CTX_IDLE, .samples = 30,
		     .weight_ns = 30000000, .comm = "swapper/0" });
	mk_cpu(&m, 0, 41, 944000000);
	put_names(&m);
	records_cgroup(&m.r, 5, "/a<b>.slice");
	mk_end(&m);
	write_file("kflame.data", m.r.data, m.r.len);
	mk_free(&m);
	return 0;
}

static int teardown(void **state)
{
	static const char *const files[] = { "kflame.data", "out", "said" };

	*state = NULL;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(files[i]);
	return chdir("/") || rmdir(dir);
}

/* ------------------------------------------------------------------ helpers */

static uint64_t weight(struct json_object *row, const char *key, const char *unit)
{
	return json_object_get_uint64(get(get(row, key), unit));
}

static uint64_t sum(struct json_object *list, const char *key, const char *unit)
{
	uint64_t all = 0;

	for (size_t i = 0; i < json_object_array_length(list); i++)
		all += weight(json_object_array_get_idx(list, i), key, unit);
	return all;
}

/* What the stacks of kflame fold add up to */
static uint64_t folded_sum(const char *arguments)
{
	uint64_t all = 0;
	char *text;

	assert_int_equal(run(cmd_fold, arguments), 0);
	text = golden_read("out");
	assert_non_null(text);
	for (char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		*end = 0;
		all += strtoull(strrchr(line, ' ') + 1, NULL, 10);
	}
	free(text);
	return all;
}

/* -------------------------------------------------------------------- tests */

static void sums_are_those_of_fold(void **state)
{
	static const char *const totals[] = { "by_comm", "by_pid", "by_tid", "by_cgroup",
					      "by_container", "by_host" };
	uint64_t samples = folded_sum("-o out --no-idle"), ns = folded_sum("-o out --no-idle --time");
	struct json_object *o = read_json(cmd_report, "--by all --tree -n 0 --percent-limit 0 --time");

	(void)state;
	assert_int_equal(samples, HUGE + 45);
	assert_int_equal(weight(get(o, "summary"), "shown", "samples"), samples);
	assert_int_equal(weight(get(o, "summary"), "shown", "ns"), ns);
	assert_int_equal(sum(get(o, "by_function"), "self", "samples"), samples);
	assert_int_equal(sum(get(o, "by_function"), "self", "ns"), ns);
	assert_int_equal(sum(get(o, "by_file"), "self", "ns"), ns);
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		assert_int_equal(sum(get(o, totals[i]), "total", "samples"), samples);
		assert_int_equal(sum(get(o, totals[i]), "total", "ns"), ns);
	}
	assert_int_equal(sum(get(o, "tree"), "self", "samples"), samples);
	assert_int_equal(sum(get(o, "tree"), "self", "ns"), ns);
	assert_int_equal(json_object_array_length(get(o, "by_tid")), 3);
	assert_int_equal(json_object_get_uint64(get(json_object_array_get_idx(get(o, "by_cpu"), 0),
						    "counted")), 41);
	json_object_put(o);
	o = read_json(cmd_report, "--idle --by function");
	assert_int_equal(weight(get(o, "summary"), "shown", "samples"), samples + 30);
	assert_true(json_object_get_boolean(get(get(o, "summary"), "idle_shown")));
	json_object_put(o);
}

static void deep_stacks_are_whole(void **state)
{
	struct json_object *o = read_json(cmd_report, "--tree"), *tree = get(o, "tree"), *leaf;
	size_t nr = json_object_array_length(tree);

	(void)state;
	/* The thread, and its frames; the others have less than the limit */
	assert_int_equal(nr, DEEP + 1);
	leaf = json_object_array_get_idx(tree, nr - 1);
	assert_string_equal(json_object_get_string(get(leaf, "name")), "deep_0000");
	assert_int_equal(json_object_get_uint64(get(leaf, "depth")), DEEP);
	assert_int_equal(json_object_get_uint64(get(leaf, "caller")), nr - 2);
	assert_int_equal(weight(leaf, "self", "samples"), HUGE);
	assert_true(json_object_get_uint64(get(o, "tree_more")) > NR_HOSTILE);
	json_object_put(o);
	o = read_json(cmd_report, "--callers deep_0500 --percent-limit=0");
	tree = get(o, "callers");
	assert_int_equal(json_object_array_length(tree), DEEP - 500 + 1);
	json_object_put(o);
	o = read_json(cmd_report, "--callees=deep_0500");
	assert_int_equal(json_object_array_length(get(o, "callees")), 501);
	json_object_put(o);
}

static bool has_name(struct json_object *list, const char *name)
{
	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (!strcmp(json_object_get_string(get(json_object_array_get_idx(list, i), "name")),
			    name))
			return true;
	return false;
}

static void names_arrive(void **state)
{
	struct json_object *o = read_json(cmd_report, "--by function,comm,cgroup -n 0"), *list;

	(void)state;
	list = get(o, "by_function");
	assert_true(has_name(list, hostile[0]));
	assert_true(has_name(list, hostile[1]));
	assert_true(has_name(list, "\xef\xbf\xbd[31mred\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
	assert_true(has_name(list, "\xef\xbf\xbd\xef\xbf\xbd broken \xef\xbf\xbd"));
	assert_true(has_name(list, "\xef\xbf\xbdturned"));
	assert_true(has_name(list, hostile[5]));
	assert_true(has_name(list, hostile[6]));
	assert_true(has_name(list, hostile[7]));
	assert_true(has_name(list, long_name));
	assert_true(has_name(get(o, "by_cgroup"), "/a<b>.slice"));
	json_object_put(o);
}

static void text_is_plain(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(run(cmd_report, "-o out --by all --tree --callers --callees -n 0"
			     " --percent-limit 0"), 0);
	text = golden_read("out");
	assert_non_null(text);
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || (unsigned char)*p >= 0x20);
	assert_non_null(strstr(text, long_name));
	assert_non_null(strstr(text, "\n     0             41             41            0            0 "));
	free(text);
}

static void functions_are_found_or_told(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "-o out --callers p_0500"), 0);
	assert_has("out", "Callers of deep_0500\n", true);
	assert_int_equal(run(cmd_report, "-o out --callers nothing_like_it"), 1);
	assert_non_null(strstr(said, "no function in the profile has 'nothing_like_it'"));
	assert_int_equal(run(cmd_report, "-o out --callees e"), 1);
	assert_non_null(strstr(said, "'e' is in the names of 1"));
	assert_non_null(strstr(said, "give one of them whole"));
	/* Names in messages do not reach the terminal as they are */
	assert_int_equal(run(cmd_report, "-o out --callees r"), 1);
	assert_null(strchr(said, '\x1b'));
	assert_non_null(strstr(said, "[31mred"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_those_of_fold),
		cmocka_unit_test(deep_stacks_are_whole),
		cmocka_unit_test(names_arrive),
		cmocka_unit_test(text_is_plain),
		cmocka_unit_test(functions_are_found_or_told),
	};

	return cmocka_run_group_tests_name("report_json", tests, setup, teardown);
}
