/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lab.h - what the parts of the sampler share. Given: do not change it. The grade uses its own copy.
 */
#ifndef LAB_H
#define LAB_H

#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define PERIOD_NS	1003009		/* 997 Hz: no multiple of the tick's rate */
#define MAX_FRAMES	32
#define MAX_STACK	(8UL << 20)	/* bytes: the usual limit of a stack, see `ulimit -s` */
#define TABLE_SIZE	1024		/* slots of the table: a power of two */

/**
 * struct stack - who was interrupted where
 * @tgid: the process
 * @nr: how many addresses there are; 0 for a thread without user memory
 * @ip: addresses of user code: the interrupted instruction, then a return address of each caller
 */
struct stack {
	u32 tgid;
	u32 nr;
	u64 ip[MAX_FRAMES];
};

/**
 * struct slot - a stack and how often it was met
 * @count: 0: the slot is free
 * @stack: valid if @count is not 0
 */
struct slot {
	u64 count;
	struct stack stack;
};

/**
 * struct cpu_state - what one CPU counts. Its own timer alone writes here, with interrupts off: no lock is
 * needed.
 * @timer: expires each PERIOD_NS
 * @samples: expiries that were sampled
 * @missed: periods that passed without a sample, since the timer was late
 * @lost: samples that the table had no room for
 * @table: TABLE_SIZE slots
 * @started: see lab_note_start()
 * @periods: for the grade: @samples and @missed when sampling was stopped
 */
struct cpu_state {
	struct hrtimer timer;
	u64 samples;
	u64 missed;
	u64 lost;
	struct slot *table;
	u64 started;
	u64 periods;
};

DECLARE_PER_CPU(struct cpu_state, cpus);

/* timer.c */
void sampler_start(void);
void sampler_stop(void);

/* walk.c */
void walk(struct pt_regs *regs, struct stack *stack);

/* table.c */
void count_stack(struct cpu_state *cpu, const struct stack *stack);

/*
 * lab.c: given
 */

/**
 * lab_note_start() - note when sampling on this CPU began, for the grade
 * @cpu: this CPU's
 */
void lab_note_start(struct cpu_state *cpu);

/**
 * lab_note_sample() - note in which context a sample is taken, for the grade
 * @cpu: this CPU's
 */
void lab_note_sample(struct cpu_state *cpu);

/**
 * lab_read_user() - read eight bytes of the interrupted process
 * @address: anything; the process chose it
 * @value: set if it can be read
 *
 * Context: Any, with page faults disabled. A page that is not there is then an error. Otherwise the kernel
 * would
 *	try to fetch the page, and to sleep, in an interrupt.
 * Return: 0, or -EFAULT.
 */
int lab_read_user(u64 address, u64 *value);

#endif
