// SPDX-License-Identifier: GPL-2.0-only
/*
 * many - a module with 1,000 functions to probe, and one that calls itself
 *
 * Writing N to its parameter "each" calls each of many_f000() to many_f999() N times. Writing N to "deep" calls
 * many_deep(), which calls itself N times more.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

#define F1(n)	static noinline void many_f##n(void) { barrier(); }
#define F10(n)	F1(n##0) F1(n##1) F1(n##2) F1(n##3) F1(n##4) F1(n##5) F1(n##6) F1(n##7) F1(n##8) F1(n##9)
#define F100(n)	F10(n##0) F10(n##1) F10(n##2) F10(n##3) F10(n##4) \
		F10(n##5) F10(n##6) F10(n##7) F10(n##8) F10(n##9)

F100(0) F100(1) F100(2) F100(3) F100(4) F100(5) F100(6) F100(7) F100(8) F100(9)

#define P1(n)	many_f##n,
#define P10(n)	P1(n##0) P1(n##1) P1(n##2) P1(n##3) P1(n##4) P1(n##5) P1(n##6) P1(n##7) P1(n##8) P1(n##9)
#define P100(n)	P10(n##0) P10(n##1) P10(n##2) P10(n##3) P10(n##4) \
		P10(n##5) P10(n##6) P10(n##7) P10(n##8) P10(n##9)

static void (*const functions[])(void) = {
	P100(0) P100(1) P100(2) P100(3) P100(4) P100(5) P100(6) P100(7) P100(8) P100(9)
};

static int call_each(const char *text, const struct kernel_param *param)
{
	unsigned int times, i;
	int err = kstrtouint(text, 0, &times);

	for (; !err && times; times--) {
		for (i = 0; i < ARRAY_SIZE(functions); i++)
			functions[i]();
		cond_resched();
	}
	return err;
}

/* The barrier keeps the call from becoming a jump. */
static noinline void many_deep(unsigned int depth)
{
	if (depth)
		many_deep(depth - 1);
	barrier();
}

static int call_deep(const char *text, const struct kernel_param *param)
{
	unsigned int depth;
	int err = kstrtouint(text, 0, &depth);

	if (!err)
		many_deep(min(depth, 64U));
	return err;
}

static const struct kernel_param_ops each = { .set = call_each };
static const struct kernel_param_ops deep = { .set = call_deep };

module_param_cb(each, &each, NULL, 0200);
module_param_cb(deep, &deep, NULL, 0200);

static int __init many_init(void)
{
	return 0;
}
module_init(many_init);

static void __exit many_exit(void)
{
}
module_exit(many_exit);

MODULE_DESCRIPTION("functions to probe");
MODULE_LICENSE("GPL");
