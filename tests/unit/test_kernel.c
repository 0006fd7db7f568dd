// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_kernel.c - kernel names, from kallsyms and from the module's answers
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "symbols/kallsyms.h"

static struct kernel_symbols *parse(const char *text)
{
	FILE *in = fmemopen((char *)text, strlen(text), "r");
	struct kernel_symbols *k;

	assert_non_null(in);
	assert_int_equal(kernel_symbols_parse(in, -1, &k), 0);
	fclose(in);
	return k;
}

static void check(struct kernel_symbols *k, uint64_t at, const char *expected, uint64_t start,
		  uint64_t end)
{
	uint64_t from = 0, to = 0;
	const char *name = kernel_symbols_find(k, at, &from, &to);

	assert_non_null(name);
	assert_string_equal(name, expected);
	assert_true(from == start);
	assert_true(to == end);
}

static void kallsyms(void **state)
{
	uint64_t start, end;
	struct kernel_symbols *k;
	(void)state;

	k = parse("ffffffffc0001000 t mod_fn\t[amod]\n"
		  "ffffffff81000000 D a_section\n"
		  "ffffffff81000000 t startup\n"
		  "ffffffff81000000 T _stext\n"
		  "ffffffff81000100 W weak_fn\n"
		  "ffffffff81000200 t zz\n"
		  "ffffffff81000200 T aa\n"
		  "ffffffff81000300 D data\n"
		  "0000000000000000 A fixed\n"
		  "no address at all\n"
		  "ffffffff82000000 T last");
	/* Of several the first function, as the kernel does it */
	check(k, 0xffffffff81000000, "startup", 0xffffffff81000000, 0xffffffff81000100);
	check(k, 0xffffffff810000ff, "startup", 0xffffffff81000000, 0xffffffff81000100);
	check(k, 0xffffffff81000100, "weak_fn", 0xffffffff81000100, 0xffffffff81000200);
	check(k, 0xffffffff81000201, "zz", 0xffffffff81000200, 0xffffffff81000300);
	assert_null(kernel_symbols_find(k, 0xffffffff81000300, &start, &end));
	assert_null(kernel_symbols_find(k, 0xffffffff80ffffff, &start, &end));
	/* The last ones do not go on for ever */
	check(k, 0xffffffffc0001010, "mod_fn [amod]", 0xffffffffc0001000,
	      0xffffffffc0001000 + (256 << 10));
	assert_null(kernel_symbols_find(k, 0xffffffffc0001000 + (256 << 10), &start, &end));
	assert_null(kernel_symbols_find(k, 0xffffffff83000000, &start, &end));
	kernel_symbols_destroy(k);
}

static void hidden(void **state)
{
	struct kernel_symbols *k = parse("0000000000000000 T _stext\n0000000000000000 T foo\n");
	uint64_t start, end;
	(void)state;

	assert_null(kernel_symbols_find(k, 0xffffffff81000000, &start, &end));
	kernel_symbols_destroy(k);
}

static void module_answers(void **state)
{
	char name[64];
	uint64_t start, end;
	(void)state;

	assert_int_equal(ksym_parse("vfs_read+0x1a/0x2f0", 0x101a, name, sizeof(name), &start, &end), 0);
	assert_string_equal(name, "vfs_read");
	assert_int_equal(start, 0x1000);
	assert_int_equal(end, 0x12f0);
	assert_int_equal(ksym_parse("f+0x0/0x10 [mod 0123abcd]", 0x1000, name, sizeof(name), &start, &end), 0);
	assert_string_equal(name, "f [mod]");
	assert_int_equal(ksym_parse("f+0x0/0x10 [mod]", 0x1000, name, sizeof(name), &start, &end), 0);
	assert_string_equal(name, "f [mod]");
	assert_int_equal(ksym_parse("0xffffffff81000000", 0x1000, name, sizeof(name), &start, &end), -ENOENT);
	assert_int_equal(ksym_parse("f+0x10/0x10", 0x1000, name, sizeof(name), &start, &end), -ENOENT);
	assert_int_equal(ksym_parse("f+0x20/0x30", 0x10, name, sizeof(name), &start, &end), -ENOENT);
	assert_int_equal(ksym_parse("+0x1/0x10", 0x1000, name, sizeof(name), &start, &end), -ENOENT);
	assert_int_equal(ksym_parse("", 0x1000, name, sizeof(name), &start, &end), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kallsyms),
		cmocka_unit_test(hidden),
		cmocka_unit_test(module_answers),
	};

	return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
