/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - which tasks a session samples
 *
 * CONFIGURE makes a filter. Two parts of it change later. It remembers descendants: a process that
 * was once seen below a chosen one stays chosen when its parent dies and it is handed to init. And
 * a control group may be replaced by another one.
 *
 * Control groups are those of the v2 hierarchy. The filter holds references, which do not keep a
 * group from being removed.
 */
#ifndef KF_FILTER_H
#define KF_FILTER_H

#include <linux/spinlock_types.h>
#include <linux/types.h>

struct cgroup;
struct kflame_config;
struct task_struct;

/**
 * struct kf_ids - the arrays of a struct kflame_config, copied in; NULL where empty
 * @pids:	processes
 * @tids:	threads
 * @cpus:	CPUs
 * @cgroups:	descriptors of control groups' directories
 */
struct kf_ids {
	u32 *pids, *tids, *cpus, *cgroups;
};

/* A process or thread; the start time distinguishes it from a later one with the same id. */
struct kf_who {
	u32 id;
	u64 start_time;
};

#define KF_FOLLOWED	4096U	/* a power of two */
#define KF_FOLLOW_PROBES 8U

/**
 * struct kf_filter - which tasks a session samples
 * @pids:	processes, @nr_pids of them
 * @tids:	threads, @nr_tids of them
 * @cgroups:	control groups, @nr_cgroups of them, each with a reference; samples read them
 *		under RCU, the session's lock is held to replace one
 * @nr_pids:	0 with @nr_tids 0: all tasks
 * @nr_tids:	0 with @nr_pids 0: all tasks
 * @nr_cgroups:	0: tasks of all control groups
 * @children:	sample descendants of @pids, too
 * @children_only: do not sample @pids themselves
 * @lock:	taken with interrupts off to add to @followed; readers take none
 * @followed:	KF_FOLLOWED descendants seen so far; forgetting one is harmless as
 *		long as its parents live
 */
struct kf_filter {
	struct kf_who *pids, *tids;
	struct cgroup __rcu **cgroups;
	u32 nr_pids, nr_tids, nr_cgroups;
	bool children, children_only;
	raw_spinlock_t lock;
	struct kf_who *followed;
};

int kf_filter_init(struct kf_filter *f, const struct kf_ids *ids, struct kflame_config *cfg);
void kf_filter_exit(struct kf_filter *f);
int kf_filter_replace_cgroup(struct kf_filter *f, u32 index, int fd);
bool kf_filter_match(struct kf_filter *f, struct task_struct *t);

static inline bool kf_filter_is_all(const struct kf_filter *f)
{
	return !f->nr_pids && !f->nr_tids && !f->nr_cgroups;
}

#endif
