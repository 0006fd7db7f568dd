// SPDX-License-Identifier: GPL-2.0-only
/*
 * timer.c - one timer a CPU (tasks 1 and 5)
 */
#include <asm/irq_regs.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "lab.h"

/*
 * Each CPU's timer expires here.
 *
 * Context: Hard interrupt, on the CPU of @timer.
 *
 * Task 1: forward the timer by PERIOD_NS. hrtimer_forward_now() returns how many periods passed: one of them
 * is this sample, the others were missed. Restart the timer.
 *
 * Given is what happens with a sample. get_irq_regs() has the registers of the interrupted code.
 */
static enum hrtimer_restart expired(struct hrtimer *timer)
{
	struct cpu_state *cpu = container_of(timer, struct cpu_state, timer);
	struct stack stack;

	lab_note_sample(cpu);
	cpu->samples++;
	walk(get_irq_regs(), &stack);
	count_stack(cpu, &stack);
	return HRTIMER_NORESTART;
}

/*
 * Task 1: set up and start this CPU's timer. It must be pinned to this CPU, and expire in a hard interrupt,
 * on a kernel with PREEMPT_RT, too.
 *
 * Context: Interrupts off, on the CPU that is to be sampled.
 */
static void start_here(void *unused)
{
	struct cpu_state *cpu = this_cpu_ptr(&cpus);

	lab_note_start(cpu);
	cpu->timer.function = expired;
}

void sampler_start(void)
{
	on_each_cpu(start_here, NULL, 1);
}

/*
 * Task 5: when this returns, no timer may run, nor ever expire again. The caller frees what expired() uses,
 * and expired() itself.
 *
 * Context: Process; may sleep.
 */
void sampler_stop(void)
{
}
