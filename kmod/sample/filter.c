// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter.c - which tasks a session samples, see sample/filter.h
 *
 * The sample path finds descendants by walking up the parents of the sampled task. So
 * it needs no hook into fork, which small kernels lack. A process whose parent died
 * before the process was first sampled is not found. The tool makes itself a child
 * subreaper, so this cannot happen to processes that the tool started.
 */
#include <linux/bsearch.h>
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>

#include <kflame.h>
#include "base/storing.h"
#include "sample/filter.h"

/* How many parents are looked at: bounded, because this runs in a hard interrupt. */
#define MAX_ANCESTORS	64

static int by_id(const void *a, const void *b)
{
	u32 x = ((const struct kf_who *)a)->id, y = ((const struct kf_who *)b)->id;

	return x < y ? -1 : x > y;
}

/* @start_time: 0 if it is unknown */
static bool is_one_of(const struct kf_who *whos, u32 nr, u32 id, u64 start_time)
{
	const struct kf_who like = { .id = id };
	const struct kf_who *who = __inline_bsearch(&like, whos, nr, sizeof(like), by_id);

	return who && (!start_time || who->start_time == start_time);
}

static int who_init(struct kf_who *who, u32 nr, bool process)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task;

	task = get_pid_task(pid, process ? PIDTYPE_TGID : PIDTYPE_PID);
	put_pid(pid);
	if (!task)
		return -ESRCH;
	who->id = task->pid;
	who->start_time = task->start_time;
	put_task_struct(task);
	return 0;
}

static int whos_init(struct kf_who **out, const u32 *ids, u32 nr, bool process,
		     u32 *missing)
{
	struct kf_who *whos;
	u32 i;
	int err;

	if (!nr)
		return 0;
	whos = kcalloc(nr, sizeof(*whos), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!whos)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		err = who_init(&whos[i], ids[i], process);
		if (err) {
			*missing = ids[i];
			kfree(whos);
			return err;
		}
	}
	sort(whos, nr, sizeof(*whos), by_id, NULL);
	*out = whos;
	return 0;
}

#ifdef CONFIG_CGROUPS
/* Take references to the control groups of @nr descriptors of current. */
static int cgroups_init(struct kf_filter *f, const u32 *fds, u32 nr)
{
	struct cgroup *cgroup;

	if (!nr)
		return 0;
	f->cgroups = kcalloc(nr, sizeof(*f->cgroups), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!f->cgroups)
		return -ENOMEM;
	while (f->nr_cgroups < nr) {
		cgroup = cgroup_get_from_fd(fds[f->nr_cgroups]);
		if (IS_ERR(cgroup))
			return PTR_ERR(cgroup);
		RCU_INIT_POINTER(f->cgroups[f->nr_cgroups++], cgroup);
	}
	return 0;
}

static void cgroups_exit(struct kf_filter *f)
{
	while (f->nr_cgroups)
		cgroup_put(rcu_access_pointer(f->cgroups[--f->nr_cgroups]));
	kfree(f->cgroups);
}

/* The task may be moved to another group right now. RCU keeps both groups until the end. */
static bool in_cgroups(const struct kf_filter *f, struct task_struct *t)
{
	struct cgroup *own;
	bool found = false;
	u32 i;

	rcu_read_lock();
	own = task_dfl_cgroup(t);
	for (i = 0; i < f->nr_cgroups && !found; i++)
		found = cgroup_is_descendant(own, rcu_dereference(f->cgroups[i]));
	rcu_read_unlock();
	return found;
}

/**
 * kf_filter_replace_cgroup() - replace a control group; may sleep
 * @f:		the filter; samples may read it, nothing else changes it
 * @index:	index of the group to replace
 * @fd:		descriptor of the new group, of current
 *
 * Return: 0; -EINVAL if there is no group with that index; or the descriptor's error.
 */
int kf_filter_replace_cgroup(struct kf_filter *f, u32 index, int fd)
{
	struct cgroup *cgroup;

	if (index >= f->nr_cgroups)
		return -EINVAL;
	cgroup = cgroup_get_from_fd(fd);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	cgroup = rcu_replace_pointer(f->cgroups[index], cgroup, true);
	/* A sample on another CPU may still read the old group. */
	synchronize_rcu();
	cgroup_put(cgroup);
	return 0;
}
#else
static int cgroups_init(struct kf_filter *f, const u32 *fds, u32 nr)
{
	return nr ? -EOPNOTSUPP : 0;
}

static void cgroups_exit(struct kf_filter *f)
{
}

static bool in_cgroups(const struct kf_filter *f, struct task_struct *t)
{
	return false;
}

int kf_filter_replace_cgroup(struct kf_filter *f, u32 index, int fd)
{
	return -EINVAL;
}
#endif

/**
 * kf_filter_init() - make a filter; may sleep
 * @f:		zeroed
 * @ids:	ids of processes, threads and control groups, as current sees them; if there
 *		are none, every task matches
 * @cfg:	how many ids, and KFLAME_CF_*; on -ESRCH @cfg->reserved is the id that was
 *		not found
 *
 * Return: 0, -ESRCH, -ENOMEM, -EOPNOTSUPP on a kernel without control groups, or a
 * descriptor's error. The caller calls kf_filter_exit() in every case.
 */
int kf_filter_init(struct kf_filter *f, const struct kf_ids *ids, struct kflame_config *cfg)
{
	int err;

	raw_spin_lock_init(&f->lock);
	f->children = cfg->nr_pids && !(cfg->flags & KFLAME_CF_NO_CHILDREN);
	f->children_only = cfg->flags & KFLAME_CF_CHILDREN_ONLY;
	err = whos_init(&f->pids, ids->pids, cfg->nr_pids, true, &cfg->reserved);
	if (err)
		return err;
	f->nr_pids = cfg->nr_pids;
	err = whos_init(&f->tids, ids->tids, cfg->nr_tids, false, &cfg->reserved);
	if (err)
		return err;
	f->nr_tids = cfg->nr_tids;
	err = cgroups_init(f, ids->cgroups, cfg->nr_cgroups);
	if (err)
		return err;
	if (f->children) {
		f->followed = kvcalloc(KF_FOLLOWED, sizeof(*f->followed), GFP_KERNEL);
		if (!f->followed)
			return -ENOMEM;
	}
	return 0;
}

void kf_filter_exit(struct kf_filter *f)
{
	cgroups_exit(f);
	kvfree(f->followed);
	kfree(f->tids);
	kfree(f->pids);
}

/* The first of the slots in which @id may be remembered. */
static struct kf_who *followed_set(const struct kf_filter *f, u32 id)
{
	return &f->followed[hash_32(id, ilog2(KF_FOLLOWED)) & ~(KF_FOLLOW_PROBES - 1)];
}

/*
 * The slot is read without the lock while it may be written. Then an id may match with
 * another process's start time, for one sample.
 */
static bool is_followed(const struct kf_filter *f, u32 id, u64 start_time)
{
	const struct kf_who *set = followed_set(f, id);
	u32 i;

	for (i = 0; i < KF_FOLLOW_PROBES; i++)
		if (READ_ONCE(set[i].id) == id &&
		    (!start_time || READ_ONCE(set[i].start_time) == start_time))
			return true;
	return false;
}

static void follow(struct kf_filter *f, u32 id, u64 start_time)
{
	struct kf_who *set = followed_set(f, id);
	const bool was = kf_sample_lock(&f->lock);
	u32 i;

	for (i = 0; i < KF_FOLLOW_PROBES - 1; i++)
		if (!set[i].id || set[i].id == id)
			break;
	/* The set is full: drop the oldest one. */
	if (set[i].id && set[i].id != id) {
		memmove(&set[0], &set[1], sizeof(*set) * (KF_FOLLOW_PROBES - 1));
		i = KF_FOLLOW_PROBES - 1;
	}
	WRITE_ONCE(set[i].start_time, start_time);
	WRITE_ONCE(set[i].id, id);
	kf_sample_unlock(&f->lock, was);
}

/*
 * A task that was reaped may run on for a while with a stale parent pointer (see pid_alive()). If
 * the task is alive when the RCU section begins, its parent and all further ancestors are valid: a
 * task that is reaped meanwhile stays until the RCU section ends.
 */
static bool has_chosen_ancestor(struct kf_filter *f, struct task_struct *task)
{
	struct task_struct *up = task, *leader;
	bool found = false;
	int i;

	rcu_read_lock();
	for (i = pid_alive(task) ? 0 : MAX_ANCESTORS; i < MAX_ANCESTORS && !found; i++) {
		up = rcu_dereference(up->real_parent);
		/* The idle task is the parent of init and of kthreadd, and of itself. */
		if (!up || !up->pid)
			break;
		leader = READ_ONCE(up->group_leader);
		found = is_one_of(f->pids, f->nr_pids, leader->pid, leader->start_time) ||
			is_followed(f, leader->pid, leader->start_time);
	}
	rcu_read_unlock();
	return found;
}

/* Is the task, or an ancestor, one of the processes and threads that were chosen? */
static bool is_chosen(struct kf_filter *f, struct task_struct *task)
{
	u64 start_time;

	if (is_one_of(f->tids, f->nr_tids, task->pid, task->start_time))
		return true;
	if (!f->nr_pids)
		return false;
	/*
	 * The group leader is certain to exist only as long as the address space does. Without
	 * an address space, the task is a kernel thread, or a thread that is exiting. Such
	 * tasks are matched by process id alone.
	 */
	start_time = task->mm ? task->group_leader->start_time : 0;
	if (is_one_of(f->pids, f->nr_pids, task->tgid, start_time))
		return !f->children_only;
	if (!f->children)
		return false;
	if (is_followed(f, task->tgid, start_time))
		return true;
	if (!has_chosen_ancestor(f, task))
		return false;
	if (start_time)
		follow(f, task->tgid, start_time);
	return true;
}

/**
 * kf_filter_match() - is a task to be sampled?
 * @f:		the filter, not kf_filter_is_all()
 * @t:		current; or another task that the caller has a reference to, that sleeps, and whose
 *		pi_lock the caller holds, so that its address space stays. No idle task (all idle
 *		tasks have id 0)
 *
 * Context: interrupts off.
 * Return: true if it is to be sampled.
 */
bool kf_filter_match(struct kf_filter *f, struct task_struct *t)
{
	if (f->nr_cgroups && !in_cgroups(f, t))
		return false;
	return (!f->nr_pids && !f->nr_tids) || is_chosen(f, t);
}
