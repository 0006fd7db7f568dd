// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_device.c - what the module is asked for, and what is said when it refuses an event or does not open
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>

#include "device/device.h"
#include "parse_record.h"
#include "record/recorder.h"
#include "run_command.h"

/* What the module answers: an errno with which it refuses the first event; 0: it agrees */
static int answer;

/* Instead of the system call */
int ioctl(int fd, unsigned long request, ...)
{
	struct kflame_config *config;
	va_list args;

	(void)fd;
	assert_int_equal(request, KFLAME_IOC_CONFIGURE);
	va_start(args, request);
	config = va_arg(args, struct kflame_config *);
	va_end(args);
	if (!answer)
		return 0;
	config->reserved = 1;
	errno = answer;
	return -1;
}

/* Does the kernel know CAP_PERFMON? */
static bool perfmon;

/* Instead of the system call */
int prctl(int option, ...)
{
	(void)option;
	errno = EINVAL;
	return perfmon ? 1 : -1;
}

static uint32_t kind;
static const char *name;

static int configure(int argc, char **argv)
{
	struct kflame_event e = { .size = sizeof(e), .kind = kind, .name = (uintptr_t)name, .name_len = (uint32_t)strlen(name) };
	struct kflame_config c = { .nr_events = 1, .events = (uintptr_t)&e };
	struct kflame_info info = { .size = sizeof(info), .features = KFLAME_FEAT_HOLD_FILES };

	(void)argc;
	(void)argv;
	return device_configure(-1, &info, &c);
}

static void refused_events(void **state)
{
	static const struct {
		uint32_t kind;
		int error;
		const char *name, *said;
	} table[] = {
		{ KFLAME_EVENT_UPROBE, EPERM, "sh:f", "uprobe:sh:f: probing programs changes what they run, and needs CAP_SYS_ADMIN" },
		{ KFLAME_EVENT_URETPROBE, EPERM, "sh:f", "uretprobe:sh:f: probing programs changes what they run, and needs CAP_SYS_ADMIN" },
		{ KFLAME_EVENT_URETPROBE, EILSEQ, "sh:f", "uretprobe:sh:f: no instruction begins there" },
		{ KFLAME_EVENT_URETPROBE, EIO, "sh:f", "uretprobe:sh:f: the kernel cannot probe files of this file system" },
		{ KFLAME_EVENT_URETPROBE, ERANGE, "sh:f", "uretprobe:sh:f cannot be probed: Numerical result" },
		{ KFLAME_EVENT_SYSCALL, EINVAL, "read", "syscall:read cannot be recorded: Invalid argument" },
		{ KFLAME_EVENT_SYSCALL, ENOENT, "read", "syscall:read cannot be recorded: No such file" },
		{ KFLAME_EVENT_SYSCALL, EPERM, "*", "syscall:* cannot be recorded: Operation not permitted" },
		{ KFLAME_EVENT_KPROBE, ENOENT, "f", "kprobe:f: this kernel has no function f that can be probed" },
		{ KFLAME_EVENT_KRETPROBE, EINVAL, "f", "kretprobe:f: the kernel does not let f be probed" },
		{ KFLAME_EVENT_KPROBE, EILSEQ, "f+1", "kprobe:f+1: no instruction begins at that offset" },
		{ KFLAME_EVENT_TRACEPOINT, ENOENT, "a:b", "tracepoint:a:b: this kernel has no tracepoint a:b that kflame can use" },
		{ KFLAME_EVENT_TRACEPOINT, ENODATA, "a:b", "tracepoint:a:b: the module knows no such field of it" },
		{ KFLAME_EVENT_TRACEPOINT, EINVAL, "a:b", "tracepoint:a:b cannot be recorded: Invalid argument" },
		{ KFLAME_EVENT_PAIR, ENOENT, "a:b..c", "tracepoint:a:b..c: this kernel lacks one of both tracepoints" },
		{ KFLAME_EVENT_PAIR, EINVAL, "a:b..c", "tracepoint:a:b..c: this is no pair" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		answer = table[i].error;
		kind = table[i].kind;
		name = table[i].name;
		assert_int_equal(run(configure, ""), -1);
		assert_has("said", table[i].said, true);
	}
}

/* As somebody who may not open it: "kflame PATH" */
static int open_as_nobody(int argc, char **argv)
{
	struct kflame_info info;

	(void)argc;
	if (!geteuid() && setresuid(65534, 65534, 65534))
		return 1;
	return device_open(argv[1], &info) < 0 ? 2 : 0;
}

static void missing_right(void **state)
{
	(void)state;
	write_file("closed", "", 0);
	assert_int_equal(chmod("closed", 0), 0);
	for (int known = 0; known < 2; known++) {
		const char *right = known ? "CAP_PERFMON" : "CAP_SYS_ADMIN";
		char text[64];

		perfmon = known;
		assert_int_equal(chmod(".", 0755), 0);
		snprintf(text, sizeof(text), "For a user with %s, give the device to a group", right);
		assert_refused(open_as_nobody, "closed", text);
		/* No one may enter this directory */
		assert_int_equal(chmod(".", 0), 0);
		snprintf(text, sizeof(text), "closed needs root or %s: run with sudo", right);
		assert_refused(open_as_nobody, "closed", text);
		assert_int_equal(chmod(".", 0700), 0);
	}
}

/* Return: whether the mounts of this machine were read before the recording */
static bool reads_mounts(char **argv)
{
	struct record_options o;
	struct recorder r = {
		.o = &o, .device = -1,
		.info = { .events = ~0ULL, .features = KFLAME_FEAT_EVENTS | KFLAME_FEAT_LABELS | KFLAME_FEAT_OPERANDS },
	};
	struct kflame_config c;
	bool has_mounts;

	answer = 0;
	assert_int_equal(record_options_parse(&o, count(argv), argv), 0);
	assert_int_equal(recorder_configure(&r, &c), 0);
	has_mounts = r.mounts.nr;
	mount_points_exit(&r.mounts);
	record_options_exit(&o);
	return has_mounts;
}

static void mounts_are_for_labels(void **state)
{
	(void)state;
	assert_false(reads_mounts(ARGS("-a")));
	assert_false(reads_mounts(ARGS("-e", "kprobe:vfs_read,page-faults")));
	assert_false(reads_mounts(ARGS("--labels", "-e", "syscall:read")));
	assert_false(reads_mounts(ARGS("--syscalls")));
	assert_true(reads_mounts(ARGS("--file-io")));
	assert_true(reads_mounts(ARGS("--labels", "-e", "kprobe:vfs_read")));
}

static int setup(void **state)
{
	(void)state;
	enter_scratch();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_events),
		cmocka_unit_test(missing_right),
		cmocka_unit_test(mounts_are_for_labels),
	};

	return cmocka_run_group_tests_name("device", tests, setup, leave_scratch);
}
