// SPDX-License-Identifier: GPL-2.0-only
/*
 * tick - a timer at a profiler's rate that does nothing
 *
 * The floor of the benchmark: what any sampler pays before its first line.
 * Ticks on the CPU that loads it, from insmod to rmmod.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/version.h>

static unsigned int freq = 4999;
module_param(freq, uint, 0444);
MODULE_PARM_DESC(freq, "ticks a second");

static struct hrtimer timer;

static enum hrtimer_restart tick(struct hrtimer *t)
{
	hrtimer_forward_now(t, NSEC_PER_SEC / freq);
	return HRTIMER_RESTART;
}

static int __init tick_init(void)
{
	if (!freq || freq > 20000)
		return -EINVAL;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer.function = tick;
#else
	hrtimer_setup(&timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#endif
	hrtimer_start(&timer, NSEC_PER_SEC / freq, HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}
module_init(tick_init);

static void __exit tick_exit(void)
{
	hrtimer_cancel(&timer);
}
module_exit(tick_exit);

MODULE_DESCRIPTION("a timer that does nothing, for comparison");
MODULE_LICENSE("GPL");
