// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_summary_choice.c - kflame summary of a part: --from, --to, --event, --include, --exclude, --focus
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mkwaits.h"
#include "read_json.h"

#define LEN(array)	(sizeof(array) / sizeof((array)[0]))
#define NO_VALIDATOR	77

static const char *const functions[] = { "a", "b", "c" };

enum { AB = 1, AC };

/* Thread 101 runs in a and b for a second, then it waits for another; thread 102 runs in a and c, and waits for a disk */
static const struct mkwaits parts[] = {
	{ false, KFLAME_CTX_TASK, 101, 0, AB, MS, 1000, 0, 1000 },
	{ false, KFLAME_CTX_TASK, 102, 1, AC, MS, 400, 0, 1000 },
	{ false, KFLAME_CTX_IDLE, 0, 1, 0, MS, 600, 0, 1400 },
	{ true, KFLAME_CTX_INTERRUPTIBLE, 101, 0, AB, 1000 * MS, 1, 0, 3000 },
	{ true, KFLAME_CTX_IOWAIT, 102, 1, AC, 500 * MS, 1, 0, 2000 },
};

static void make(const char *path, bool timed)
{
	struct mk m = { 0 };

	mkwaits_begin(&m, MKWAITS_TIMER | MKWAITS_WAITS);
	mk_stack(&m, AB, KFLAME_STACK_KERNEL, (uint64_t[]){ mkwaits_code(1), mkwaits_code(0) }, 2);
	mk_stack(&m, AC, KFLAME_STACK_KERNEL, (uint64_t[]){ mkwaits_code(2), mkwaits_code(0) }, 2);
	mk_stack(&m, MKWAITS_UPPER | AB, KFLAME_STACK_KERNEL, (uint64_t[]){ mkwaits_code(1), mkwaits_code(0) }, 2);
	mk_stack(&m, MKWAITS_UPPER | AC, KFLAME_STACK_KERNEL, (uint64_t[]){ mkwaits_code(2), mkwaits_code(0) }, 2);
	mkwaits_put(&m, parts, LEN(parts), timed);
	mk_event_cpu(&m, MKWAITS_ID, 0, 4, 3);
	mkwaits_end(&m, path, functions, LEN(functions));
}

static uint64_t number(struct json_object *o, const char *key)
{
	return json_object_get_uint64(get(o, key));
}

static uint64_t context(struct json_object *report, const char *key)
{
	return number(get(get(get(report, "summary"), "contexts"), key), "ns");
}

static void a_part_is_that_of_report(void **state)
{
	static const char *const ranges[] = { "--from 100ms --to 500ms", "--from 600ms", "--to 1.3s" };
	char line[128];

	(void)state;
	for (size_t i = 0; i < LEN(ranges); i++) {
		struct json_object *o, *timer, *waits, *cpu, *wait;

		snprintf(line, sizeof(line), "timed.data %s", ranges[i]);
		o = read_json(cmd_summary, line);
		snprintf(line, sizeof(line), "-i timed.data %s", ranges[i]);
		timer = read_json(cmd_report, line);
		snprintf(line, sizeof(line), "-i timed.data --event off-cpu %s", ranges[i]);
		waits = read_json(cmd_report, line);
		cpu = get(o, "cpu_time");
		wait = get(o, "wait_time");
		assert_int_equal(number(cpu, "user_ns") + number(cpu, "kernel_ns"), context(timer, "tasks"));
		assert_int_equal(number(cpu, "idle_ns"), context(timer, "idle"));
		assert_int_equal(number(wait, "interruptible_ns"), context(waits, "interruptible"));
		assert_int_equal(number(wait, "iowait_ns"), context(waits, "iowait"));
		json_object_put(o);
		json_object_put(timer);
		json_object_put(waits);
	}
}

static void a_part_is_cut_exactly(void **state)
{
	struct json_object *o = read_json(cmd_summary, "timed.data --from 1.2s --to 2.2s"), *recording = get(o, "recording");

	(void)state;
	/* The wait is from 1 s to 2 s of the recording */
	assert_int_equal(number(recording, "from_ns"), 1200 * MS);
	assert_int_equal(number(get(o, "wait_time"), "interruptible_ns"), 800 * MS);
	json_object_put(o);
	assert_int_equal(run(cmd_summary, "-o out timed.data --to 500ms"), 0);
	assert_has("out", "from 0.0 s to 0.5 s", true);
	/* The part is half a second, and so is all that this thread ran in it */
	assert_has("out", "100.0%", true);
}

static uint64_t self_of(struct json_object *rows, const char *name)
{
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (!strcmp(json_object_get_string(get(row, "name")), name))
			return number(get(row, "self"), "samples");
	}
	return 0;
}

static void what_passes_is_that_of_report(void **state)
{
	static const struct {
		const char *filter;
		uint64_t b, c, waited;
	} filters[] = {
		{ "--include=^b$", 1000, 0, 1000 * MS }, { "--exclude=^b$", 0, 400, 500 * MS }, { "--focus=^c$", 0, 400, 500 * MS },
		{ "--include=worker-101", 1000, 0, 1000 * MS },
	};
	char line[128];

	(void)state;
	for (size_t i = 0; i < LEN(filters); i++) {
		struct json_object *o, *r, *event, *wait;

		snprintf(line, sizeof(line), "kflame.data %s", filters[i].filter);
		o = read_json(cmd_summary, line);
		snprintf(line, sizeof(line), "-i kflame.data %s", filters[i].filter);
		r = read_json(cmd_report, line);
		event = json_object_array_get_idx(get(o, "events"), 0);
		wait = get(o, "wait_time");
		assert_int_equal(self_of(get(o, "functions"), "b"), filters[i].b);
		assert_int_equal(self_of(get(o, "functions"), "c"), filters[i].c);
		assert_int_equal(self_of(get(r, "by_function"), "b"), filters[i].b);
		/* Idle time passes what does not name it, and no table has it */
		assert_int_equal(number(get(event, "passing"), "samples") -
				 (i == 1 ? number(get(o, "cpu_time"), "idle_ns") / MS : 0), filters[i].b + filters[i].c);
		/* The head is about all */
		assert_int_equal(number(get(event, "counted"), "samples"), 2000);
		assert_int_equal(number(wait, "interruptible_ns") + number(wait, "iowait_ns"), filters[i].waited);
		json_object_put(o);
		json_object_put(r);
	}
	assert_int_equal(run(cmd_summary, "-o out kflame.data --include=^b$"), 0);
	assert_has("out", "filter   1,000 of these samples pass", true);
}

static void one_event_is_alone(void **state)
{
	struct json_object *o = read_json(cmd_summary, "kflame.data --event off-cpu"), *none;

	(void)state;
	assert_int_equal(json_object_array_length(get(o, "events")), 1);
	assert_false(json_object_object_get_ex(o, "cpu_time", &none));
	assert_int_equal(number(get(o, "wait_time"), "iowait_ns"), 500 * MS);
	json_object_put(o);
	o = read_json(cmd_summary, "kflame.data --event off-cpu,cpu-clock");
	assert_int_equal(json_object_array_length(get(o, "events")), 2);
	assert_int_equal(number(get(o, "cpu_time"), "idle_ns"), 600 * MS);
	json_object_put(o);
}

static void two_parts_are_compared(void **state)
{
	struct json_object *o = read_json(cmd_summary, "timed.data timed.data --to 1s --include=^b$");

	(void)state;
	assert_int_equal(number(get(o, "before"), "samples"), 1000);
	assert_int_equal(number(get(o, "now"), "samples"), 1000);
	assert_int_equal(number(o, "duration_before_ns"), 1000 * MS);
	json_object_put(o);
}

static void documents_are_valid(void **state)
{
	static const char *const lines[] = { "timed.data --from 1s", "kflame.data --include=^b$", "kflame.data --event off-cpu" };
	char line[512];

	(void)state;
	for (size_t i = 0; i < LEN(lines); i++) {
		int status;

		json_object_put(read_json(cmd_summary, lines[i]));
		snprintf(line, sizeof(line), "python3 -B %s/validate.py %s/../../docs/summary.schema.json out >differs 2>&1",
			 TEST_DIR, TEST_DIR);
		status = WEXITSTATUS(system(line));
		if (status == NO_VALIDATOR)
			skip();
		assert_int_equal(status, 0);
	}
}

static void messages_say_what_to_do(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_summary, "-o out kflame.data --from 1"), 1);
	assert_has("said", "record with --timeline", true);
	assert_int_equal(run(cmd_summary, "-o out kflame.data --event nope"), 1);
	assert_has("said", "kflame.data has no event 'nope'. It has: cpu-clock, off-cpu", true);
	assert_int_equal(run(cmd_summary, "-o out kflame.data --include nope"), 1);
	assert_has("said", "kflame.data has no stack that passes", true);
	assert_refused(cmd_summary, "kflame.data --include (", "no regular expression");
	assert_refused(cmd_summary, "kflame.data --wakers", "kflame report --wakers");
}

static int setup(void **state)
{
	*state = NULL;
	enter_scratch();
	make("kflame.data", false);
	make("timed.data", true);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_is_that_of_report), cmocka_unit_test(a_part_is_cut_exactly),
		cmocka_unit_test(what_passes_is_that_of_report), cmocka_unit_test(one_event_is_alone),
		cmocka_unit_test(two_parts_are_compared), cmocka_unit_test(documents_are_valid),
		cmocka_unit_test(messages_say_what_to_do),
	};

	return cmocka_run_group_tests_name("summary_choice", tests, setup, leave_scratch);
}
