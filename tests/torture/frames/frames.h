/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frames.h - a module that runs, in functions with frames of WORDS words
 *
 * Writing a number of milliseconds to its parameter "run" has the writer run so long in descend(),
 * which called itself DEPTH times before. Two modules that differ in WORDS only have the same code
 * but for that number, and loaded one after the other, at the same addresses. In each frame is
 * nothing but the address to which descend() returns when it was called by itself. The second module's
 * frames are twice as large: a walk that uses the first module's frame size finds each caller twice.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

#define DEPTH	6

/* Of who ran last; of all the same. */
static unsigned long again;

/* What the compiler cannot leave out or turn into a loop: all of it is used after the call. */
static noinline __noclone unsigned long descend(unsigned int depth, unsigned long until)
{
	volatile unsigned long words[WORDS];
	unsigned long sum = 0, i;

	if (depth < DEPTH)
		again = (unsigned long)__builtin_return_address(0);
	for (i = 0; i < WORDS; i++)
		words[i] = again;
	if (depth)
		sum = descend(depth - 1, until);
	else
		while (time_before(jiffies, until))
			for (i = 0; i < WORDS; i++)
				sum += words[i];
	for (i = 0; i < WORDS; i++)
		sum += words[i];
	return sum;
}

static unsigned long sum;

static int run_set(const char *text, const struct kernel_param *param)
{
	unsigned int ms;
	int err = kstrtouint(text, 0, &ms);

	if (err)
		return err;
	/* The first time it is found out where it returns to. */
	sum = descend(DEPTH, jiffies);
	sum += descend(DEPTH, jiffies + msecs_to_jiffies(ms));
	return 0;
}

static const struct kernel_param_ops run_ops = { .set = run_set };
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "milliseconds");

static int __init frames_init(void)
{
	return 0;
}
module_init(frames_init);

/* It cannot go without one. */
static void __exit frames_exit(void)
{
}
module_exit(frames_exit);

MODULE_DESCRIPTION("runs, in functions with frames of a known size");
MODULE_LICENSE("GPL");
