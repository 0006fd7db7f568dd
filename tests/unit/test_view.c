// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_view.c - the data of the viewer, and what its document holds.  tests/browser/check-view.sh tests the viewer
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/sha256.h"
#include "html/blob.h"
#include "html/html_assets.h"
#include "html/page_parts.h"
#include "html/squeeze.h"
#include "html/view_page.h"
#include "run_command.h"

#define MOST_CODE	150000	/* bytes of scripts and style in a page */

static void hex(const char *text, size_t len, char *out)
{
	uint8_t digest[SHA256_SIZE];

	sha256(text, len, digest);
	for (int i = 0; i < SHA256_SIZE; i++)
		sprintf(out + 2 * i, "%02x", digest[i]);
}

static void digests_are_those_of_the_standard(void **state)
{
	char out[2 * SHA256_SIZE + 1], letters[119];

	(void)state;
	hex("abc", 3, out);
	assert_string_equal(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	hex("", 0, out);
	assert_string_equal(out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, out);
	assert_string_equal(out, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	/* The longest text whose end fits into two blocks */
	memset(letters, 'a', sizeof(letters));
	hex(letters, sizeof(letters), out);
	assert_string_equal(out, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
}

static void numbers_take_seven_bits_a_byte(void **state)
{
	static const uint8_t want[] = { 0, 0x7f, 0x80, 1, 1, 2, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 };
	struct blob b = { 0 };

	(void)state;
	blob_number(&b, 0);
	blob_number(&b, 127);
	blob_number(&b, 128);
	blob_signed(&b, -1);
	blob_signed(&b, 1);
	blob_signed(&b, -2);
	blob_number(&b, UINT64_MAX);
	assert_int_equal(b.len, sizeof(want));
	assert_memory_equal(b.bytes, want, sizeof(want));
	blob_exit(&b);
}

static char *written(const struct blob *b, bool deflates)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(blob_write(out, b, deflates), 0);
	fclose(out);
	return text;
}

static void blobs_are_base64(void **state)
{
	static const char *const want[] = { "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" };

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct blob b = { 0 };
		char *text;

		blob_bytes(&b, "foobar", i);
		text = written(&b, false);
		assert_string_equal(text, want[i]);
		free(text);
		blob_exit(&b);
	}
}

static void code_loses_its_comments(void **state)
{
	char *text = squeeze("// a\nx = 1; // b\n\n\t/* c\n\t * d */\n\tif (x)\n\t\ty = \"// z\";\n\t/* e */ f();\n\t// g");

	(void)state;
	assert_string_equal(text, "x = 1; // b\nif (x)\ny = \"// z\";\n/* e */ f();\n");
	free(text);
}

static size_t nodes_with(const struct view_data *d, const char *name)
{
	size_t nr = 0;

	for (size_t i = 0; i < d->nr_paths; i++)
		nr += !strcmp(d->frames.all[d->paths[i].frame].name, name);
	return nr;
}

static void add(struct view_data *d, const char *const *names, size_t nr, uint32_t context, uint64_t samples)
{
	struct frame frames[8];

	for (size_t i = 0; i < nr; i++)
		frames[i] = (struct frame){ .name = names[i], .kind = FRAME_USER };
	assert_int_equal(view_data_add(d, frames, nr, context, samples, samples, NULL), 0);
}

static void equal_paths_are_one_and_sorted(void **state)
{
	struct view_data d;

	(void)state;
	assert_int_equal(view_data_init(&d), 0);
	add(&d, (const char *[]){ "main", "z" }, 2, 0, 1);
	add(&d, (const char *[]){ "main", "a" }, 2, 0, 2);
	add(&d, (const char *[]){ "main", "a" }, 2, 1, 4);
	add(&d, (const char *[]){ "main", "a" }, 2, 0, 8);
	assert_int_equal(d.nr_paths, 4);
	assert_int_equal(d.nr_facts, 3);
	assert_int_equal(nodes_with(&d, "a"), 1);
	assert_int_equal(view_data_sort(&d), 0);
	/* main, main a, main z: so the facts of a come first */
	assert_int_equal(d.facts[0].samples, 10);
	assert_int_equal(d.facts[1].samples, 4);
	assert_int_equal(d.facts[2].samples, 1);
	assert_int_equal(d.fact_order[0], 2);
	assert_int_equal(d.paths[d.facts[0].path].order, 2);
	view_data_exit(&d);
}

static void sums_stay_exact_in_a_browser(void **state)
{
	struct frame f = { .name = "f", .kind = FRAME_USER };
	struct view_data d;

	(void)state;
	assert_int_equal(view_data_init(&d), 0);
	assert_int_equal(view_data_add(&d, &f, 1, 0, 1, VIEW_EXACT - 2, NULL), 0);
	assert_int_equal(view_data_add(&d, &f, 1, 0, 1, 2, NULL), -EOVERFLOW);
	assert_int_equal(view_data_add(&d, &f, 1, 0, 1, UINT64_MAX, NULL), -EOVERFLOW);
	view_data_exit(&d);
}

/* A browser adds the period of each sample: of many samples of another event, that could be more than it can */
static void weights_stay_exact_in_a_browser(void **state)
{
	struct frame f = { .name = "f", .kind = FRAME_USER };
	struct view_data d;
	struct view_page page = { .d = &d, .period_ns = 1000000 };

	(void)state;
	assert_int_equal(view_data_init(&d), 0);
	assert_int_equal(view_data_add(&d, &f, 1, 0, 1000, 7, NULL), 0);
	assert_int_equal(page_period(&page), 1000000);
	assert_int_equal(view_data_add(&d, &f, 1, 0, 1ull << 40, 7, NULL), 0);
	assert_int_equal(page_period(&page), 0);
	page.period_ns = UINT64_MAX;
	assert_int_equal(page_period(&page), 0);
	view_data_exit(&d);
}

static void put_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void a_document_holds_no_name_as_text(void **state)
{
	static const char *const parts[] = { "alert(", "onload=", "evil", "<b>" };
	char *text, *code, *js;

	(void)state;
	put_file("in.folded", "evil</script><script>alert(1)</script>;main;\"onload=alert(1);<b>x</b> 3\n");
	assert_int_equal(run(cmd_view, "--folded --title=evil<b> -o out.html in.folded"), 0);
	text = golden_read("out.html");
	assert_non_null(text);
	assert_non_null(strstr(text, "default-src 'none'; script-src 'sha256-"));
	js = squeeze(view_boot);
	code = strstr(text, js);
	assert_non_null(code);
	/* The rest is the head, the style and blobs. */
	memset(code, ' ', strlen(js));
	free(js);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		assert_null(strstr(text, parts[i]));
	free(text);
}

static void equal_inputs_make_equal_documents(void **state)
{
	char *a, *b;

	(void)state;
	put_file("in.folded", "a;main;f 3\nb;main;g 4\n");
	assert_int_equal(run(cmd_view, "--folded -o a.html in.folded"), 0);
	assert_int_equal(run(cmd_view, "--folded -o b.html in.folded"), 0);
	a = golden_read("a.html");
	b = golden_read("b.html");
	assert_non_null(a);
	assert_non_null(b);
	assert_string_equal(a, b);
	free(a);
	free(b);
}

static void messages_say_what_to_do(void **state)
{
	(void)state;
	put_file("empty.folded", "");
	assert_int_equal(run(cmd_view, "--folded -o none.html empty.folded"), 1);
	assert_non_null(strstr(said, "there are no samples in the input"));
	assert_int_equal(run(cmd_view, "--folded -o none.html not-there.folded"), 1);
	assert_non_null(strstr(said, "cannot read not-there.folded"));
	put_file("in.folded", "a;main 9007199254740000\na;other 5000\n");
	assert_int_equal(run(cmd_view, "--folded -o none.html in.folded"), 1);
	assert_non_null(strstr(said, "in.folded: the counts add up to more than 2^53"));
	assert_int_equal(access("none.html", F_OK), -1);
	put_file("in.folded", "nonsense\n");
	assert_int_equal(run(cmd_view, "--folded -o none.html in.folded"), 1);
	assert_non_null(strstr(said, "holds no folded stacks"));
	put_file("in.folded", "nonsense\na;main 3\n");
	assert_int_equal(run(cmd_view, "--folded -o out.html in.folded"), 1);
	assert_non_null(strstr(said, "1 line skipped (the first is line 1)"));
	assert_refused(cmd_view, "--folded -o none.html - -", "only one of the profiles can be standard input");
	assert_refused(cmd_view, "--folded --with-source in.folded", "--with-source needs addresses of one profile");
	assert_refused(cmd_view, "--with-source a.data b.data", "--with-source needs addresses of one profile");
	assert_refused(cmd_view, "--with-source --lines", "leave one of them out");
	assert_int_equal(access("none.html", F_OK), -1);
}

/* The source of a function as the page has it, by hand */
static char *source_of(const struct annotation *a, const struct self_use *uses, size_t nr_uses)
{
	struct view_data d = { 0 };
	struct self_spot spots[] = { { .code = a->codes[0], .offset = 0xffffffff81000010, .is_start = true } };
	struct self_annotations s = {
		.all = (struct annotation *)a, .nr = 1, .nr_left_out = 5, .spots = spots, .nr_spots = 1,
		.uses = (struct self_use *)uses, .nr_uses = nr_uses,
	};
	const struct view_page page = { .d = &d, .source = &s };
	struct blob b = { 0 };

	page_source(&b, &page);
	assert_int_equal(b.err, 0);
	blob_bytes(&b, "\n", 2);
	return (char *)b.bytes;
}

static void source_as_the_page_has_it(void **state)
{
	static char name[1000] = "<script>\x1b[31m\xff";
	struct annotated_line lines[] = { { .self = { 1, 10 } },
					  { .source = "/not/here/<b>.c", .line = 7, .self = { 2, 20 } } };
	struct annotated_at rows[] = {
		{ .offset = 0xffffffff81000000, .text = name, .bytes = 4, .source = "/not/here/<b>.c", .line = 7 },
		{ .offset = 0xffffffff81000010, .text = "nop", .bytes = 1, .self = { 3, 30 }, .total = { 3, 30 } },
	};
	struct annotated_code code = { .kernel = true, .all = rows, .nr = 2 };
	const struct annotation a = { .lines = lines, .nr_lines = 2, .codes = &code, .nr_codes = 1 };
	const struct self_use use = { .is_self = true, .place = { .source = "/not/here/<b>.c", .line = 7 } };
	char *text;

	(void)state;
	memset(name + strlen(name), 'x', sizeof(name) - 1 - strlen(name));
	text = source_of(&a, &use, 1);
	golden_check("view-source.json", text);
	free(text);
}

static void long_functions_are_cut(void **state)
{
	static struct annotated_at rows[20000];
	struct annotated_code code = { .kernel = true, .all = rows, .nr = 20000, .missing = "" };
	const struct annotation a = { .codes = &code, .nr_codes = 1 };
	char *text;

	(void)state;
	for (size_t i = 0; i < 20000; i++)
		rows[i] = (struct annotated_at){ .offset = i, .total = { 1, 1 } };
	text = source_of(&a, NULL, 0);
	/* 128 KiB of rows of 16 bytes, with two headings: the rest is counted */
	assert_true(strlen(text) < 400000);
	assert_non_null(strstr(text, "\"left_out\":118"));
	free(text);
}

static void the_code_is_small(void **state)
{
	(void)state;
	char *boot = squeeze(view_boot), *js = squeeze(view_js), *css = squeeze(view_css);

	assert_in_range(strlen(boot) + strlen(js) + strlen(css), MOST_CODE / 2, MOST_CODE);
	free(boot);
	free(js);
	free(css);
}

static char dir[] = "/tmp/kflame-view-XXXXXX";

static int enter(void **state)
{
	(void)state;
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int leave(void **state)
{
	static const char *const files[] = { "in.folded", "empty.folded", "out.html", "a.html", "b.html", "said" };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(files[i]);
	return chdir("/") || rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digests_are_those_of_the_standard),
		cmocka_unit_test(numbers_take_seven_bits_a_byte),
		cmocka_unit_test(blobs_are_base64),
		cmocka_unit_test(code_loses_its_comments),
		cmocka_unit_test(equal_paths_are_one_and_sorted),
		cmocka_unit_test(sums_stay_exact_in_a_browser),
		cmocka_unit_test(weights_stay_exact_in_a_browser),
		cmocka_unit_test(a_document_holds_no_name_as_text),
		cmocka_unit_test(equal_inputs_make_equal_documents),
		cmocka_unit_test(messages_say_what_to_do),
		cmocka_unit_test(source_as_the_page_has_it),
		cmocka_unit_test(long_functions_are_cut),
		cmocka_unit_test(the_code_is_small),
	};

	return cmocka_run_group_tests_name("the viewer's data", tests, enter, leave);
}
