// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_function_list.c - the functions of an event such as kprobe:vfs_*, on machines made up of files
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "record/function_list.h"
#include "run_command.h"

static const char kallsyms[] =
	"ffffffff81000010 T vfs_read\n"
	"ffffffff81000020 t vfs_read.cold\n"
	"ffffffff81000030 T vfs_write\n"
	"ffffffff81000040 t vfs_write\n"
	"ffffffff81000050 T vfs_banned\n"
	"0000000000000000 T vfs_hidden\n"
	"ffffffffc0000010 t vfs_in_module\t[ext4]\n";

/* For opened() */
static struct function_list list;
static struct kflame_event event;
static const char *pattern;

static int machine(void **state)
{
	(void)state;
	if (system("rm -rf root && mkdir -p root/proc root/sys/kernel/debug/kprobes"))
		return -1;
	write_file("root/proc/kallsyms", kallsyms, strlen(kallsyms));
	write_file("root/sys/kernel/debug/kprobes/blacklist", "0x0-0x0\tvfs_banned\n", 19);
	event = (struct kflame_event){ .size = sizeof(event) };
	return 0;
}

static int open_pattern(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return function_list_open("root", pattern, &list, &event) ? 1 : 0;
}

static int opened(const char *text)
{
	list = (struct function_list){ 0 };
	pattern = text;
	return run(open_pattern, "");
}

static int tell_left(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	function_list_tell_left(&list, "kprobe:vfs_*");
	return 0;
}

static void functions_as_the_module_takes_them(void **state)
{
	static const char names[] = "vfs_hidden\0vfs_in_module\0vfs_read\0vfs_write";
	const uint64_t *at;

	(void)state;
	assert_int_equal(opened("kprobe:vfs_*"), 0);
	assert_string_equal(said, "kflame: kprobe:vfs_*: 4 functions: vfs_hidden, vfs_in_module, vfs_read, vfs_write ('kflame list 'kprobe:vfs_*'' lists all)\n");
	assert_int_equal(event.nr_functions, 4);
	assert_int_equal(event.functions_len, sizeof(names));
	assert_memory_equal((const void *)(uintptr_t)event.functions, names, sizeof(names));
	at = (const uint64_t *)(uintptr_t)event.addresses;
	assert_int_equal(at[0], 0);
	assert_int_equal(at[1], 0xffffffffc0000010);
	assert_int_equal(at[2], 0xffffffff81000010);
	assert_ptr_equal((const void *)(uintptr_t)event.errors, list.errors);
	function_list_close(&list);
	/* Their returns */
	assert_int_equal(opened("kretprobe:vfs_[rw]*"), 0);
	assert_string_equal(said, "kflame: kretprobe:vfs_[rw]*: 2 functions: vfs_read, vfs_write ('kflame list 'kprobe:vfs_[rw]*'' lists all)\n");
	assert_int_equal(event.nr_functions, 2);
	function_list_close(&list);
}

static void left_out_by_error(void **state)
{
	(void)state;
	assert_int_equal(opened("kprobe:vfs_*"), 0);
	run(tell_left, "");
	assert_string_equal(said, "");
	list.errors[0] = list.errors[3] = -22;
	list.errors[2] = -17;
	run(tell_left, "");
	assert_string_equal(said, "kflame: kprobe:vfs_*: 2 functions left out (the kernel forbids it): vfs_hidden, vfs_write\n"
				  "kflame: kprobe:vfs_*: 1 function left out (other names of functions that are probed): vfs_read\n");
	function_list_close(&list);
	/* No list: nothing to say */
	list = (struct function_list){ 0 };
	run(tell_left, "");
	assert_string_equal(said, "");
}

static void none_or_too_many(void **state)
{
	FILE *f;

	(void)state;
	assert_int_equal(opened("kprobe:vfs_reed*"), 1);
	assert_non_null(strstr(said, "kprobe:vfs_reed*: no function that can be probed matches. Similar ones: vfs_read. "));
	function_list_close(&list);
	assert_int_equal(opened("kprobe:vfs_banned*"), 1);
	function_list_close(&list);
	assert_int_equal(opened("kprobe:x[*"), 1);
	function_list_close(&list);
	for (int nr = KFLAME_MAX_FUNCTIONS; nr <= KFLAME_MAX_FUNCTIONS + 1; nr++) {
		f = fopen("root/proc/kallsyms", "w");
		assert_non_null(f);
		for (int i = 0; i < nr; i++)
			fprintf(f, "%x T a_function_with_a_name_%d\n", 0x1000 + i, i);
		fclose(f);
		assert_int_equal(opened("kprobe:a_*"), nr > KFLAME_MAX_FUNCTIONS);
		if (nr > KFLAME_MAX_FUNCTIONS)
			assert_non_null(strstr(said, "kprobe:a_*: 1,001 functions match, and an event has at most 1,000: choose fewer"));
		else
			assert_non_null(strstr(said, "kprobe:a_*: 1,000 functions: a_function_with_a_name_0, a_function_with_a_name_1, ... ('kflame"));
		function_list_close(&list);
	}
	remove("root/proc/kallsyms");
	assert_int_equal(opened("kprobe:a_*"), 1);
	assert_non_null(strstr(said, "cannot read /proc/kallsyms to find the functions: No such file or directory. Run"));
	function_list_close(&list);
}

static int setup(void **state)
{
	(void)state;
	enter_scratch();
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(functions_as_the_module_takes_them, machine),
		cmocka_unit_test_setup(left_out_by_error, machine),
		cmocka_unit_test_setup(none_or_too_many, machine),
	};

	return cmocka_run_group_tests_name("function list", tests, setup, leave_scratch);
}
