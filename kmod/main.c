// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - loading and unloading kflame
 *
 * What is made first is taken down last. Open files hold the module, so at unload there are none, and the
 * sessions of the built-in session and of the recorder are the only ones there can be.
 */
#include <linux/module.h>
#include <linux/string.h>

#include "base/clock.h"
#include "base/learn.h"
#include "base/memory.h"
#include "base/work.h"
#include "device/builtin.h"
#include "device/device.h"
#include "kstack/kernel_cache.h"
#include "recorder/recorder.h"
#include "session/session.h"
#include "source/timer.h"
#include "ustack/return_probes.h"

#define AUTOSTART_HZ	997U

static unsigned long memory_cap;
module_param(memory_cap, ulong, 0444);
MODULE_PARM_DESC(memory_cap, "MiB that all sessions together may take (0: 1/8 of the memory, at most 1024, or 4 a CPU)");

static bool autostart;
module_param(autostart, bool, 0444);
MODULE_PARM_DESC(autostart, "start sampling at load; read with: cat /dev/kflame > p.kfl");

static uint freq;
module_param(freq, uint, 0444);
MODULE_PARM_DESC(freq, "autostart, recorder: samples a second on each CPU, 1 to 20000 (0: 997; with recorder 99)");

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

static char *recorder;
module_param(recorder, charp, 0444);
MODULE_PARM_DESC(recorder, "keep the last seconds, as 60s, until a trigger freezes them; then read with: cat /dev/kflame > p.kfl");

static int set_trigger(const char *value, const struct kernel_param *unused)
{
	if (sysfs_streq(value, "freeze"))
		return kf_recorder_freeze();
	if (sysfs_streq(value, "start"))
		return kf_recorder_resume();
	return -EINVAL;
}

static const struct kernel_param_ops trigger_ops = { .set = set_trigger };
module_param_cb(recorder_trigger, &trigger_ops, NULL, 0200);
MODULE_PARM_DESC(recorder_trigger, "write freeze or start to /sys/module/kflame/parameters/recorder_trigger");

static int __init start_sampling(void)
{
	int err = 0;

	/* It logs why it cannot */
	if (autostart)
		err = kf_builtin_start(freq ?: AUTOSTART_HZ, entries, text);
	if (!err && recorder) {
		err = kf_recorder_start_at_load(recorder, freq);
		if (err)
			pr_err("kflame: cannot start recorder=%s (error %d)\n", recorder, err);
	}
	return err;
}

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
	err = start_sampling();
	if (err)
		goto stop_builtin;
	err = kf_device_init();
	if (err)
		goto stop_builtin;
	return 0;

stop_builtin:
	kf_recorder_exit();
	kf_builtin_stop();
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
	kf_recorder_exit();
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
