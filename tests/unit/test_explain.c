// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_explain.c - kflame explain: text, picture, JSON, quiz and marks of a sample; tests/e2e/test_explain.py has the numbers
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "explain/explanation.h"
#include "explain/quiz.h"
#include "golden.h"

#define SP	0x7ffc0000f000ull
#define WORDS	40

static void place(struct explained_place *p, const char *function, uint64_t in_file, uint64_t into, bool exact)
{
	*p = (struct explained_place){
		.address = 0x555500000000 + in_file - !exact, .start = 0x555500001000, .end = 0x555500003000,
		.offset = 0x1000, .path = strdup("/opt/<chain>"), .build_id = "00ff", .file_offset = in_file - !exact,
		.in_file = in_file - !exact, .function = strdup(function), .into = into,
	};
}

static void row(struct explained_row *r, uint64_t start, const char *cfa, const char *fp)
{
	*r = (struct explained_row){ .section = ".eh_frame", .entry = 0x48, .start = start, .end = start + 0x40,
				     .from = start + 4, .to = start + 0x40, .base = "u", .ra = "c-8" };
	snprintf(r->cfa, sizeof(r->cfa), "%s", cfa);
	snprintf(r->fp, sizeof(r->fp), "%s", fp);
}

/* leaf, called by a function with a large frame, called by main: the outermost */
static void make(struct explanation *x)
{
	static const struct kflame_rule leaf = { .cfa = KFLAME_CFA_SP, .ra = KFLAME_IN_CFA, .cfa_offset = 8, .ra_offset = -8 };
	static const struct kflame_rule large = { .cfa = KFLAME_CFA_FP, .fp = KFLAME_IN_CFA, .ra = KFLAME_IN_CFA,
						  .cfa_offset = 16, .fp_offset = -16, .ra_offset = -8 };

	*x = (struct explanation){
		.machine = EM_X86_64, .uway = KFLAME_UWAY_TABLE, .sp = SP, .nr_words = WORDS, .nr_frames = 3, .nr_kernel = 1,
		.sample = { .time_ns = 5000000123, .weight_ns = 1003009, .late_ns = 9, .cpu = 1, .tgid = 42, .aspace = 3,
			    .nr_regs = KFLAME_REGS_X86_64, .comm = "a<b", .uend = KFLAME_END_COMPLETE | KFLAME_BY_TABLE },
		.table = { .due_ns = 5000000000, .period_ns = 1003009, .samples_before = 4, .weight_before = 4012036,
			   .samples = 5, .weight = 5015045, .seed = 0x1234, .hash = 0x89abcdef, .buckets = 2048,
			   .bucket = 0x5ef, .probes = 1, .entry = 7, .nr_entries = 9, .kstack = 1, .ustack = 2,
			   .kwalk = KFLAME_KWALK_CACHED },
	};
	x->words = calloc(WORDS, sizeof(*x->words));
	x->frames = calloc(3, sizeof(*x->frames));
	x->kernel = calloc(1, sizeof(*x->kernel));
	assert_true(x->words && x->frames && x->kernel);
	for (size_t i = 0; i < WORDS; i++)
		x->words[i] = 0x100 + i;
	x->words[0] = 0x555500001234;
	x->words[30] = SP + 8 * 38;
	x->words[31] = 0x555500001456;
	x->regs[6] = SP + 8 * 30;
	x->regs[7] = SP;
	x->regs[16] = 0x555500001110;
	x->kernel[0] = (struct explained_kernel){ 0xffffffff81000010, strdup("do_syscall_64"), 0x10 };
	x->frames[0] = (struct explained_frame){ .ip = 0x555500001110, .exact = true, .sp = SP, .fp = SP + 8 * 30,
		.how = KFLAME_STEP_RULE, .rule = leaf, .cached = true, .cfa = SP + 8, .ra_at = SP, .ra = 0x555500001234, .agrees = true };
	x->frames[1] = (struct explained_frame){ .ip = 0x555500001234, .sp = SP + 8, .fp = SP + 8 * 30,
		.how = KFLAME_STEP_RULE, .rule = large, .cfa = SP + 8 * 32, .ra_at = SP + 8 * 31, .ra = 0x555500001456,
		.fp_at = SP + 8 * 30, .agrees = true };
	x->frames[2] = (struct explained_frame){ .ip = 0x555500001456, .sp = SP + 8 * 32, .fp = SP + 8 * 38,
		.how = KFLAME_END_COMPLETE, .is_last = true };
	place(&x->frames[0].place, "leaf", 0x1110, 0x10, true);
	place(&x->frames[1].place, "middle<int>", 0x1234, 0x34, false);
	place(&x->frames[2].place, "_start", 0x1456, 0x21, false);
	row(&x->frames[0].row, 0x1100, "rsp+8", "u");
	row(&x->frames[1].row, 0x1200, "rbp+16", "c-16");
}

static char *written(void (*write)(FILE *out, const struct explanation *x), const struct explanation *x)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	write(out, x);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void json(FILE *out, const struct explanation *x)
{
	assert_int_equal(explain_json(out, x), 0);
}

static void key(FILE *out, const struct explanation *x)
{
	assert_int_equal(quiz_write_key(out, x), 0);
}

static void text_is_as_before(void **state)
{
	struct explanation x;
	char *text;

	(void)state;
	make(&x);
	text = written(explain_text, &x);
	golden_check("explain.txt", text);
	free(text);
	text = written(quiz_write, &x);
	golden_check("explain-quiz.txt", text);
	free(text);
	explanation_exit(&x);
}

static void save(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

static void json_is_what_the_schema_says(void **state)
{
	struct explanation x;
	char line[512], *text;
	int status;

	(void)state;
	make(&x);
	text = written(json, &x);
	save("explain-out.json", text);
	snprintf(line, sizeof(line), "python3 -B %s/validate.py %s/../../docs/explain.schema.json explain-out.json >explain-differs 2>&1",
		 TEST_DIR, TEST_DIR);
	status = system(line);
	assert_true(WIFEXITED(status));
	/* 77: there is no validator */
	if (WEXITSTATUS(status) && WEXITSTATUS(status) != 77)
		fail_msg("%s", golden_read("explain-differs"));
	unlink("explain-out.json");
	unlink("explain-differs");
	free(text);
	explanation_exit(&x);
}

/* Names are text in the picture, and it has all frames; a parser reads it */
static void picture_is_xml(void **state)
{
	struct explanation x;
	char *svg;

	(void)state;
	make(&x);
	svg = written(explain_svg, &x);
	save("explain-out.svg", svg);
	assert_int_equal(system("python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse(\"explain-out.svg\")'"), 0);
	unlink("explain-out.svg");
	assert_non_null(strstr(svg, "middle&lt;int&gt;"));
	assert_non_null(strstr(svg, "#2 _start"));
	assert_non_null(strstr(svg, "words</text>"));
	assert_null(strstr(svg, "<script"));
	free(svg);
	explanation_exit(&x);
}

/* Fill the blank of a question */
static char *filled(const char *quiz, unsigned int number, const char *answer)
{
	char begin[16], *text;
	const char *line, *blank;

	snprintf(begin, sizeof(begin), "\n%u. ", number);
	line = strstr(quiz, begin);
	assert_non_null(line);
	blank = strstr(line, "____");
	assert_non_null(blank);
	assert_true(asprintf(&text, "%.*s%s%s", (int)(blank - quiz), quiz, answer, blank + 4) > 0);
	return text;
}

struct marked {
	char *text;
	struct quiz_marks marks;
};

static struct marked marked(const char *quiz, const char *keys)
{
	struct marked m;
	size_t size;
	FILE *out = open_memstream(&m.text, &size);

	assert_non_null(out);
	assert_int_equal(quiz_check(out, quiz, keys, &m.marks), 0);
	fclose(out);
	return m;
}

static void right_answers_score_all(void **state)
{
	static const char *const answers[] = {
		"0x7ffc0000f008", "0x7ffc0000f000", "0x555500001234", "0x7ffc0000f100", "0x7ffc0000f0f8",
		" 0X555500001456  ", "1519", "5", "0x1110", "16",
	};
	struct explanation x;
	struct marked m;
	char *quiz, *keys;

	(void)state;
	make(&x);
	quiz = written(quiz_write, &x);
	keys = written(key, &x);
	m = marked(quiz, keys);
	assert_int_equal(m.marks.right, 0);
	assert_int_equal(m.marks.all, 10);
	assert_non_null(strstr(m.text, "no answer: return address of #0"));
	free(m.text);
	for (unsigned int i = 0; i < 10; i++) {
		char *next = filled(quiz, i + 1, answers[i]);

		free(quiz);
		quiz = next;
	}
	m = marked(quiz, keys);
	assert_non_null(strstr(m.text, "10 of 10\n"));
	assert_int_equal(m.marks.right, 10);
	free(m.text);
	free(quiz);
	free(keys);
	explanation_exit(&x);
}

static void usual_mistakes_get_a_hint(void **state)
{
	static const struct {
		unsigned int number;
		const char *answer, *hint;
	} all[] = {
		{ 1, "0x7ffc0000f000", "the rule adds an offset" },
		{ 4, "0x7ffc0000f0f8", "8 too low" },
		{ 2, "0x7ffc0000f008", "that is the CFA" },
		{ 3, "0x3412005555000000", "" },
		{ 3, "0x3412000055550000", "wrong order" },
		{ 3, "0x555500001233", "one higher" },
		{ 7, "2309737967", "modulo" },
		{ 8, "4", "a sample adds one" },
		{ 9, "0x110", "add the offset" },
		{ 9, "abc", "not a number" },
		{ 9, "0x1110 or so", "not a number" },
	};
	struct explanation x;
	char *quiz, *keys;

	(void)state;
	make(&x);
	quiz = written(quiz_write, &x);
	keys = written(key, &x);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char *with = filled(quiz, all[i].number, all[i].answer);
		struct marked m = marked(with, keys);

		if (m.marks.right || !strstr(m.text, all[i].hint))
			fail_msg("%u. %s: %s", all[i].number, all[i].answer, m.text);
		free(m.text);
		free(with);
	}
	free(quiz);
	free(keys);
	explanation_exit(&x);
}

static void another_file_is_no_key(void **state)
{
	static const char *const keys[] = { "", "[]", "{}", "{\"schema\":\"kflame-quiz-1\"}", "{\"schema\":\"kflame-quiz-2\",\"key\":[]}",
					    "{\"schema\":\"kflame-quiz-1\",\"key\":[{}]}", "{\"schema\":\"kflame-quiz-1\",\"key\":[3]}",
					    "{\"schema\":7}", "{\"schema\":\"kflame-quiz-1\",\"key\":[]}",
					    "{\"schema\":\"kflame-quiz-1\",\"key\":[{\"question\":\"a\",\"answer\":\"3\"},{}]}" };
	struct quiz_marks marks;
	size_t size;
	char *text;
	FILE *out;

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		out = open_memstream(&text, &size);
		assert_non_null(out);
		assert_int_equal(quiz_check(out, "1. a = 3\n", keys[i], &marks), -EINVAL);
		fclose(out);
		/* Nothing is marked by half a key */
		assert_string_equal(text, "");
		free(text);
	}
}

/* An answer is what its own line has, and is decimal unless it begins with 0x */
static void answers_are_read_as_written(void **state)
{
	static const char keys[] = "{\"schema\":\"kflame-quiz-1\",\"key\":[{\"question\":\"a\",\"answer\":\"10\"},"
				   "{\"question\":\"b\",\"answer\":\"7\"}]}";
	static const struct {
		const char *quiz, *first, *second;
	} all[] = {
		{ "1. a = 010\n2. b = 0x7\r\n", " 1. right: a\n", " 2. right: b\n" },
		{ "1. a = \n10\n2. b = 8", " 1. no answer: a\n", " 2. wrong: b\n" },
		{ "2. b =\n7\n", " 1. no answer: a\n", " 2. no answer: b\n" },
		{ "1. a = 0x\n2. b = -7\n", " 1. not a number (hexadecimal begins with 0x): a\n",
		  " 2. not a number (hexadecimal begins with 0x): b\n" },
		{ "1. a\n2. b = 99999999999999999999\n", " 1. no answer: a\n",
		  " 2. not a number (hexadecimal begins with 0x): b\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct marked m = marked(all[i].quiz, keys);

		if (!strstr(m.text, all[i].first) || !strstr(m.text, all[i].second))
			fail_msg("%s: %s", all[i].quiz, m.text);
		free(m.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_as_before),
		cmocka_unit_test(json_is_what_the_schema_says),
		cmocka_unit_test(picture_is_xml),
		cmocka_unit_test(right_answers_score_all),
		cmocka_unit_test(usual_mistakes_get_a_hint),
		cmocka_unit_test(another_file_is_no_key),
		cmocka_unit_test(answers_are_read_as_written),
	};

	return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
