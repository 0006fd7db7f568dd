// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_doctor.c - kflame doctor as a whole: on a machine where all is well, on a damaged one, and on this one
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/chroot_open.h"
#include "cmd/commands.h"
#include "doctor_machine.h"
#include "hush.h"

static void all_is_well(void **state)
{
	static const char *const topics[] = { "machine", "kernel", "configuration", "modules",
		"kflame.ko", "headers", "compiler", "Secure Boot", "lockdown", "signature",
		"permission", "timers", "clock", "kernel stacks", "kernel names", "events", "user stacks",
		"memory" };
	unsigned int lines = 0;
	(void)state;

	assert_int_equal(run_doctor(), 0);
	for (const char *at = printed; strncmp(at, "\n", 1); at = strchr(at, '\n') + 1) {
		assert_int_equal(strncmp(at, "works  ", 7), 0);
		assert_int_equal(strncmp(at + 7, topics[lines], strlen(topics[lines])), 0);
		lines++;
	}
	assert_int_equal(lines, NR(topics));
	assert_null(strstr(printed, "fix:"));
	assert_null(strchr(printed, '\033'));
	assert_non_null(strstr(printed, "Nothing that was found keeps kflame from recording"));
}

/* Whatever is where a file should be: nothing hangs, nothing crashes */
static void odd_files(void **state)
{
	static const char *const paths[] = {
		CONFIG, "/proc/modules", "/proc/self/status", "/proc/self/uid_map",
		"/proc/timer_list", "/proc/meminfo", "/proc/sys/kernel/kptr_restrict", LOADED, ENFORCE, LOCK, EFIVAR,
		CLOCK "current_clocksource", "/sys/devices/system/cpu/possible", "/sys/devices/system/cpu/online",
		"/etc/os-release", "/lib64/libc.so.6", DEP, KO, "/proc/sys/kernel/osrelease",
	};
	static char garbage[40000];
	(void)state;

	/* An endless one is none, wherever a link leads */
	assert_int_equal(root_open_file("", "/dev/zero"), -EINVAL);
	unload();
	put(LOADED, version);
	for (size_t i = 0; i < sizeof(garbage); i++)
		garbage[i] = (char)(i * 2654435761u >> 13);
	for (size_t i = 0; i < NR(paths); i++) {
		put_bytes(paths[i], garbage, sizeof(garbage));
		assert_in_range(run_doctor(), 0, 1);
		assert_null(strchr(printed, '\033'));
		put(paths[i], "");
		assert_in_range(run_doctor(), 0, 1);
		take_away(paths[i]);
		assert_int_equal(mkfifo(whole(paths[i]), 0644), 0);
		assert_in_range(run_doctor(), 0, 1);
		take_away(paths[i]);
		assert_int_equal(mkdir(whole(paths[i]), 0755), 0);
		assert_in_range(run_doctor(), 0, 1);
		take_away(paths[i]);
		link_to(paths[i], paths[i]);
		assert_in_range(run_doctor(), 0, 1);
	}
	/* Nothing is left: nothing is known, and nothing is claimed to work */
	assert_int_equal(run_doctor(), 0);
}

/* This machine: whatever it says, it says it, and a wrong command line is one */
static void this_machine(void **state)
{
	char *bad[] = { (char *)"kflame doctor", (char *)"--root", (char *)"/no/such/place", NULL };
	struct doctor d;
	int saved, status;
	(void)state;

	assert_int_equal(doctor_look(&d, "/"), 0);
	assert_true(d.device.asked);
	assert_true(d.resolution_ns > 0);
	assert_true(topic_of(&d, "machine").text[0]);
	doctor_exit(&d);
	saved = hush();
	status = cmd_doctor(3, bad);
	unhush(saved);
	assert_int_equal(status, 2);
}

typedef void (*check_t)(const struct doctor *d, struct finding *f);

/* @text: NULL for any; part of the text or of the fix */
static void expect(check_t check, const struct doctor *d, enum verdict verdict, const char *text)
{
	struct finding f = { 0 };

	check(d, &f);
	if (f.verdict != verdict || (text && !strstr(f.text, text) && !strstr(f.fix, text)))
		fail_msg("verdict %d (wanted %d)\n%s\n%s\nwanted: %s", f.verdict, verdict, f.text, f.fix, text);
}

/* What the module answered, set by hand: there is none under a test */
static void answers(void **state)
{
	struct doctor d;
	(void)state;

	assert_int_equal(doctor_look(&d, root), 0);
	assert_false(d.device.asked);
	d.device = (struct doctor_device){ .asked = true, .opened = true,
		.info = { .abi = KFLAME_ABI, .memory_cap = 10 << 20, .memory_used = 9 << 20,
			  .features = KFLAME_FEAT_KSTACK_SAVE },
		.memory = 3 << 19 };
	expect(check_module, &d, VERDICT_LIMIT, "older than this tool");
	expect(check_module, &d, VERDICT_LIMIT, "lacks: names of files that were deleted or replaced, unwind tables");
	d.device.info.features |= 2 * KFLAME_FEAT_PERL - 1;
	expect(check_module, &d, VERDICT_WORKS, NULL);
	d.device.info.features |= 1ull << 63;
	expect(check_module, &d, VERDICT_LIMIT, "does not know 1 of its features");
	d.device.info.features = KFLAME_FEAT_KSTACK_SAVE;
	expect(check_permission, &d, VERDICT_WORKS, "/dev/kflame opens");
	expect(check_kernel_stacks, &d, VERDICT_WORKS, "stack_trace_save");
	expect(check_memory, &d, VERDICT_FAILS, "takes 1.5 MiB, more than is left of the 10.0 MiB");
	d.device.info.memory_used = 0;
	expect(check_memory, &d, VERDICT_WORKS, NULL);
	d.device.info.features = KFLAME_FEAT_EVENTS;
	d.device.info.events = 1u << KFLAME_EVENT_OFFCPU | 1u << KFLAME_EVENT_KPROBE | 1u << KFLAME_EVENT_KRETPROBE;
	expect(check_events, &d, VERDICT_LIMIT, "not here: uprobe: (CONFIG_UPROBES is set, but its symbols are not exported)");
	d.device.info.events |= 1u << KFLAME_EVENT_UPROBE;
	expect(check_events, &d, VERDICT_WORKS, NULL);
	d.device.info.features = 0;
	expect(check_kernel_stacks, &d, VERDICT_FAILS, NULL);

	d.device.info.abi = KFLAME_ABI + 1;
	expect(check_module, &d, VERDICT_FAILS, "interface 2 is loaded");
	d.device = (struct doctor_device){ .asked = true, .opened = true, .error = -ENOTTY };
	expect(check_module, &d, VERDICT_FAILS, "does not answer");
	d.device = (struct doctor_device){ .asked = true, .error = -ENOENT };
	put("/sys/class/misc/kflame/dev", "10:123\n");
	expect(check_module, &d, VERDICT_FAILS, "mknod -m 600 /dev/kflame c 10 123");
	d.device.error = -EACCES;
	expect(check_module, &d, VERDICT_WORKS, NULL);
	expect(check_permission, &d, VERDICT_FAILS, NULL);
	doctor_exit(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(all_is_well),
		machine_test(odd_files),
		machine_test(this_machine),
		machine_test(answers),
	};

	return cmocka_run_group_tests_name("doctor", tests, machine_setup, machine_teardown);
}
