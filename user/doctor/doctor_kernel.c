// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor_kernel.c - checks the kernel: its version, clocks, stacks and names
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/chroot_open.h"
#include "doctor/doctor.h"

/* As in README and dkms.conf; vendors backport features, so it is only a hint */
#define OLDEST_MAJOR	5
#define OLDEST_MINOR	10
/* As KF_MIN_PERIOD_NS of the module: a coarser resolution is a tick */
#define FINE_NS		50000

void check_machine(const struct doctor *d, struct finding *f)
{
	if (!d->machine[0])
		find(f, VERDICT_UNKNOWN, "the architecture is unknown: neither /proc nor a libc shows it");
	else if (!strcmp(d->machine, "x86_64"))
		find(f, VERDICT_WORKS, "x86-64");
	else if (!strcmp(d->machine, "aarch64"))
		find(f, VERDICT_WORKS, "arm64");
	else
		find(f, VERDICT_FAILS, "%s: the module is for x86-64 and arm64 only", d->machine);
}

void check_kernel(const struct doctor *d, struct finding *f)
{
	unsigned int major, minor;

	if (!d->release[0]) {
		find(f, VERDICT_UNKNOWN, "which kernel it runs is not known: no /proc, and not just one kernel in /lib/modules");
		return;
	}
	if (sscanf(d->release, "%u.%u", &major, &minor) == 2 &&
	    (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR))) {
		find(f, VERDICT_LIMIT, "Linux %s: the module may not build for kernels before %d.%d",
		     d->release, OLDEST_MAJOR, OLDEST_MINOR);
		return;
	}
	find(f, VERDICT_WORKS, "Linux %s", d->release);
}

void check_config(const struct doctor *d, struct finding *f)
{
	if (!d->config && d->config_error == -ENOENT) {
		find(f, VERDICT_UNKNOWN, "neither /proc/config.gz nor /boot/config-%s is there: what depends on the configuration is unknown",
		     d->release[0] ? d->release : "*");
		return;
	}
	if (!d->config) {
		find(f, VERDICT_UNKNOWN, "the kernel's configuration cannot be read: %s",
		     d->config_error == -EINVAL ? "it holds no options" : strerror(-d->config_error));
		return;
	}
	if (doctor_config(d, "TRIM_UNUSED_KSYMS") == 'y' && d->loaded != PRESENCE_YES) {
		find(f, VERDICT_LIMIT, "CONFIG_TRIM_UNUSED_KSYMS: the kernel may lack symbols that the module wants");
		fix(f, "if insmod says 'Unknown symbol', build a kernel without it, or with those symbols in the file that CONFIG_UNUSED_KSYMS_WHITELIST names");
		return;
	}
	find(f, VERDICT_WORKS, "read from %s", d->config_path);
}

void check_realtime(const struct doctor *d, struct finding *f)
{
	char text[8];

	root_read(d->root, "/sys/kernel/realtime", text, sizeof(text));
	if (doctor_config(d, "PREEMPT_RT") == 'y' || !strcmp(text, "1"))
		find(f, VERDICT_LIMIT, "PREEMPT_RT: samples are taken in hard interrupts all the same; from 6.12 on no module can be unloaded while a FIFO-99 task keeps a CPU to itself");
}

static bool is_x86(const struct doctor *d)
{
	return !strcmp(d->machine, "x86_64");
}

void check_kernel_stacks(const struct doctor *d, struct finding *f)
{
	bool asked = d->device.asked && !d->device.error, unwind, save;

	if (!asked && !d->config) {
		find(f, VERDICT_UNKNOWN, "how kernel stacks can be walked is known once the module runs");
		return;
	}
	/* The module's own answer, or a prediction of what it finds when it is built */
	unwind = asked ? d->device.info.features & KFLAME_FEAT_KSTACK_UNWIND
		       : is_x86(d) && (doctor_config(d, "UNWINDER_ORC") == 'y' ||
				       doctor_config(d, "UNWINDER_FRAME_POINTER") == 'y');
	save = asked ? d->device.info.features & KFLAME_FEAT_KSTACK_SAVE
		     : doctor_config(d, "STACKTRACE") == 'y';
	if (unwind) {
		find(f, VERDICT_WORKS, "the kernel's unwinder walks them, from the registers");
	} else if (save) {
		find(f, VERDICT_WORKS, "stack_trace_save() walks them%s",
		     is_x86(d) ? ", at more than twice the cost of an unwinder" : "");
	} else {
		find(f, VERDICT_FAILS, "this kernel cannot walk its stacks: it has no unwinder and no CONFIG_STACKTRACE");
		fix(f, "run a kernel with CONFIG_UNWINDER_ORC or CONFIG_STACKTRACE");
	}
}

void check_kernel_names(const struct doctor *d, struct finding *f)
{
	char restricted[16];

	if (doctor_config(d, "KALLSYMS") == 'n') {
		find(f, VERDICT_LIMIT, "no CONFIG_KALLSYMS: kernel functions are shown as addresses");
		fix(f, "run a kernel with CONFIG_KALLSYMS to see their names");
		return;
	}
	if (root_read(d->root, "/proc/sys/kernel/kptr_restrict", restricted, sizeof(restricted)) <= 0) {
		find(f, VERDICT_UNKNOWN, "kptr_restrict cannot be read; the module names functions whatever it is");
		return;
	}
	/* If kallsyms hides addresses, record asks the module for them: KFLAME_IOC_KSYM */
	if (restricted[0] == '0')
		find(f, VERDICT_WORKS, "from /proc/kallsyms (kptr_restrict is 0) and from the module");
	else
		find(f, VERDICT_WORKS, "from the module: kptr_restrict %s may hide /proc/kallsyms, nothing is lost by it",
		     restricted);
}

/* Report a tick as "4 ms" or "3.333 ms" */
static void find_tick(struct finding *f, uint64_t ns)
{
	find(f, VERDICT_LIMIT, "a tick of %.4g ms: at most %.0f samples a second, in step with the tick",
	     (double)ns / 1e6, 1e9 / (double)ns);
}

void check_timers(const struct doctor *d, struct finding *f)
{
	char built = doctor_config(d, "HIGH_RES_TIMERS");

	if (d->resolution_ns && d->resolution_ns < FINE_NS) {
		find(f, VERDICT_WORKS, "high resolution is active: up to 20000 samples a second");
		return;
	}
	if (d->resolution_ns)
		find_tick(f, d->resolution_ns);
	else if (built == 'n')
		find(f, VERDICT_LIMIT, "no high resolution: samples come in step with the tick, and no faster");
	else
		find(f, VERDICT_UNKNOWN, "%swhether high resolution is active is known once it runs",
		     built ? "CONFIG_HIGH_RES_TIMERS is there; " : "");
	if (built == 'n')
		fix(f, "run a kernel with CONFIG_HIGH_RES_TIMERS");
	else if (d->resolution_ns)
		fix(f, "boot without highres=off, and with a clock that allows it (see clock)");
}

enum clock_kind { CLOCK_GOOD, CLOCK_DEAR, CLOCK_COARSE, CLOCK_OTHER };

static enum clock_kind kind_of_clock(const char *name)
{
	static const struct {
		const char *name;
		enum clock_kind kind;
	} clocks[] = {
		{ "tsc", CLOCK_GOOD }, { "tsc-early", CLOCK_GOOD }, { "kvm-clock", CLOCK_GOOD },
		{ "xen", CLOCK_GOOD }, { "hyperv_clocksource_tsc_page", CLOCK_GOOD },
		{ "arch_sys_counter", CLOCK_GOOD },
		{ "hpet", CLOCK_DEAR }, { "acpi_pm", CLOCK_DEAR }, { "pit", CLOCK_DEAR },
		{ "hyperv_clocksource_msr", CLOCK_DEAR },
		{ "jiffies", CLOCK_COARSE }, { "refined-jiffies", CLOCK_COARSE },
	};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcmp(name, clocks[i].name))
			return clocks[i].kind;
	return CLOCK_OTHER;
}

#define CLOCK_DIR	"/sys/devices/system/clocksource/clocksource0/"

/* Suggest a good clock, if one is available */
static void fix_clock(const struct doctor *d, struct finding *f)
{
	char text[256], *save;

	root_read(d->root, CLOCK_DIR "available_clocksource", text, sizeof(text));
	for (char *name = strtok_r(text, " \n", &save); name; name = strtok_r(NULL, " \n", &save))
		if (kind_of_clock(name) == CLOCK_GOOD) {
			fix(f, "echo %s | sudo tee " CLOCK_DIR "current_clocksource", name);
			return;
		}
	fix(f, "see why with: dmesg | grep -i clocksource; a newer firmware or another hypervisor setting may help");
}

void check_clocksource(const struct doctor *d, struct finding *f)
{
	char name[64];

	if (root_read(d->root, CLOCK_DIR "current_clocksource", name, sizeof(name)) <= 0) {
		find(f, VERDICT_UNKNOWN, "the clock source is not known: " CLOCK_DIR " cannot be read");
		return;
	}
	switch (kind_of_clock(name)) {
	case CLOCK_GOOD:
		find(f, VERDICT_WORKS, "%s: exact, and cheap to read", name);
		return;
	case CLOCK_DEAR:
		find(f, VERDICT_LIMIT, "%s: exact, but each reading takes a microsecond or more, and samples read it", name);
		break;
	case CLOCK_COARSE:
		find(f, VERDICT_LIMIT, "%s: times are in whole ticks, and timers have no high resolution", name);
		break;
	default:
		find(f, VERDICT_UNKNOWN, "%s: a clock source that kflame has not met", name);
		return;
	}
	fix_clock(d, f);
}
