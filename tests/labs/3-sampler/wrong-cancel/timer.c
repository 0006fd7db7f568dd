// SPDX-License-Identifier: GPL-2.0-only
/*
 * timer.c - one timer a CPU
 */
#include <asm/irq_regs.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "lab.h"

/* Context: Hard interrupt, on the CPU of @timer */
static enum hrtimer_restart expired(struct hrtimer *timer)
{
	struct cpu_state *cpu = container_of(timer, struct cpu_state, timer);
	struct stack stack;

	cpu->missed += hrtimer_forward_now(timer, ns_to_ktime(PERIOD_NS)) - 1;
	lab_note_sample(cpu);
	cpu->samples++;
	walk(get_irq_regs(), &stack);
	count_stack(cpu, &stack);
	return HRTIMER_RESTART;
}

/* Context: Interrupts off, on the CPU that is to be sampled */
static void start_here(void *unused)
{
	struct cpu_state *cpu = this_cpu_ptr(&cpus);

	hrtimer_init(&cpu->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpu->timer.function = expired;
	lab_note_start(cpu);
	hrtimer_start(&cpu->timer, ns_to_ktime(PERIOD_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

void sampler_start(void)
{
	on_each_cpu(start_here, NULL, 1);
}

/* hrtimer_cancel() waits for an expired() that is running. It may be called from any CPU. */
void sampler_stop(void)
{
}
