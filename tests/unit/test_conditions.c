// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_conditions.c - values of a probe's hits, conditions on them, and the options that have them
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkprofile.h"
#include "parse_record.h"
#include "profile/profile.h"
#include "record/condition_parse.h"
#include "record/hit_weight.h"
#include "run_command.h"

#define MINUS(n)	((uint64_t)-(n))

static void values(void **state)
{
	static const struct {
		const char *text;
		uint32_t arg, bytes, is_signed;
	} table[] = {
		{ "arg1", 1, 8, 0 }, { "arg6", 6, 8, 0 }, { "arg2:u8", 2, 1, 0 }, { "arg2:s8", 2, 1, 1 },
		{ "arg3:u16", 3, 2, 0 }, { "arg3:s16", 3, 2, 1 }, { "arg4:u32", 4, 4, 0 }, { "arg4:s32", 4, 4, 1 },
		{ "arg5:u64", 5, 8, 0 }, { "arg5:s64", 5, 8, 1 },
	};
	char why[CONDITION_WHY], text[64];
	struct kflame_operand o;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_int_equal(operand_parse(table[i].text, &o, why), 0);
		assert_int_equal(o.kind, KFLAME_OPERAND_ARG);
		assert_int_equal(o.arg, table[i].arg);
		assert_int_equal(o.bytes, table[i].bytes);
		assert_int_equal(o.is_signed, table[i].is_signed);
		operand_text(&o, text, sizeof(text));
		assert_string_equal(text, strcmp(table[i].text, "arg5:u64") ? table[i].text : "arg5");
	}
	assert_int_equal(operand_parse("bytes_alloc", &o, why), 0);
	assert_int_equal(o.kind, KFLAME_OPERAND_FIELD);
	assert_string_equal((char *)o.field, "bytes_alloc");
	assert_int_equal(o.arg | o.bytes | o.is_signed, 0);
}

static void wrong_values(void **state)
{
	static const char *const table[][2] = {
		{ "arg0", "'arg0': arguments are arg1 to arg6" }, { "arg7", "arg1 to arg6" }, { "arg10", "arg1 to arg6" },
		{ "arg1:", "no type ''" }, { "arg1:u9", "no type 'u9'" }, { "arg1:U8", "no type 'U8'" },
		{ "arg1:u8:u8", "no type 'u8:u8'" }, { "", "'' is no value" }, { "5", "'5' is no value" },
		{ "a b", "'a b' is no value" }, { "a-b", "'a-b' is no value" }, { "bytes:u32", "a field has its own type" },
		{ "ret", "--weight value" }, { "abcdefghijabcdefghijabcdefghijab", "is no value" },
	};
	char why[CONDITION_WHY];
	struct kflame_operand o;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_int_equal(operand_parse(table[i][0], &o, why), -EINVAL);
		assert_non_null(strstr(why, table[i][1]));
	}
	assert_int_equal(operand_parse("abcdefghijabcdefghijabcdefghija", &o, why), 0);
}

static void conditions(void **state)
{
	static const struct {
		const char *text;
		uint32_t arg, op;
		uint64_t value;
	} table[] = {
		{ "arg2 > 4096", 2, KFLAME_OP_GT, 4096 }, { "arg2>4096", 2, KFLAME_OP_GT, 4096 },
		{ " \targ2\t>=  0x1fF ", 2, KFLAME_OP_GE, 0x1ff }, { "arg1==010", 1, KFLAME_OP_EQ, 10 },
		{ "arg1:s32 != -1", 1, KFLAME_OP_NE, MINUS(1) }, { "arg1 < 64K", 1, KFLAME_OP_LT, 65536 },
		{ "arg1 <= 2M", 1, KFLAME_OP_LE, 2 << 20 }, { "arg1&0x80000000", 1, KFLAME_OP_ANY, 1u << 31 },
		{ "bytes >= 3G", 0, KFLAME_OP_GE, 3ull << 30 }, { "arg1:s64 < -9223372036854775808", 1, KFLAME_OP_LT, 1ull << 63 },
		{ "arg6 == 18446744073709551615", 6, KFLAME_OP_EQ, UINT64_MAX }, { "arg1:u8 == 255", 1, KFLAME_OP_EQ, 255 },
		{ "arg1:s8 >= -128", 1, KFLAME_OP_GE, MINUS(128) }, { "arg1:s8 != -0x80", 1, KFLAME_OP_NE, MINUS(128) },
	};
	struct kflame_condition c[KFLAME_MAX_CONDITIONS];
	char why[CONDITION_WHY];
	uint32_t nr = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		nr = 0;
		assert_int_equal(conditions_parse(table[i].text, c, &nr, why), 0);
		assert_int_equal(nr, 1);
		assert_int_equal(c[0].operand.arg, table[i].arg);
		assert_int_equal(c[0].op, table[i].op);
		assert_true(c[0].value == table[i].value);
		assert_int_equal(c[0].pad, 0);
	}
	nr = 0;
	assert_int_equal(conditions_parse("arg1 & 4 && arg2:u16 != 0&&bytes<1", c, &nr, why), 0);
	assert_int_equal(nr, 3);
	assert_int_equal(c[0].op, KFLAME_OP_ANY);
	assert_int_equal(c[1].operand.bytes, 2);
	assert_string_equal((char *)c[2].operand.field, "bytes");
	assert_int_equal(conditions_parse("arg1>1&&arg1>2&&arg1>3&&arg1>4&&arg1>5", c, &nr, why), 0);
	assert_int_equal(nr, KFLAME_MAX_CONDITIONS);
	assert_int_equal(conditions_parse("arg1>1", c, &nr, why), -EINVAL);
	assert_non_null(strstr(why, "more than 8 conditions"));
}

static void wrong_conditions(void **state)
{
	static const char *const table[][2] = {
		{ "", "there is none. A condition is such as arg2 > 4096" }, { "> 5", "a value is missing before '> 5'" },
		{ "arg1", "a comparison is missing after 'arg1'" }, { "arg1 = 5", "a comparison is missing after 'arg1'" },
		{ "arg1 && arg2 > 1", "a comparison is missing after 'arg1'" }, { "arg1 >", "a number is missing after 'arg1 >'" },
		{ "arg1 > x", "'x' is no number" }, { "arg1 > 5x", "'5x' is no number" }, { "arg1 > 0x", "'0x' is no number" },
		{ "arg1 > -", "'-' is no number" }, { "arg1 > +5", "'+5' is no number" }, { "arg1 > 5KK", "'5KK' is no number" },
		{ "arg1 > --5", "'--5' is no number" }, { "arg1 == 0x-5", "'0x-5' is no number" },
		{ "arg1 > -5", "'-5' is negative, and arg1 never is: give it a signed type" },
		{ "bytes > -5", "'-5' is negative, and bytes never is" },
		{ "arg1:u8 > 256", "'256' does not fit in arg1:u8" }, { "arg1:s8 > 128", "'128' does not fit in arg1:s8" },
		{ "arg1:s8 < -129", "'-129' does not fit" }, { "arg1 > 18446744073709551616", "does not fit in arg1" },
		{ "arg1:s64 > 9223372036854775808", "does not fit" }, { "arg1 > 18014398509481984K", "does not fit" },
		{ "arg1 > 5 arg2 > 6", "'arg2 > 6' is left over" }, { "arg1 > 5 || arg2 > 6", "'|| arg2 > 6' is left over" },
		{ "arg1 > 5 & arg2 > 6", "'& arg2 > 6' is left over" }, { "arg1 > 5 &&", "condition 2: there is none" },
		{ "arg9 > 5", "'arg9': arguments are" }, { "(arg1 > 5)", "'(arg1' is no value" },
		{ "ret > 0", "returned values" },
		{ "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij > 1", "too long for a value" },
		{ "arg1 > 1111111111111111111111111111111111111111111111111111111111111111111", "too long for a number" },
	};
	struct kflame_condition c[KFLAME_MAX_CONDITIONS];
	char why[CONDITION_WHY];
	uint32_t nr = 0;

	(void)state;
	/* Of several conditions, the message names the wrong one. */
	assert_int_equal(conditions_parse("arg1 > 1 && arg2 > x", c, &nr, why), -EINVAL);
	assert_string_equal(why, "condition 2: 'x' is no number, such as 4096, 64K, 0x1000 or -1");
	assert_int_equal(conditions_parse("arg1 > x && arg2 > 1", c, &nr, why), -EINVAL);
	assert_string_equal(why, "condition 1: 'x' is no number, such as 4096, 64K, 0x1000 or -1");
	assert_int_equal(conditions_parse("arg1 > 1 &&", c, &nr, why), -EINVAL);
	assert_string_equal(why, "condition 2: there is none. A condition is such as arg2 > 4096");
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		nr = 0;
		if (!conditions_parse(table[i][0], c, &nr, why) || !strstr(why, table[i][1]))
			fail_msg("'%s': %s", table[i][0], why);
	}
}

/* Text of the characters that conditions are made of: it is refused with a message, or is taken whole */
static void any_text(void **state)
{
	static const char parts[] = "arg16:us32 <>=!&&-0xK\t9bytes|";
	struct kflame_condition c[KFLAME_MAX_CONDITIONS];
	char why[CONDITION_WHY], text[100];
	unsigned int seed = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		size_t len = (size_t)rand_r(&seed) % sizeof(text);
		uint32_t nr = 0;

		for (size_t k = 0; k < len; k++)
			text[k] = parts[(size_t)rand_r(&seed) % (sizeof(parts) - 1)];
		text[len] = 0;
		why[0] = 0;
		if (conditions_parse(text, c, &nr, why))
			assert_true(*why && strlen(why) < sizeof(why));
		assert_true(nr <= KFLAME_MAX_CONDITIONS);
	}
}

/* What the module is asked for: of the last event */
static struct kflame_event asked(char **argv, int nr, uint32_t *events)
{
	struct record_options o;
	struct kflame_event e = { 0 };

	assert_int_equal(record_options_parse(&o, nr, argv), 0);
	*events = o.nr_events;
	hit_weight_fill(&o, &o.events[o.nr_events - 1], &e);
	e.conditions = !!e.conditions;
	record_options_exit(&o);
	return e;
}

static void options(void **state)
{
	const struct {
		char **argv;
		uint32_t events, weight, arg;
		const char *field;
		uint32_t conditions;
		uint64_t min, max;
	} table[] = {
		{ ARGS("-e", "kprobe:f", "--weight", "arg3"), 1, KFLAME_WEIGHT_OPERAND, 3, "", 0, 0, RECORD_MAX_VALUE },
		{ ARGS("-e", "kprobe:f", "--if", "arg3>1", "--if", "arg4>1&&arg1&1"), 1, KFLAME_WEIGHT_OWN, 0, "", 3, 0, 0 },
		{ ARGS("--weight=arg1:s32", "--min=5", "-e", "kretprobe:f"), 1, KFLAME_WEIGHT_OPERAND, 1, "", 0, 5, RECORD_MAX_VALUE },
		{ ARGS("--weight=value", "--if=arg1>1", "-e", "kretprobe:f"), 1, KFLAME_WEIGHT_VALUE, 0, "", 1, 0, RECORD_MAX_VALUE },
		{ ARGS("--weight=arg6", "-e", "uprobe:/bin/sh:f"), 1, KFLAME_WEIGHT_OPERAND, 6, "", 0, 0, RECORD_MAX_VALUE },
		{ ARGS("--weight=arg5", "-e", "tracepoint:a:b"), 1, KFLAME_WEIGHT_OPERAND, 5, "", 0, 0, RECORD_MAX_VALUE },
		{ ARGS("--weight=bytes", "-e", "tracepoint:a:b"), 1, KFLAME_WEIGHT_OPERAND, 0, "bytes", 0, 0, RECORD_MAX_VALUE },
		{ ARGS("--weight=arg1", "-e", "kprobe:f,clock"), 2, KFLAME_WEIGHT_OWN, 0, "", 0, 0, 0 },
		{ ARGS("--alloc"), 5, KFLAME_WEIGHT_OPERAND, 0, "bytes", 0, 0, RECORD_MAX_VALUE },
		{ ARGS("--alloc=slab", "--if", "bytes>=64K"), 4, KFLAME_WEIGHT_OPERAND, 0, "bytes", 1, 0, RECORD_MAX_VALUE },
		{ ARGS("--alloc=pages", "--min", "9"), 1, KFLAME_WEIGHT_OPERAND, 0, "bytes", 0, 9, RECORD_MAX_VALUE },
		{ ARGS("--alloc", "--weight=count"), 5, KFLAME_WEIGHT_OWN, 0, "", 0, 0, 0 },
		{ ARGS("--alloc", "--weight=bytes_alloc"), 5, KFLAME_WEIGHT_OPERAND, 0, "bytes_alloc", 0, 0, RECORD_MAX_VALUE },
		{ ARGS("--file-io", "--weight=latency", "--alloc"), 7, KFLAME_WEIGHT_OPERAND, 0, "bytes", 0, 0, RECORD_MAX_VALUE },
		{ ARGS("--alloc", "--file-io"), 7, KFLAME_WEIGHT_VALUE, 0, "", 0, 0, RECORD_MAX_VALUE },
		{ ARGS("--exec", "--weight=arg1", "--alloc=pages", "-e", "kprobe:f"), 4, KFLAME_WEIGHT_OPERAND, 1, "", 0, 0, RECORD_MAX_VALUE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		uint32_t nr;
		struct kflame_event e = asked(table[i].argv, count(table[i].argv), &nr);

		assert_int_equal(nr, table[i].events);
		assert_int_equal(e.weight, table[i].weight);
		assert_int_equal(e.operand.arg, table[i].arg);
		assert_string_equal((char *)e.operand.field, table[i].field);
		assert_int_equal(e.nr_conditions, table[i].conditions);
		assert_int_equal(e.conditions, !!table[i].conditions);
		assert_true(e.min == table[i].min && e.max == table[i].max);
	}
}

static void refusals(void **state)
{
	(void)state;
	assert_refused(parse_record, "--weight arg7 -e kprobe:f", "--weight: 'arg7': arguments are arg1 to arg6. There are also count");
	assert_refused(parse_record, "--weight bytes -e kprobe:f", "'bytes' is a field of tracepoints, and kprobe:f is none");
	assert_refused(parse_record, "--weight arg6 -e tracepoint:a:b", "tracepoint:a:b has arg1 to arg5 at most");
	assert_refused(parse_record, "--weight arg1", "no probes are recorded");
	assert_refused(parse_record, "--weight arg1 -e clock", "no probes are recorded");
	assert_refused(parse_record, "--weight arg1 --exec", "no probes are recorded");
	assert_refused(parse_record, "--if arg1>1", "--if chooses among hits, and no probes are recorded");
	assert_refused(parse_record, "--if arg1 -e kprobe:f", "--if 'arg1': a comparison is missing after 'arg1'");
	assert_refused(parse_record, "--if arg1>1&&arg9>1 -e kprobe:f", "--if 'arg1>1&&arg9>1': condition 2: 'arg9': arguments are arg1 to arg6");
	assert_refused(parse_record, "--if bytes>1 -e kretprobe:f", "--if: 'bytes' is a field of tracepoints");
	assert_refused(parse_record, "--if arg6>1 -e tracepoint:a:b", "--if: 'arg6' cannot be read");
	assert_refused(parse_record, "--if arg1>1 -e syscall:read", "--if: 'arg1' is unknown of syscall:read, because");
	assert_refused(parse_record, "--weight arg2 -e tracepoint:a:b..c", "--weight: 'arg2' is unknown of tracepoint:a:b..c, because");
	assert_refused(parse_record, "--weight bytes -e syscall:read", "--weight: 'bytes' is unknown of syscall:read, because");
	assert_refused(parse_record, "--if bytes>1 --block-io", "--if: 'bytes' is unknown of tracepoint:block:");
	assert_refused(parse_record, "--weight bytes -e uretprobe:/bin/sh:f", "'bytes' is known when a function is called, and uretprobe:/bin/sh:f is its return");
	assert_refused(parse_record, "--min 5 -e tracepoint:a:b", "--min chooses hits by what they weigh");
	assert_refused(parse_record, "--file-io --weight=latency --min=1s --alloc",
		       "--min and --max mean a time for some events and a value for others");
	assert_refused(parse_record, "--alloc=heap", "--alloc=heap: there are slab, pages and outstanding");
	assert_refused(parse_record, "--weight value --alloc", "add -e kretprobe:FUNC");
}

/* A profile of an event with one stack */
static void write_profile(const char *path, uint32_t kind, const char *name, uint32_t unit, uint32_t arg)
{
	const struct kflame_event_count counts[] = { { .weight = 12345, .samples = 3, .kstack = 1 } };
	struct kflame_rec_event e = { .rec.type = KFLAME_REC_EVENT, .id = 1, .kind = kind, .unit = unit, .arg = arg };
	struct mk m = { 0 };

	strcpy((char *)e.name, "an-event");
	strcpy((char *)e.full_name, name);
	mk_header(&m);
	mk_session(&m);
	mk_stack(&m, 1, KFLAME_STACK_KERNEL, (uint64_t[]){ 0xffffffff81000000ull }, 1);
	records_add(&m.r, &e, sizeof(e), NULL, 0);
	mk_event_counts(&m, 1, 0, counts, 1);
	mk_event_sums(&m, 1, 3, 12345, 0, 0);
	mk_end(&m);
	write_file(path, m.r.data, m.r.len);
	mk_free(&m);
}

static int setup(void **state)
{
	(void)state;
	enter_scratch();
	write_profile("arg.data", KFLAME_EVENT_KPROBE, "kprobe:f", KFLAME_UNIT_VALUE, 3);
	write_profile("other.data", KFLAME_EVENT_KPROBE, "kprobe:f", KFLAME_UNIT_VALUE, 2);
	write_profile("bytes.data", KFLAME_EVENT_TRACEPOINT, "tracepoint:kmem:kmalloc", KFLAME_UNIT_BYTES, 0);
	write_profile("bad.data", KFLAME_EVENT_KPROBE, "kprobe:f", KFLAME_UNIT_VALUE, 7);
	return 0;
}

static void units(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "-i arg.data -o out"), 0);
	assert_has("out", "12,345 units of arg3 of f", true);
	assert_int_equal(system(KFLAME_TOOL " info -i arg.data >out"), 0);
	assert_has("out", "12,345  units of arg3 of f", true);
	assert_int_equal(run(cmd_report, "-i bytes.data -o out"), 0);
	assert_has("out", "12,345 bytes", true);
	assert_int_equal(system(KFLAME_TOOL " info -i bytes.data >out"), 0);
	assert_has("out", "12,345  bytes", true);
	assert_int_equal(run(cmd_merge, "-o sum.data arg.data arg.data"), 0);
	assert_int_equal(run(cmd_report, "-i sum.data -o out"), 0);
	assert_has("out", "24,690 units of arg3 of f", true);
	assert_int_equal(run(cmd_merge, "-o gone.data arg.data other.data"), EXIT_FAILURE);
	assert_has("said", "an event of one name has different weights", true);
	assert_int_equal(run(cmd_report, "-i bad.data -o out"), EXIT_FAILURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(wrong_values),
		cmocka_unit_test(conditions),
		cmocka_unit_test(wrong_conditions),
		cmocka_unit_test(any_text),
		cmocka_unit_test(options),
		cmocka_unit_test(refusals),
		cmocka_unit_test(units),
	};

	return cmocka_run_group_tests(tests, setup, leave_scratch);
}
