// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - loading and unloading kflame
 *
 * What is made first is taken down last. Open files hold the module, so at unload
 * there are none, and the built-in session is the only one there can be.
 */
#include <linux/module.h>

#include "base/clock.h"
#include "base/learn.h"
#include "base/memory.h"
#include "base/work.h"
#include "device/builtin.h"
#include "device/device.h"
#include "kstack/kernel_cache.h"
#include "session/session.h"
#include "source/timer.h"
#include "ustack/return_probes.h"

static unsigned long memory_cap;
module_param(memory_cap, ulong, 0444);
MODULE_PARM_DESC(memory_cap, "MiB that all sessions together may take (0: 1/8 of the memory, at most 1024, or 4 a CPU)");

static bool autostart;
module_param(autostart, bool, 0444);
MODULE_PARM_DESC(autostart, "start sampling at load; read with: cat /dev/kflame > p.kfl");

static uint freq = 997;
module_param(freq, uint, 0444);
MODULE_PARM_DESC(freq, "autostart: samples a second on each CPU, 1 to 20000");

static uint entries;
module_param(entries, uint, 0444);
MODULE_PARM_DESC(entries, "autostart: distinct stacks a table holds (0: by freq, 2048 to 32768, fewer with little memory; at least eight times that in all)");

static bool text;
module_param(text, bool, 0444);
MODULE_PARM_DESC(text, "autostart: cat gives folded text for flamegraph.pl, not a profile");

static bool learn = true;
module_param(learn, bool, 0444);
MODULE_PARM_DESC(learn, "reuse what earlier samples found: cached steps of the kernel's unwinder, known stacks");

static bool learn_check;
module_param(learn_check, bool, 0444);
MODULE_PARM_DESC(learn_check, "walk each stack with and without that, and log how many differ at the end");

static uint budget_ceiling;
module_param(budget_ceiling, uint, 0444);
MODULE_PARM_DESC(budget_ceiling, "1/1000 of a CPU that all sessions with a budget may take together (0: as much as each may alone)");

static int __init kf_init(void)
{
	int err;

	kf_memory_init(memory_cap);
	kf_clock_init();
	kf_timer_set_ceiling(budget_ceiling);
	kf_learn_init(learn, learn_check);
	kf_returns_init();
	err = kf_work_init();
	if (err)
		goto exit_returns;
	err = kf_kstack_init();
	if (err)
		goto exit_work;
	err = kf_sessions_init();
	if (err)
		goto exit_kstack;
	if (autostart) {
		err = kf_builtin_start(freq, entries, text);
		if (err)
			goto exit_sessions;
	}
	err = kf_device_init();
	if (err)
		goto stop_builtin;
	return 0;

stop_builtin:
	kf_builtin_stop();
exit_sessions:
	kf_sessions_exit();
exit_kstack:
	kf_kstack_exit();
exit_work:
	kf_work_exit();
exit_returns:
	kf_returns_exit();
	return err;
}

static void __exit kf_exit(void)
{
	kf_device_exit();
	kf_builtin_stop();
	kf_sessions_exit();
	kf_kstack_exit();
	kf_work_exit();
	kf_returns_exit();
	WARN_ON_ONCE(kf_memory_used());
}

module_init(kf_init);
module_exit(kf_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("kflame: sampling profiler for machines without usable perf or eBPF");
