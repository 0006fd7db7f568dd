// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_doctor_kernel.c - what the kernel, its configuration and the machine allow: names, stacks, clocks, memory
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "doctor_machine.h"

#define POSSIBLE	"/sys/devices/system/cpu/possible"
#define ONLINE		"/sys/devices/system/cpu/online"
#define CAP		"/sys/module/kflame/parameters/memory_cap"
#define FREE(total, available) \
	"/proc/meminfo", "MemTotal: " total " kB\nMemAvailable: " available " kB\n"

static void names_and_stacks(void **state)
{
	(void)state;
	STEPS({ "/proc/sys/kernel/kptr_restrict", "2\n", "kernel names", WORKS, "kptr_restrict 2", NULL },
	      { "/proc/sys/kernel/kptr_restrict", NULL, "kernel names", UNKNOWN, "whatever it is", NULL },
	      { CONFIG, "CONFIG_STACKTRACE=y\n", "kernel names", LIMIT, "as addresses", "CONFIG_KALLSYMS" },
	      EXPECT("kernel stacks", WORKS, "stack_trace_save", NULL),
	      { CONFIG, "CONFIG_UNWINDER_FRAME_POINTER=y\n", "kernel stacks", WORKS, "unwinder", NULL },
	      { ARCH, "aarch64\n", "kernel stacks", FAILS, "cannot walk", "CONFIG_STACKTRACE" },
	      EXPECT("machine", WORKS, "arm64", NULL),
	      { ARCH, "riscv64\n", "machine", FAILS, "riscv64", NULL },
	      { CONFIG, "#CONFIG_UNWINDER_ORC=y\nX CONFIG_STACKTRACE=y\nCONFIG_STACKTRACE_X=y", "kernel stacks",
		FAILS, "cannot walk", "" });
}

static void events(void **state)
{
	(void)state;
	STEPS({ CONFIG, "CONFIG_TRACEPOINTS=y\nCONFIG_KPROBES=y\nCONFIG_KRETPROBES=y\nCONFIG_UPROBES=y\n", "events", WORKS,
		"off-CPU time, tracepoints, and probes", NULL },
	      { CONFIG, "CONFIG_TRACEPOINTS=y\nCONFIG_KPROBES=y\nCONFIG_KRETPROBES=y\n", "events", LIMIT,
		"not here: uprobe: (CONFIG_UPROBES)", "these options" },
	      { CONFIG, "CONFIG_MODULES=y\n", "events", LIMIT,
		"tracepoint: (CONFIG_TRACEPOINTS); kprobe: (CONFIG_KPROBES); kretprobe:, --file-io, --net (CONFIG_KRETPROBES); ",
		"these options" },
	      { CONFIG, NULL, "events", UNKNOWN, "once the module runs", NULL });
}

static void clocks(void **state)
{
	(void)state;
	STEPS({ CLOCK "current_clocksource", "jiffies\n", "clock", LIMIT, "whole ticks", "echo tsc | sudo tee" },
	      CHANGE(CLOCK "current_clocksource", "hpet\n"),
	      { CLOCK "available_clocksource", "hpet acpi_pm\n", "clock", LIMIT, "microsecond", "dmesg" },
	      { CLOCK "current_clocksource", "kvm-clock\n", "clock", WORKS, "kvm-clock", NULL },
	      { CLOCK "current_clocksource", "sundial\n", "clock", UNKNOWN, "sundial", NULL },
	      { CLOCK, NULL, "clock", UNKNOWN, "not known", NULL },
	      { "/proc/timer_list", "  .resolution: 4000000 nsecs\n", "timers", LIMIT,
		"4 ms: at most 250 samples", "highres=off" },
	      { CONFIG, "CONFIG_MODULES=y\n", "timers", LIMIT, "4 ms: at most 250 samples", "CONFIG_HIGH_RES_TIMERS" },
	      { "/proc/timer_list", "", "timers", LIMIT, "no high resolution", "CONFIG_HIGH_RES_TIMERS" },
	      { OPTIONS, "", "timers", UNKNOWN, "CONFIG_HIGH_RES_TIMERS is there", NULL },
	      NOTHING_OF("real time"),
	      { "/sys/kernel/realtime", "1\n", "real time", LIMIT, "PREEMPT_RT", NULL },
	      CHANGE("/sys/kernel/realtime", NULL),
	      { OPTIONS, "CONFIG_PREEMPT_RT=y", "real time", LIMIT, "PREEMPT_RT", NULL });
}

#define OSRELEASE(text)	"/proc/sys/kernel/osrelease", text "\n", "kernel"

static void kernels(void **state)
{
	(void)state;
	STEPS({ OSRELEASE("4.18.0-553.el8.x86_64"), LIMIT, "before 5.10", NULL },
	      { OSRELEASE("5.10.0"), WORKS, "Linux 5.10.0", NULL },
	      /* It would be a path, and a command: not that */
	      { OSRELEASE("6.1; reboot"), UNKNOWN, "not known", NULL },
	      { OSRELEASE("../../etc"), UNKNOWN, "not known", NULL },
	      /* A file system that does not run */
	      { "/proc", NULL, "kernel", WORKS, "Linux " RELEASE, NULL },
	      EXPECT("machine", WORKS, "x86-64", NULL),
	      { "/lib/modules/6.2.0/x", "", "kernel", UNKNOWN, "not known", NULL });
}

static void configurations(void **state)
{
	char *big = calloc(1, 9u << 20);
	(void)state;

	STEPS({ CONFIG, NULL, "configuration", UNKNOWN, "/boot/config-" RELEASE, NULL },
	      { HEADERS "/.config", "CONFIG_MODULES=y\n", "configuration", WORKS, LIB "/build/.config", NULL },
	      { "/boot/config-" RELEASE, "CONFIG_TRIM_UNUSED_KSYMS=y\n", "configuration", WORKS,
		"/boot/config-" RELEASE, NULL },
	      { UNLOADED, NULL, "configuration", LIMIT, "CONFIG_TRIM_UNUSED_KSYMS", "Unknown symbol" },
	      CHANGE("/boot", NULL),
	      CHANGE(HEADERS "/.config", NULL),
	      { CONFIG, "nothing of the kind", "configuration", UNKNOWN, "holds no options", NULL });
	put_bytes(CONFIG, "\x1f\x8b\x08\0garbage", 11);
	STEPS(EXPECT("configuration", UNKNOWN, "Input/output error", NULL),
	      CHANGE(OPTIONS, ""));
	assert_int_equal(truncate(whole(CONFIG), 60), 0);
	STEPS(EXPECT("configuration", UNKNOWN, "Input/output error", NULL));
	assert_non_null(big);
	memset(big, 'C', 9u << 20);
	put_bytes(CONFIG, big, 9u << 20);
	free(big);
	STEPS(EXPECT("configuration", UNKNOWN, "File too large", NULL));
}

/* Cached steps take 0.4 MiB where the unwinder is ORC: without a kernel configuration doctor shows that */
static void memory_of_steps(void **state)
{
	(void)state;
	STEPS(EXPECT("memory", WORKS, "takes about 29.2 MiB", NULL),
	      { OPTIONS, "CONFIG_UNWINDER_ORC=n", "memory", WORKS, "takes about 28.8 MiB", NULL },
	      { CONFIG, NULL, "memory", WORKS, "takes about 29.2 MiB", NULL },
	      { SYMBOLS, "0000000000000000 T _stext\n0000000000000000 T xunwind_module_init\n"
		"0000000000000000 T unwind_module_init2\n", "memory", WORKS, "takes about 28.8 MiB", NULL },
	      { SYMBOLS, "0000000000000000 T _stext\n0000000000000000 T unwind_module_init\n", "memory", WORKS,
		"takes about 29.2 MiB", NULL },
	      { ARCH, "aarch64\n", "memory", WORKS, "takes about 29.0 MiB", NULL });
}

static void memory(void **state)
{
	(void)state;
	STEPS(EXPECT("memory", WORKS, "4 possible CPUs; kflame may take 976.6 MiB", NULL),
	      { CAP, "2\n", "memory", FAILS, "of the 2.0 MiB", "memory_cap=" },
	      EXITS(1),
	      CHANGE(CAP, "0\n"),
	      { FREE("8000000", "10000"), "memory", FAILS, "9.8 MiB that are free", "--entries" },
	      { FREE("8000000", "3000"), "memory", FAILS, "2.9 MiB that are free", "--entries" },
	      /* Smaller tables, where there is little memory: a quarter of the cap is enough */
	      { FREE("400000", "4000000"), "memory", WORKS, "takes about 10.8 MiB", NULL },
	      /* More CPUs take more: what is possible alone takes little, what is online a table */
	      { POSSIBLE, "0-255\n", "memory", WORKS, "256 possible CPUs", NULL },
	      { ONLINE, "0-127,129,131-255\n", "memory", FAILS, "a recording takes about ", "memory_cap=" },
	      { POSSIBLE, "0-4294967295\n", "memory", UNKNOWN, "not known", NULL },
	      { POSSIBLE, "3-1\n", "memory", UNKNOWN, "not known", NULL });
}

/* On any number of CPUs a recording by default fits into what kflame may take */
static void memory_of_many(void **state)
{
	(void)state;
	STEPS(CHANGE(CAP, "0\n"), { .path = "/proc/meminfo",
		.content = "MemTotal: 1000000000 kB\nMemAvailable: 900000000 kB\n" });
	for (unsigned int cpus = 1; cpus <= 4096; cpus *= 2) {
		char list[32];

		snprintf(list, sizeof(list), "0-%u\n", cpus - 1);
		STEPS(CHANGE(POSSIBLE, list),
		      { ONLINE, list, "memory", WORKS, "takes about", NULL });
	}
}

static void frame_pointers(void **state)
{
	static const struct {
		uint16_t machine;
		bool keeps;
		size_t nr;
		uint8_t code[12];
	} starts[] = {
		{ EM_X86_64, true, 4, { 0x55, 0x48, 0x89, 0xe5 } },
		/* behind endbr64; with an instruction between */
		{ EM_X86_64, true, 8, { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5 } },
		{ EM_X86_64, true, 6, { 0x55, 0x31, 0xc0, 0x48, 0x89, 0xe5 } },
		/* another register is saved; nothing but a push; the first one cut off */
		{ EM_X86_64, false, 11, { 0xf3, 0x0f, 0x1e, 0xfa, 0x53, 0x48, 0x89, 0xfb, 0x48, 0x89, 0xe5 } },
		{ EM_X86_64, false, 6, { 0x55, 0x53, 0x48, 0x83, 0xec, 0x08 } },
		{ EM_X86_64, false, 3, { 0x55, 0x48, 0x89, 0xe5 } },
		{ EM_AARCH64, true, 8, { 0xfd, 0x7b, 0xbe, 0xa9, 0xfd, 0x03, 0x00, 0x91 } },
		{ EM_AARCH64, true, 12, { 0xff, 0x83, 0x01, 0xd1, 0xfd, 0x7b, 0x01, 0xa9, 0xfd, 0x43, 0x00, 0x91 } },
		/* stored only; cut off; of the other machine */
		{ EM_AARCH64, false, 8, { 0xfd, 0x7b, 0xbe, 0xa9, 0xf3, 0x03, 0x00, 0x2a } },
		{ EM_AARCH64, false, 7, { 0xfd, 0x7b, 0xbe, 0xa9, 0xfd, 0x03, 0x00, 0x91 } },
		{ EM_X86_64, false, 8, { 0xfd, 0x7b, 0xbe, 0xa9, 0xfd, 0x03, 0x00, 0x91 } },
	};
	(void)state;

	for (size_t i = 0; i < NR(starts); i++) {
		/* Of just that size: a read past its end is found */
		uint8_t *code = malloc(starts[i].nr);

		assert_non_null(code);
		memcpy(code, starts[i].code, starts[i].nr);
		if (keeps_frame(starts[i].machine, code, starts[i].nr) != starts[i].keeps)
			fail_msg("start %zu", i);
		free(code);
	}
	STEPS(EXPECT("user stacks", WORKS, "keeps frame pointers", NULL));
	copy(frameless, "/lib64/libc.so.6");
	STEPS(EXPECT("user stacks", LIMIT, "does without", "-fno-omit-frame-pointer"),
	      EXITS(0),
	      { "/lib64", NULL, "user stacks", UNKNOWN, "no C library", NULL });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(names_and_stacks),
		machine_test(events),
		machine_test(clocks),
		machine_test(kernels),
		machine_test(configurations),
		machine_test(memory),
		machine_test(memory_of_many),
		machine_test(memory_of_steps),
		machine_test(frame_pointers),
	};

	return cmocka_run_group_tests_name("doctor_kernel", tests, machine_setup, machine_teardown);
}
