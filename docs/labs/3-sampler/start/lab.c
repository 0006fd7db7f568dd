// SPDX-License-Identifier: GPL-2.0-only
/*
 * lab.c - memory, /proc/sampler and what the grade looks at. Given: do not change it. The grade uses its own
 * copy.
 */
#include <linux/cpu.h>
#include <linux/hardirq.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "lab.h"

DEFINE_PER_CPU(struct cpu_state, cpus);

static DEFINE_MUTEX(run_lock);
static bool run;
static u64 stopped;
static atomic_t not_hard, elsewhere, may_fault;

void lab_note_start(struct cpu_state *cpu)
{
	cpu->started = ktime_get_ns();
}

void lab_note_sample(struct cpu_state *cpu)
{
	if (!in_hardirq() || !cpu->timer.is_hard)
		atomic_inc(&not_hard);
	if (cpu != this_cpu_ptr(&cpus))
		atomic_inc(&elsewhere);
}

int lab_read_user(u64 address, u64 *value)
{
	if (!pagefault_disabled())
		atomic_inc(&may_fault);
	if (!access_ok((void __user *)address, sizeof(*value)))
		return -EFAULT;
	return __copy_from_user_inatomic(value, (void __user *)address, sizeof(*value)) ? -EFAULT : 0;
}

static void start(void)
{
	sampler_start();
	run = true;
}

static void stop(void)
{
	int nr;

	if (!run)
		return;
	stopped = ktime_get_ns();
	for_each_online_cpu(nr) {
		struct cpu_state *cpu = per_cpu_ptr(&cpus, nr);

		cpu->periods = cpu->samples + cpu->missed;
	}
	sampler_stop();
	run = false;
}

/* echo 0 >/sys/module/sampler/parameters/run ends sampling; counts stay */
static int set_run(const char *text, const struct kernel_param *param)
{
	bool on;
	int err = kstrtobool(text, &on);

	if (err)
		return err;
	mutex_lock(&run_lock);
	if (!on)
		stop();
	mutex_unlock(&run_lock);
	return 0;
}

static const struct kernel_param_ops run_ops = { .set = set_run, .get = param_get_bool };
module_param_cb(run, &run_ops, &run, 0644);

static void show_table(struct seq_file *file, const struct cpu_state *cpu)
{
	u32 i, f;

	for (i = 0; i < TABLE_SIZE; i++) {
		const struct slot *slot = &cpu->table[i];

		if (!slot->count)
			continue;
		seq_printf(file, "stack %llu %u", slot->count, slot->stack.tgid);
		for (f = 0; f < min_t(u32, slot->stack.nr, MAX_FRAMES); f++)
			seq_printf(file, " %llx", slot->stack.ip[f]);
		seq_puts(file, "\n");
	}
}

/* Of running counts one line may be older than the next: stop first */
static int show(struct seq_file *file, void *unused)
{
	u64 end = run ? ktime_get_ns() : stopped;
	int nr;

	for_each_online_cpu(nr) {
		const struct cpu_state *cpu = per_cpu_ptr(&cpus, nr);

		seq_printf(file, "cpu %d samples %llu missed %llu lost %llu ", nr, cpu->samples, cpu->missed,
			   cpu->lost);
		seq_printf(file, "periods %llu ns %llu\n", run ? cpu->samples + cpu->missed : cpu->periods,
			   cpu->started ? end - cpu->started : 0);
		show_table(file, cpu);
	}
	seq_printf(file, "context not_hard %d elsewhere %d may_fault %d\n", atomic_read(&not_hard),
		   atomic_read(&elsewhere), atomic_read(&may_fault));
	return 0;
}

static void free_tables(void)
{
	int nr;

	for_each_possible_cpu(nr)
		vfree(per_cpu_ptr(&cpus, nr)->table);
}

static int __init lab_init(void)
{
	int nr;

	for_each_possible_cpu(nr) {
		struct cpu_state *cpu = per_cpu_ptr(&cpus, nr);

		cpu->table = vzalloc(array_size(TABLE_SIZE, sizeof(*cpu->table)));
		if (!cpu->table)
			goto tables;
	}
	if (!proc_create_single("sampler", 0400, NULL, show))
		goto tables;
	start();
	return 0;

tables:
	free_tables();
	return -ENOMEM;
}

static void __exit lab_exit(void)
{
	remove_proc_entry("sampler", NULL);
	stop();
	free_tables();
}

module_init(lab_init);
module_exit(lab_exit);
MODULE_DESCRIPTION("A sampling profiler that a student wrote");
MODULE_LICENSE("GPL");
