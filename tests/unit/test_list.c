// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_list.c - machines made up of files, and what kflame list prints of them
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "catalog/catalog.h"
#include "catalog/pattern.h"
#include "catalog/tracefs.h"
#include "cmd/commands.h"
#include "run_command.h"

#define KINDS	"cpu-clock\noff-cpu\noff-cpu-sampled\npage-faults\n"
#define FORMAT	"name: sched_switch\nID: 316\nformat:\n" \
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" \
		"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n" \
		"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n" \
		"\nprint fmt: \"prev_comm=%s\", REC->prev_comm\n"

static const char kallsyms[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000010 T vfs_read\n"
	"ffffffff81000020 t vfs_read.cold\n"
	"ffffffff81000030 T vfs_write\n"
	"ffffffff81000040 t do_one\n"
	"ffffffff81000050 t do_one\n"
	"ffffffff81000060 W arch_weak\n"
	"ffffffff81000070 w arch_weaker\n"
	"ffffffff81000080 T noinstr_one\n"
	"ffffffff81000080 T alias_of_noinstr\n"
	"ffffffff81000090 T __pfx_vfs_read\n"
	"ffffffff81000098 T __SCT__might_resched\n"
	"ffffffff810000a0 t split.part.0\n"
	"ffffffff810000b0 T __traceiter_sched_switch\n"
	"ffffffff810000c0 T __traceiter_sched_wakeup\n"
	"ffffffff810000d0 T _etext\n"
	"ffffffff82000000 D vfs_data\n"
	"ffffffff83000000 T start_kernel\n"
	"ffffffffc0000000 t shared_name\t[ext4]\n"
	"ffffffffc0000010 t vfs_in_module\t[ext4]\n"
	"ffffffffc0000020 t do_one\t[ext4]\n"
	"ffffffffc0000030 t shared_name\t[xfs]\n"
	"ffffffffc0000040 t vfs_of_kflame\t[kflame]\n"
	"ffffffffc0000050 T __traceiter_ext4_sync\t[ext4]\n"
	"ffffffffc0000060 t vfs_bpf\t[bpf]\n"
	"ffffffffc0000070 t vfs_trampoline\t[__builtin__kprobes]\n"
	"a damaged line\n"
	"ffffffffc0000080 t bad\033name\t[ext4]\n";

static void make_dirs(const char *path)
{
	char text[512];

	snprintf(text, sizeof(text), "%s", path);
	for (char *at = strchr(text + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = 0;
		if (mkdir(text, 0755))
			assert_int_equal(errno, EEXIST);
		*at = '/';
	}
}

static void put(const char *path, const char *text)
{
	make_dirs(path);
	write_file(path, text, strlen(text));
}

static void put_tracefs(const char *where)
{
	static const char *const events[] = {
		"enable", "header_page", "sched/enable", "sched/sched_switch/enable", "sched/sched_wakeup/enable",
		"ext4/ext4_sync/enable", "syscalls/sys_enter_read/enable", "ftrace/function/format",
		"kprobes/sched_wakeup/enable", "mine/no_tracepoint/enable",
	};
	char path[256];

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		snprintf(path, sizeof(path), "%s/events/%s", where, events[i]);
		put(path, "");
	}
	snprintf(path, sizeof(path), "%s/events/sched/sched_switch/format", where);
	put(path, FORMAT);
}

static void remove_dir(const char *path)
{
	char line[512];

	snprintf(line, sizeof(line), "rm -rf %s", path);
	assert_int_equal(system(line), 0);
}

/* Each test begins with a machine on which all can be read. */
static int whole_machine(void **state)
{
	(void)state;
	remove_dir("root");
	put("root/proc/kallsyms", kallsyms);
	put("root/proc/mounts", "proc /proc proc rw 0 0\n");
	put("root/sys/kernel/debug/kprobes/blacklist", "0xffffffff81000080-0xffffffff81000090\tnoinstr_one\n");
	put_tracefs("root/sys/kernel/tracing");
	return 0;
}

static int setup(void **state)
{
	(void)state;
	enter_scratch();
	return 0;
}

/* What the command prints is in the file "out". Return: its exit status */
static int list_all(const char *arguments)
{
	int saved, fd, status;

	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	fd = open("out", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(saved >= 0 && fd >= 0);
	dup2(fd, STDOUT_FILENO);
	status = run(cmd_list, arguments);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fd);
	return status;
}

/* The same, of the machine that the test made */
static int list(const char *arguments)
{
	char line[512];

	snprintf(line, sizeof(line), "-r root %s", arguments);
	return list_all(line);
}

static void assert_list(const char *arguments, const char *want)
{
	assert_int_equal(list(arguments), 0);
	assert_out("out", want);
	assert_string_equal(said, "");
}

static void all_are_listed(void **state)
{
	(void)state;
	assert_list("--names",
		    KINDS
		    "kprobe:__traceiter_ext4_sync\nkprobe:__traceiter_sched_switch\nkprobe:__traceiter_sched_wakeup\n"
		    "kprobe:arch_weak\nkprobe:arch_weaker\nkprobe:do_one\nkprobe:shared_name\nkprobe:split.part.0\n"
		    "kprobe:vfs_in_module\nkprobe:vfs_read\nkprobe:vfs_write\n"
		    "tracepoint:ext4:ext4_sync\ntracepoint:sched:sched_switch\ntracepoint:sched:sched_wakeup\n");
	assert_list("", "cpu-clock        time on a CPU, by a timer at the rate of -F\n"
		    "off-cpu          each wait of a thread, by its length\n"
		    "off-cpu-sampled  waits of threads, by looks at all threads\n"
		    "page-faults      each page fault of user and kernel code\n"
		    "--file-io[=read|write|sync]       bytes read and written, by file; time of fsync()\n"
		    "--block-io[=latency|bytes]        not available: this kernel or this module has no tracepoint:block:block_io_start|block_rq_insert|block_rq_issue..block_rq_complete\n"
		    "--net[=send|receive|retransmit]   not available: this kernel or this module has no kretprobe:tcp_sendmsg\n"
		    "--alloc[=slab|pages|outstanding]  not available: this kernel or this module has no tracepoint:kmem:kmalloc\n"
		    "--syscalls[=NAME,...]             time of system calls\n"
		    "--signals                         not available: this kernel or this module has no tracepoint:signal:signal_generate\n"
		    "--exec                            not available: this kernel or this module has no tracepoint:sched:sched_process_fork\n"
		    "--faults                          page faults\n"
		    "--off-cpu                         waits of threads; also --wakers, --wall\n"
		    "kprobe:__traceiter_ext4_sync [ext4]\nkprobe:__traceiter_sched_switch\n"
		    "kprobe:__traceiter_sched_wakeup\nkprobe:arch_weak\nkprobe:arch_weaker\nkprobe:do_one\n"
		    "kprobe:shared_name [ext4]\nkprobe:split.part.0\nkprobe:vfs_in_module [ext4]\nkprobe:vfs_read\n"
		    "kprobe:vfs_write\ntracepoint:ext4:ext4_sync [ext4]\ntracepoint:sched:sched_switch\ntracepoint:sched:sched_wakeup\n");
}

/* Reading the symbols takes most of the time: presets, functions and tracepoints share them. */
static void symbols_are_read_once(void **state)
{
	struct inotify_event e[16];
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	(void)state;
	assert_true(inotify_add_watch(fd, "root/proc/kallsyms", IN_OPEN | IN_CLOSE) >= 0);
	assert_int_equal(list(""), 0);
	/* It was opened, and closed. */
	assert_int_equal(read(fd, e, sizeof(e)), 2 * sizeof(e[0]));
	close(fd);
}

/* A preset is there if all is that it records when its option has no word. */
static void presets_need_their_events(void **state)
{
	(void)state;
	put("root/proc/kallsyms", "ffffffff81000010 T vfs_read\nffffffff81000030 T vfs_write\n");
	assert_list("file-io", "--file-io[=read|write|sync]       bytes read and written, by file; time of fsync()\n");
	put("root/proc/kallsyms", "ffffffff81000010 T vfs_read\n");
	assert_list("file-io", "--file-io[=read|write|sync]       not available: this kernel or this module has no kretprobe:vfs_write\n");
	put("root/sys/kernel/tracing/events/block/block_rq_complete/enable", "");
	assert_list("block-io", "--block-io[=latency|bytes]        not available: this kernel or this module has no tracepoint:block:block_io_start|block_rq_insert|block_rq_issue..block_rq_complete\n");
	put("root/sys/kernel/tracing/events/block/block_rq_issue/enable", "");
	assert_list("block-io", "--block-io[=latency|bytes]        requests of block devices\n");
}

static void patterns_choose(void **state)
{
	static const char names[] = "kprobe:vfs_in_module [ext4]\nkprobe:vfs_read\nkprobe:vfs_write\n";

	(void)state;
	assert_list("vfs_*", names);
	assert_list("kprobe:vfs_*", names);
	assert_list("vfs", names);
	assert_list("kprobe:vfs", names);
	assert_list("kprobe:vfs_[rw]*", "kprobe:vfs_read\nkprobe:vfs_write\n");
	assert_list("kprobe:vfs_rea?", "kprobe:vfs_read\n");
	assert_list("tracepoint:sched:*", "tracepoint:sched:sched_switch\ntracepoint:sched:sched_wakeup\n");
	assert_list("sched:sched_sw", "tracepoint:sched:sched_switch\n");
	assert_list("*switch", "kprobe:__traceiter_sched_switch\ntracepoint:sched:sched_switch\n");
	assert_list("off-cpu*", "off-cpu          each wait of a thread, by its length\n"
		    "off-cpu-sampled  waits of threads, by looks at all threads\n");
}

static void nothing_found_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(list("no_such_function"), 1);
	assert_out("out", "");
	assert_string_equal(said, "kflame: no event here matches 'no_such_function': 'kflame list' lists all. A pattern is in quotes, such as '*read*'\n");
	/* Matched as a whole, and with the case of letters */
	assert_int_equal(list("vfs_rea[x]"), 1);
	assert_int_equal(list("kprobe:VFS_READ"), 1);
	assert_int_equal(list("start_kernel"), 1);
	assert_int_equal(list("vfs_data"), 1);
	assert_refused(cmd_list, "a b", "'b' is a second pattern");
}

static void fields_have_types(void **state)
{
	(void)state;
	assert_list("-v sched_switch",
		    "kprobe:__traceiter_sched_switch\ntracepoint:sched:sched_switch\n    char prev_comm[16]\n    __data_loc char[] name\n");
	assert_list("--fields --names tracepoint:sched:sched_switch", "tracepoint:sched:sched_switch\n");
	/* An event without a readable format is listed all the same. */
	assert_int_equal(list("-v tracepoint:sched:sched_wakeup"), 0);
	assert_out("out", "tracepoint:sched:sched_wakeup\n");
	assert_string_equal(said, "kflame: cannot read the fields of tracepoint:sched:sched_wakeup: No such file or directory\n");
}

static void hidden_addresses_change_nothing(void **state)
{
	char *text = strdup(kallsyms), *open, *hidden;

	(void)state;
	assert_int_equal(list("--names"), 0);
	open = golden_read("out");
	for (char *line = text; *line; line = strchr(line, '\n') + 1)
		if (line[16] == ' ')
			memset(line, '0', 16);
	put("root/proc/kallsyms", text);
	put("root/sys/kernel/debug/kprobes/blacklist",
	    "0x0000000000000000-0x0000000000000000\tnoinstr_one\n0x0000000000000000-0x0000000000000000\talias_of_noinstr\n");
	assert_int_equal(list("--names"), 0);
	hidden = golden_read("out");
	assert_string_equal(hidden, open);
	free(text);
	free(open);
	free(hidden);
}

static void a_missing_blacklist_bans_nothing(void **state)
{
	(void)state;
	remove_dir("root/sys/kernel/debug");
	assert_list("noinstr", "kprobe:alias_of_noinstr\nkprobe:noinstr_one\n");
}

static void banned_functions_of_modules(void **state)
{
	(void)state;
	put("root/sys/kernel/debug/kprobes/blacklist", "0x0-0x0\tvfs_in_module [ext4]\n\ngarbage\n0x5-0x3\tdo_one\n");
	assert_list("kprobe:vfs", "kprobe:vfs_read\nkprobe:vfs_write\n");
	assert_int_equal(list("do_one"), 1);
}

static void missing_sources_are_named(void **state)
{
	(void)state;
	remove_dir("root/sys/kernel/tracing");
	assert_int_equal(list("--names arch"), 0);
	assert_out("out", "kprobe:arch_weak\nkprobe:arch_weaker\n");
	assert_string_equal(said, "kflame: tracefs is not mounted, so tracepoints are not listed. Mount it: sudo mount -t tracefs tracefs /sys/kernel/tracing\n");
	/* What is not asked for is not missed. */
	assert_list("kprobe:arch_weaker", "kprobe:arch_weaker\n");
	put_tracefs("root/sys/kernel/tracing");
	remove_dir("root/proc");
	assert_int_equal(list("--names"), 0);
	assert_has("said", "cannot read /proc/kallsyms: No such file or directory, so kernel functions are not listed", true);
	/* Without the kernel's symbols, only its system shows that an event is no tracepoint. */
	assert_out("out", KINDS "tracepoint:ext4:ext4_sync\ntracepoint:mine:no_tracepoint\n"
		   "tracepoint:sched:sched_switch\ntracepoint:sched:sched_wakeup\n");
	assert_int_equal(list("--names tracepoint:sched:sched_s*"), 0);
	assert_string_equal(said, "");
	put("root/proc/kallsyms", "");
	assert_int_equal(list("kprobe:"), 1);
	assert_has("said", "/proc/kallsyms names no function", true);
	assert_has("said", "no event here matches 'kprobe:'", true);
}

static void an_unreadable_tracefs_is_named(void **state)
{
	(void)state;
	if (!geteuid()) {
		print_message("# as root, each directory can be read: only other users are tested\n");
		skip();
	}
	assert_int_equal(chmod("root/sys/kernel/tracing", 0), 0);
	assert_int_equal(list("--names tracepoint:"), 1);
	assert_has("said", "cannot read /sys/kernel/tracing/events: Permission denied, so tracepoints are not listed. Run the command as root", true);
	assert_int_equal(chmod("root/sys/kernel/tracing", 0700), 0);
}

static void tracefs_is_found_by_its_mount(void **state)
{
	char path[256];

	(void)state;
	assert_int_equal(tracefs_find("root", path, sizeof(path)), 0);
	assert_string_equal(path, "/sys/kernel/tracing");
	remove_dir("root/sys/kernel/tracing");
	assert_int_equal(tracefs_find("root", path, sizeof(path)), -ENOENT);
	put_tracefs("root/sys/kernel/debug/tracing");
	assert_int_equal(tracefs_find("root", path, sizeof(path)), 0);
	assert_string_equal(path, "/sys/kernel/debug/tracing");
	remove_dir("root/sys/kernel/debug/tracing");
	make_dirs("root/my trace/");
	put("root/my_trace/events/sched/sched_switch/format", FORMAT);
	assert_int_equal(rename("root/my_trace/events", "root/my trace/events"), 0);
	put("root/proc/mounts", "x\ntmpfs /my_trace tmpfs rw 0 0\ntracefs /gone tracefs rw 0 0\ntracefs /my\\040trace tracefs rw 0 0\n");
	assert_int_equal(tracefs_find("root", path, sizeof(path)), 0);
	assert_string_equal(path, "/my trace");
	assert_list("--names tracepoint:", "tracepoint:sched:sched_switch\n");
}

static void without_the_module_it_says_so(void **state)
{
	(void)state;
	/* No --root: of the machine on which the test runs, only the kinds are looked at. */
	assert_int_equal(list_all("--names --device ./no-device cpu-cloc?"), 0);
	assert_has("said", "the module is not loaded (./no-device: No such file or directory), so the list may have events that do not work here. Load it: sudo modprobe kflame", true);
	write_file("no-device", "", 0);
	assert_int_equal(list_all("--names --device ./no-device cpu-cloc?"), 0);
	assert_has("said", "./no-device does not answer as the kflame module does", true);
}

static void words_that_e_refuses_are_left_out(void **state)
{
	char name[160] = "";
	struct catalog c = { 0 };

	(void)state;
	memset(name, 'f', 120);
	assert_int_equal(catalog_add(&c, "kprobe", name, NULL, NULL), 0);
	assert_int_equal(c.nr, 1);
	memset(name, 'f', 121);
	assert_int_equal(catalog_add(&c, "kprobe", name, NULL, NULL), 0);
	assert_int_equal(catalog_add(&c, "kprobe", "a b", NULL, NULL), 0);
	assert_int_equal(catalog_add(&c, "kprobe", "a,b", NULL, NULL), 0);
	assert_int_equal(catalog_add(&c, "kprobe", "", NULL, NULL), 0);
	assert_int_equal(catalog_add(&c, "kprobe", "\303\244", NULL, NULL), 0);
	assert_int_equal(catalog_add(&c, "kprobe", "f", NULL, "\033[31m"), 0);
	assert_int_equal(c.nr, 1);
	catalog_exit(&c);
}

/* 150,000 symbols: less than a second, also under the sanitizers of this test */
static void many_symbols_are_quick(void **state)
{
	FILE *f = fopen("root/proc/kallsyms", "w");
	struct timespec from, to;
	double took;

	(void)state;
	assert_non_null(f);
	fputs("ffffffff81000000 T _stext\n", f);
	for (unsigned int i = 0; i < 150000; i++)
		fprintf(f, "%016llx t function_%u_of_many\n", 0xffffffff81000010ull + i, i * 7919 % 150000);
	fputs("ffffffff82000000 T _etext\n", f);
	assert_int_equal(fclose(f), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	assert_int_equal(list("--names function_7*"), 0);
	assert_int_equal(list("--names kprobe:"), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	took = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
	print_message("# two lists of 150,000 symbols: %.2f s of CPU time\n", took);
	assert_true(took < 4);
	assert_has("out", "kprobe:function_149999_of_many\n", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_are_listed, whole_machine),
		cmocka_unit_test_setup(symbols_are_read_once, whole_machine),
		cmocka_unit_test_setup(presets_need_their_events, whole_machine),
		cmocka_unit_test_setup(patterns_choose, whole_machine),
		cmocka_unit_test_setup(nothing_found_is_an_error, whole_machine),
		cmocka_unit_test_setup(fields_have_types, whole_machine),
		cmocka_unit_test_setup(hidden_addresses_change_nothing, whole_machine),
		cmocka_unit_test_setup(a_missing_blacklist_bans_nothing, whole_machine),
		cmocka_unit_test_setup(banned_functions_of_modules, whole_machine),
		cmocka_unit_test_setup(missing_sources_are_named, whole_machine),
		cmocka_unit_test_setup(an_unreadable_tracefs_is_named, whole_machine),
		cmocka_unit_test_setup(tracefs_is_found_by_its_mount, whole_machine),
		cmocka_unit_test(without_the_module_it_says_so),
		cmocka_unit_test(words_that_e_refuses_are_left_out),
		cmocka_unit_test_setup(many_symbols_are_quick, whole_machine),
	};

	return cmocka_run_group_tests_name("list", tests, setup, leave_scratch);
}
