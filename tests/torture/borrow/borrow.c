// SPDX-License-Identifier: GPL-2.0-only
/*
 * borrow - a kernel thread that borrows a process's memory, as vhost's do
 *
 * insmod borrow.ko pid=PID [lock=1]
 *
 * From insmod to rmmod the thread reads the process's arguments, over and over. A profiler
 * that goes by current->mm alone would take it for the process. With lock=1 it has the process's
 * mmap lock instead, for writing, so that nobody can look at what is mapped.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>

static int pid;
module_param(pid, int, 0444);
MODULE_PARM_DESC(pid, "whose memory");

static bool lock;
module_param(lock, bool, 0444);
MODULE_PARM_DESC(lock, "have its mmap lock");

static DECLARE_COMPLETION(locked);

/* Both from init to exit: a thread that is stopped at once never runs its function */
static struct task_struct *thread;
static struct mm_struct *mm;

static int borrow(void *unused)
{
	unsigned long word;

	kthread_use_mm(mm);
	while (!kthread_should_stop()) {
		if (copy_from_user(&word, (void __user *)mm->arg_start, sizeof(word)))
			pr_warn_once("borrow: the arguments of %d cannot be read\n", pid);
		cond_resched();
	}
	kthread_unuse_mm(mm);
	return 0;
}

static int keep_locked(void *unused)
{
	mmap_write_lock(mm);
	complete(&locked);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	mmap_write_unlock(mm);
	return 0;
}

static struct mm_struct *mm_of(int nr)
{
	struct task_struct *task;
	struct mm_struct *found;

	rcu_read_lock();
	task = get_pid_task(find_vpid(nr), PIDTYPE_PID);
	rcu_read_unlock();
	if (!task)
		return NULL;
	found = get_task_mm(task);
	put_task_struct(task);
	return found;
}

static int __init borrow_init(void)
{
	mm = mm_of(pid);
	if (!mm)
		return -ESRCH;
	thread = kthread_run(lock ? keep_locked : borrow, NULL, "borrow");
	if (IS_ERR(thread)) {
		mmput(mm);
		return PTR_ERR(thread);
	}
	if (lock)
		wait_for_completion(&locked);
	return 0;
}
module_init(borrow_init);

static void __exit borrow_exit(void)
{
	kthread_stop(thread);
	mmput(mm);
}
module_exit(borrow_exit);

MODULE_DESCRIPTION("a kernel thread that borrows a process's memory");
MODULE_LICENSE("GPL");
