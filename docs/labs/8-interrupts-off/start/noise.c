// SPDX-License-Identifier: GPL-2.0-only
/*
 * noise.c - a driver that makes a machine stutter
 *
 * A thread and two timers work now and then. One function keeps interrupts off for too long, another one
 * takes its time in a softirq. The parameter @seed decides which. Do not read this file before you have
 * recorded it.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/timer.h>

static unsigned int seed = 1;
module_param(seed, uint, 0444);

static struct task_struct *thread;
static struct timer_list aging, beacon;

static __always_inline void spin(u64 us)
{
	u64 end = ktime_get_ns() + us * NSEC_PER_USEC;

	while (ktime_get_ns() < end)
		cpu_relax();
}

/* The same for all three, so that only the seed decides. Inlined: interrupts come back in the caller. */
static __always_inline void work(bool is_silent)
{
	unsigned long flags;

	if (!is_silent) {
		spin(2500);
		return;
	}
	local_irq_save(flags);
	spin(6000);
	local_irq_restore(flags);
}

static noinline void flush_ring(void)
{
	work(seed % 3 == 0);
}

static noinline void poll_card(void)
{
	work(seed % 3 == 1);
}

static noinline void read_sensor(void)
{
	work(seed % 3 == 2);
}

static int noise(void *unused)
{
	while (!kthread_should_stop()) {
		flush_ring();
		msleep(10);
		poll_card();
		msleep(10);
		read_sensor();
		msleep(10);
	}
	return 0;
}

/* Timers of this kind expire in a softirq */
static noinline void age_entries(struct timer_list *timer)
{
	spin(seed & 1 ? 3000 : 300);
	mod_timer(timer, jiffies + 5);
}

static noinline void send_beacon(struct timer_list *timer)
{
	spin(seed & 1 ? 300 : 3000);
	mod_timer(timer, jiffies + 5);
}

static int __init noise_init(void)
{
	thread = kthread_run(noise, NULL, "noise");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	timer_setup(&aging, age_entries, 0);
	timer_setup(&beacon, send_beacon, 0);
	mod_timer(&aging, jiffies + 1);
	mod_timer(&beacon, jiffies + 3);
	return 0;
}

static void __exit noise_exit(void)
{
	del_timer_sync(&aging);
	del_timer_sync(&beacon);
	kthread_stop(thread);
}

module_init(noise_init);
module_exit(noise_exit);
MODULE_DESCRIPTION("A driver that makes a machine stutter");
MODULE_LICENSE("GPL");
