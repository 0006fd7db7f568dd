// SPDX-License-Identifier: GPL-2.0-only
/*
 * aspace.c - address spaces: ids and the queue to the worker, see process/aspace.h
 *
 * This file has what the sample path calls, and the worker's loop. process/mapping_walk.c has what
 * the worker does with one address space.
 */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "base/memory.h"
#include "base/scale.h"
#include "base/storing.h"
#include "compat/compat.h"
#include "process/aspace.h"
#include "process/mapping_walk.h"
#include "store/records.h"

/* While mmap_lock is not available, try again for so long, each time the work runs. */
#define TRY_JIFFIES	(HZ / 5)

/* A walk that failed is not tried again before this (nanoseconds). */
#define RETRY_NS	NSEC_PER_SEC

/* An address space may get so many new ids at once, then at most one in this time (nanoseconds). */
#define RENEW_BURST	16
#define RENEW_NS	(100 * NSEC_PER_MSEC)

/* After so long without a new id, as many as RENEW_BURST are allowed again (nanoseconds). */
#define RENEW_QUIET	NSEC_PER_SEC

/*
 * When the worker checks an address space again (nanoseconds). Never sooner than the first value,
 * which doubles each time that a change was suspected and there was none. Always after the second
 * value.
 */
#define CHECK_LEAST	(10 * NSEC_PER_MSEC)
#define CHECK_MOST	NSEC_PER_SEC

/* How long a CPU caches an answer that may change soon (jiffies) */
#define WAIT_JIFFIES	(HZ / 100 ?: 1)

/* ------------------------------------------------------- the sample path */

static bool same(const struct kf_aspace_key *a, const struct kf_aspace_key *b)
{
	return a->mm == b->mm && a->start_time == b->start_time &&
	       a->tgid == b->tgid && a->exec_id == b->exec_id;
}

static u32 key_hash(const struct kf_aspace_key *key, unsigned int bits)
{
	return hash_64((u64)(unsigned long)key->mm ^ key->start_time, bits);
}

static void key_of_current(struct kf_aspace_key *key)
{
	/* The group leader exists as long as current->mm does. */
	key->mm = current->mm;
	key->start_time = current->group_leader->start_time;
	key->tgid = current->tgid;
	key->exec_id = current->self_exec_id;
}

static void origin_of_current(struct kf_aspace_origin *origin)
{
	origin->start_code = READ_ONCE(current->mm->start_code);
	origin->start_stack = READ_ONCE(current->mm->start_stack);
	origin->start_brk = READ_ONCE(current->mm->start_brk);
}

/* The slot of @key, or a slot to replace (its key differs then); NULL if all are in use. */
static struct kf_aspace *slot_of(struct kf_aspaces *a, const struct kf_aspace_key *key)
{
	u32 set = key_hash(key, ilog2(KF_ASPACE_SLOTS)) & ~(KF_ASPACE_WAYS - 1);
	struct kf_aspace *s, *victim = NULL;
	u32 i;

	lockdep_assert_held(&a->lock);
	for (i = 0; i < KF_ASPACE_WAYS; i++) {
		s = &a->slots[set + i];
		if (s->state != KF_ASPACE_FREE && same(&s->key, key))
			return s;
		if (s->state == KF_ASPACE_QUEUED || s->checking)
			continue;
		if (!victim || s->state == KF_ASPACE_FREE ||
		    (victim->state != KF_ASPACE_FREE && s->used < victim->used))
			victim = s;
	}
	return victim;
}

static u64 cgroup_of_current(void)
{
	u64 id = 0;

#ifdef CONFIG_CGROUPS
	rcu_read_lock();
	id = cgroup_id(task_dfl_cgroup(current));
	rcu_read_unlock();
#endif
	return id;
}

static void describe_current(struct kflame_rec_aspace *rec, const struct kf_aspace *s)
{
	struct pid_namespace *ns = task_active_pid_ns(current);

	memset(rec, 0, sizeof(*rec));
	rec->rec.type = KFLAME_REC_ASPACE;
	rec->rec.size = sizeof(*rec);
	rec->id = s->id;
	rec->start_time_ns = s->key.start_time;
	rec->tgid = s->key.tgid;
	rec->exec_id = s->key.exec_id;
	/* An exiting task may have left its pid already. */
	if (ns) {
		rec->ns_tgid = task_tgid_nr_ns(current, ns);
		rec->pidns_inode = ns->ns.inum;
	}
	rec->cgroup_id = cgroup_of_current();
	rec->owner = __kuid_val(current_euid()) + 1;
	memcpy(rec->comm, current->comm, sizeof(rec->comm) - 1);
}

/* Queue a job. There is room for it, and the job owns a reference to current->mm. */
static void add_job(struct kf_aspaces *a, struct kf_aspace *s, bool check)
{
	struct kf_aspace_job *job = &a->jobs[a->tail++ & (a->nr_jobs - 1)];

	job->mm = current->mm;
	job->slot = s;
	job->until = 0;
	job->check = check;
	job->old_id = s->id;
	job->hash = s->hash;
	describe_current(&job->rec, s);
	a->held++;
}

/*
 * Ask the worker to check whether the mappings have changed. @hint: something suggests a change.
 * Return: false if that is impossible now.
 */
static bool enqueue_check(struct kf_aspaces *a, struct kf_aspace *s, bool hint)
{
	lockdep_assert_held(&a->lock);
	/* Checks take at most half of the queue, because new address spaces are more important. */
	if (a->closed || a->held >= a->nr_jobs / 2 || tsk_is_oom_victim(current) ||
	    !mmget_not_zero(current->mm))
		return false;
	s->checking = true;
	s->hinted = hint;
	add_job(a, s, true);
	return true;
}

/*
 * Take a reference to the mm and queue it for the worker. Return: false if that is impossible now.
 */
static bool enqueue(struct kf_aspaces *a, struct kf_aspace *s)
{
	lockdep_assert_held(&a->lock);
	if (a->closed)
		return false;
	if (a->held >= a->nr_jobs) {
		a->count[KFLAME_STAT_MM_CAP]++;
		return false;
	}
	/* The OOM killer wants the memory of this mm, so do not hold it. */
	if (tsk_is_oom_victim(current)) {
		a->count[KFLAME_STAT_MM_OOM]++;
		return false;
	}
	/* mm_users must not rise from 0. A thread that borrows an mm holds no user. */
	if (!mmget_not_zero(current->mm)) {
		a->count[KFLAME_STAT_MM_GONE]++;
		return false;
	}
	s->state = KF_ASPACE_QUEUED;
	s->exec_vm = current->mm->exec_vm;
	origin_of_current(&s->origin);
	add_job(a, s, false);
	return true;
}

/* Does the address space need a new id, because it has changed since it was walked? */
static bool wants_new_number(struct kf_aspaces *a, const struct kf_aspace *s)
{
	/* A NEW one may have been walked in part: the mappings reported then have its id. */
	if (s->state == KF_ASPACE_QUEUED || (s->state == KF_ASPACE_NEW && !s->exec_vm))
		return false;
	return s->exec_vm != READ_ONCE(current->mm->exec_vm) ||
	       (s->state == KF_ASPACE_MAPPED && kf_aspace_run_gone(a, &s->run));
}

/* May it get a new id now? */
static bool may_renew(struct kf_aspaces *a, struct kf_aspace *s, u64 now)
{
	if (now - s->renewed > RENEW_QUIET)
		s->regenerated = 0;
	if (s->regenerated >= RENEW_BURST && now - s->renewed <= RENEW_NS)
		return false;
	a->count[KFLAME_STAT_MAPS_LOST] += s->state == KF_ASPACE_MAPPED &&
					   kf_aspace_run_gone(a, &s->run);
	return true;
}

/*
 * The address space has its id, and exec_vm is unchanged. Is there another reason to check it?
 * @unknown: a sample had an address in none of its mappings; cleared once a check is queued.
 * Return: does the answer hold only for a while?
 */
static bool check(struct kf_aspaces *a, struct kf_aspace *s, u64 now, bool *unknown, bool *kick)
{
	u64 since = now - s->walked;
	bool hint = *unknown || s->changes != kf_mm_changes(current->mm);

	if (s->checking || !(hint || since >= CHECK_MOST))
		return s->checking;
	if (since >= s->gap && enqueue_check(a, s, hint)) {
		*kick = true;
		*unknown = false;
	}
	return true;
}

/*
 * The key of the process that forked current's, if current has executed no program since.
 *
 * Return: false if there is none. After a reparenting the result may be another process, but one
 * that has another origin (see inherit()).
 */
static bool key_of_parent(struct kf_aspace_key *key)
{
	const struct task_struct *parent;
	bool forked;

	if (!(READ_ONCE(current->group_leader->flags) & PF_FORKNOEXEC))
		return false;
	rcu_read_lock();
	parent = rcu_dereference(current->real_parent);
	key->mm = READ_ONCE(parent->mm);
	/*
	 * current has its mm, so it was not reaped, and its parent was not reaped when the RCU
	 * section began. Task and leader stay valid until the section ends.
	 */
	key->start_time = READ_ONCE(parent->group_leader)->start_time;
	key->tgid = parent->tgid;
	key->exec_id = READ_ONCE(parent->self_exec_id);
	/*
	 * The comparison with self_exec_id excludes a task that executed a program and then forked
	 * by CLONE_PARENT.
	 */
	forked = key->mm && key->exec_id == current->parent_exec_id &&
		 key->exec_id == current->self_exec_id;
	rcu_read_unlock();
	return forked;
}

/*
 * A forked process has the mappings of its parent. Until the process itself is walked, its stacks
 * are walked with the parent's mappings. Many processes never live longer. (With CLONE_PARENT the
 * parent is not the task that forked. The origin shows that.)
 */
static void inherit(struct kf_aspaces *a, struct kf_umap_run *run)
{
	struct kf_aspace_origin origin;
	struct kf_aspace_key key;
	struct kf_aspace *s;

	if (!a->umaps || !key_of_parent(&key))
		return;
	s = slot_of(a, &key);
	if (!s || s->state == KF_ASPACE_FREE || !same(&s->key, &key))
		return;
	origin_of_current(&origin);
	/*
	 * Both would map new files at the same addresses, so neither may have changed since the
	 * fork.
	 */
	if (memcmp(&s->origin, &origin, sizeof(origin)) ||
	    s->exec_vm != READ_ONCE(current->mm->exec_vm))
		return;
	s->used = ktime_get_mono_fast_ns();
	*run = s->run;
}

/*
 * How long an answer of id_slow() holds. ANSWER_NOW: for this sample. ANSWER_LIMITED: for a while,
 * whatever changes. ANSWER_WHILE: for a while, unless exec_vm changes. ANSWER_LONG: for long.
 */
enum answer { ANSWER_NOW, ANSWER_LIMITED, ANSWER_WHILE, ANSWER_LONG };

static u64 id_slow(struct kf_aspaces *a, const struct kf_aspace_key *key, bool *unknown,
		   struct kf_umap_run *run, enum answer *answer, bool *kick)
{
	u64 now = ktime_get_mono_fast_ns();
	struct kf_aspace *s;

	*answer = ANSWER_NOW;
	s = slot_of(a, key);
	if (!s) {
		a->count[KFLAME_STAT_ASPACE_FULL]++;
		return 0;
	}
	if (s->state == KF_ASPACE_FREE || !same(&s->key, key)) {
		memset(s, 0, sizeof(*s));
		s->key = *key;
		s->id = ++a->next_id;
		s->state = KF_ASPACE_NEW;
		s->renewed = now;
		a->count[KFLAME_STAT_ASPACES]++;
	} else if (wants_new_number(a, s)) {
		if (may_renew(a, s, now)) {
			s->id = ++a->next_id;
			s->state = KF_ASPACE_NEW;
			s->exec_vm = 0;
			s->regenerated++;
			s->renewed = now;
			a->count[KFLAME_STAT_REWALKS]++;
		} else {
			/* For example a JIT that changes protections all the time */
			*answer = ANSWER_LIMITED;
		}
	} else if (s->state == KF_ASPACE_MAPPED) {
		*answer = check(a, s, now, unknown, kick) ? ANSWER_WHILE : ANSWER_LONG;
	}
	s->used = now;
	if (s->state == KF_ASPACE_NEW && now >= s->retry_at)
		*kick |= enqueue(a, s);
	/*
	 * If the mappings have changed since, use the old ones. Most of them are still valid, and
	 * without any no walk would succeed until the new ones are known.
	 */
	*run = s->run;
	if (!run->known)
		inherit(a, run);
	run->part |= s->state != KF_ASPACE_MAPPED ||
		     s->exec_vm != READ_ONCE(current->mm->exec_vm);
	return s->id;
}

/* The address space may have changed, but it is not to be checked before @line->until. */
static bool still_waits(const struct kf_aspace_line *line, const struct kf_aspace_key *key)
{
	return line->waiting && same(&line->key, key) && time_before(jiffies, line->until) &&
	       (line->limited || line->exec_vm == READ_ONCE(key->mm->exec_vm));
}

/**
 * kf_aspace_find() - kf_aspace_of_current() where current's is not the CPU's last address space
 * @a:		the session's
 * @cache:	this CPU's
 * @kick:	set if there is work for kf_aspaces_work()
 *
 * Return: its id and mappings, valid until the next call on this CPU.
 */
const struct kf_aspace_line *kf_aspace_find(struct kf_aspaces *a,
					    struct kf_aspace_cache *cache, bool *kick)
{
	unsigned long changes = kf_mm_changes(current->mm);
	struct kf_aspace_line *line;
	struct kf_aspace_key key;
	enum answer answer;
	bool unknown, was;

	key_of_current(&key);
	line = &cache->line[key_hash(&key, ilog2(KF_ASPACE_CACHE))];
	cache->last = line;
	if (kf_aspace_is(a, line, true) || still_waits(line, &key))
		return line;

	unknown = line->unknown && same(&line->key, &key);
	cache->last = NULL;
	cache->other = (struct kf_aspace_line){};
	was = kf_sample_lock(&a->lock);
	cache->other.id = id_slow(a, &key, &unknown, &cache->other.run, &answer, kick);
	kf_sample_unlock(&a->lock, was);
	/* Cache only an answer that holds for some time. */
	if (answer == ANSWER_NOW)
		return &cache->other;
	*line = cache->other;
	line->key = key;
	line->exec_vm = READ_ONCE(key.mm->exec_vm);
	line->changes = changes;
	line->waiting = answer != ANSWER_LONG;
	line->limited = answer == ANSWER_LIMITED;
	line->unknown = unknown && line->waiting;
	line->until = jiffies + (line->waiting ? WAIT_JIFFIES : HZ);
	cache->last = line;
	return line;
}

/* ------------------------------------------------------------ the worker */

static bool next_job(struct kf_aspaces *a, struct kf_aspace_job *job)
{
	unsigned long flags;
	bool have;

	flags = kf_sample_lock_irq(&a->lock);
	have = a->head != a->tail;
	if (have)
		*job = a->jobs[a->head++ & (a->nr_jobs - 1)];
	kf_sample_unlock_irq(&a->lock, flags);
	return have;
}

/* Queue a job behind all others. There is room, because the job still counts as held. */
static void put_back(struct kf_aspaces *a, const struct kf_aspace_job *job)
{
	unsigned long flags;

	flags = kf_sample_lock_irq(&a->lock);
	a->jobs[a->tail++ & (a->nr_jobs - 1)] = *job;
	kf_sample_unlock_irq(&a->lock, flags);
}

static void walked(struct kf_aspace *s, const struct kf_walk *walk, u64 gap)
{
	s->changes = walk->changes;
	s->hash = walk->hash;
	s->walked = ktime_get_mono_fast_ns();
	s->gap = gap;
}

static void count_walk(struct kf_aspaces *a, const struct kf_walk *walk)
{
	u32 stat = walk->state == KFLAME_ASPACE_MAPPED ? KFLAME_STAT_MAPPED :
		   walk->state == KFLAME_ASPACE_BUSY ? KFLAME_STAT_MM_BUSY :
						       KFLAME_STAT_MM_NOMEM;

	lockdep_assert_held(&a->lock);
	a->count[stat]++;
	a->count[KFLAME_STAT_WALKED_DEAD] += walk->dead;
	a->count[KFLAME_STAT_MAPPINGS] += walk->mappings;
	a->count[KFLAME_STAT_FILES] += walk->files;
	a->count[KFLAME_STAT_MAP_DROPPED] += walk->dropped + walk->left_out;
}

static void finish(struct kf_aspaces *a, struct kf_aspace_job *job,
		   const struct kf_walk *walk)
{
	struct kf_aspace *s = job->slot;
	unsigned long flags;

	flags = kf_sample_lock_irq(&a->lock);
	count_walk(a, walk);
	/* Pairs with kf_aspaces_idle(): a reader that sees no jobs sees their records. */
	smp_store_release(&a->held, a->held - 1);
	s->exec_vm = walk->exec_vm;
	/* A walk that was given up keeps the old mappings. */
	if (walk->run.known)
		s->run = walk->run;
	walked(s, walk, CHECK_LEAST);
	/* If records stay for good, there is no room later either, and each try uses up ids of files. */
	if (walk->state == KFLAME_ASPACE_MAPPED && (!walk->dropped || a->out->kept)) {
		s->state = KF_ASPACE_MAPPED;
	} else {
		s->state = KF_ASPACE_NEW;
		s->retry_at = ktime_get_mono_fast_ns() + RETRY_NS;
	}
	kf_sample_unlock_irq(&a->lock, flags);
}

/* A check has ended. @number: the new id; 0: nothing changed, or the check was impossible. */
static void finish_check(struct kf_aspaces *a, struct kf_aspace_job *job, const struct kf_walk *walk,
			 u64 number)
{
	struct kf_aspace *s = job->slot;
	unsigned long flags;

	flags = kf_sample_lock_irq(&a->lock);
	s->checking = false;
	/* If exec_vm has shown a change meanwhile, a full walk follows: ignore the check. */
	if (s->state == KF_ASPACE_MAPPED && s->id == job->old_id) {
		if (number) {
			s->id = number;
			s->regenerated++;
			s->renewed = ktime_get_mono_fast_ns();
			s->exec_vm = walk->exec_vm;
			if (walk->run.known)
				s->run = walk->run;
			if (walk->dropped && !a->out->kept) {
				s->state = KF_ASPACE_NEW;
				s->retry_at = s->renewed + RETRY_NS;
			}
		}
		walked(s, walk, number || !s->hinted ? CHECK_LEAST :
				min(2 * s->gap, (u64)CHECK_MOST));
	}
	if (number) {
		a->count[KFLAME_STAT_REWALKS]++;
		count_walk(a, walk);
	}
	/* Pairs with kf_aspaces_idle(), as in finish(). */
	smp_store_release(&a->held, a->held - 1);
	kf_sample_unlock_irq(&a->lock, flags);
}

static u64 new_number(struct kf_aspaces *a)
{
	unsigned long flags;
	u64 id;

	flags = kf_sample_lock_irq(&a->lock);
	id = ++a->next_id;
	kf_sample_unlock_irq(&a->lock, flags);
	return id;
}

/* An address space was walked. Report its mappings, unless a check found no difference. */
static void take_walk(struct kf_aspaces *a, struct kf_aspace_job *job, struct kf_walk *walk)
{
	if (job->check && walk->hash == job->hash) {
		kf_mapwalk_forget(a->vmas);
		finish_check(a, job, walk, 0);
		return;
	}
	if (job->check)
		job->rec.id = new_number(a);
	kf_mapwalk_report(job, a->vmas, a->files, a->umaps, a->out, walk);
	if (job->check)
		finish_check(a, job, walk, job->rec.id);
	else
		finish(a, job, walk);
}

/* The mmap lock was not available in time. */
static void give_up(struct kf_aspaces *a, struct kf_aspace_job *job, struct kf_walk *walk)
{
	if (job->check) {
		kf_mapwalk_let_go(job, walk);
		walk->hash = job->hash;
		finish_check(a, job, walk, 0);
		return;
	}
	kf_mapwalk_give_up(job, a->out, walk);
	finish(a, job, walk);
}

static bool may_try_again(struct kf_aspace_job *job)
{
	if (!job->until)
		job->until = (jiffies + TRY_JIFFIES) | 1;
	return time_before(jiffies, job->until);
}

/**
 * kf_aspaces_work() - walk each queued address space once
 * @a:	the session's
 *
 * Context: the session's work, which never runs twice at a time.
 * Return: true if some address spaces must be tried again in a while.
 */
bool kf_aspaces_work(struct kf_aspaces *a)
{
	u32 n = READ_ONCE(a->tail) - a->head;
	struct kf_aspace_job job;
	struct kf_walk walk;
	bool again = false;

	while (n-- && next_job(a, &job)) {
		if (kf_mapwalk_look(&job, a->vmas, &walk)) {
			take_walk(a, &job, &walk);
		} else if (may_try_again(&job)) {
			put_back(a, &job);
			again = true;
		} else {
			give_up(a, &job, &walk);
		}
	}
	return again;
}

/**
 * kf_aspaces_number() - get the id of a file that current has mapped; may sleep
 * @a:		the session's
 * @address:	an address in the mapping
 * @id:		out
 *
 * Return: 0; -EFAULT if no file is mapped there; -ENOSPC if there is no room for its record.
 */
int kf_aspaces_number(struct kf_aspaces *a, unsigned long address, u64 *id)
{
	struct kf_walk walk;
	unsigned long flags;

	if (!kf_mapwalk_one(address, a->files, a->out, &walk, id))
		return -EFAULT;
	flags = kf_sample_lock_irq(&a->lock);
	a->count[KFLAME_STAT_FILES] += walk.files;
	a->count[KFLAME_STAT_MAP_DROPPED] += walk.dropped;
	kf_sample_unlock_irq(&a->lock, flags);
	return *id ? 0 : -ENOSPC;
}

/* Is no job queued, and none in the worker's hands? */
bool kf_aspaces_idle(struct kf_aspaces *a)
{
	/* Pairs with the release in finish(): a reader that sees no jobs sees their records. */
	return !smp_load_acquire(&a->held);
}

/* The last id that was given to an address space */
u64 kf_aspaces_newest(struct kf_aspaces *a)
{
	unsigned long flags;
	u64 id;

	flags = kf_sample_lock_irq(&a->lock);
	id = a->next_id;
	kf_sample_unlock_irq(&a->lock, flags);
	return id;
}

/* Slots that are looked at with interrupts off */
#define SLOTS_AT_ONCE	64U

/**
 * kf_aspaces_ids() - the address spaces in the cache: samples may still get their ids
 * @a:		the session's
 * @ids:	out
 * @room:	most ids
 *
 * Return: how many.
 */
size_t kf_aspaces_ids(struct kf_aspaces *a, u64 *ids, size_t room)
{
	unsigned long flags;
	size_t nr = 0;
	u32 i, end;

	for (i = 0; i < KF_ASPACE_SLOTS;) {
		flags = kf_sample_lock_irq(&a->lock);
		for (end = i + SLOTS_AT_ONCE; i < end && nr < room; i++)
			if (a->slots[i].state != KF_ASPACE_FREE)
				ids[nr++] = a->slots[i].id;
		kf_sample_unlock_irq(&a->lock, flags);
		if (nr == room)
			break;
	}
	return nr;
}

/* -------------------------------------------------------------- lifetime */

size_t kf_aspaces_bytes(void)
{
	return sizeof(struct kf_aspace) * KF_ASPACE_SLOTS +
	       sizeof(struct kf_aspace_job) * kf_scale_jobs() +
	       kf_files_bytes() + kf_vmas_bytes();
}

/**
 * kf_aspaces_init() - initialise the address spaces of a session; may sleep
 * @a:		zeroed
 * @out:	where records go; outlives @a
 * @held:	where mapped files are held; outlives @a
 * @umaps:	where mappings are kept; outlives @a; NULL if they are not kept
 *
 * Return: 0 or -ENOMEM. The caller calls kf_aspaces_exit() in both cases.
 */
int kf_aspaces_init(struct kf_aspaces *a, struct kf_records *out, struct kf_held *held,
		    struct kf_umaps *umaps)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN;

	raw_spin_lock_init(&a->lock);
	a->out = out;
	a->umaps = umaps;
	a->slots = kvcalloc(KF_ASPACE_SLOTS, sizeof(*a->slots), gfp);
	a->nr_jobs = kf_scale_jobs();
	a->jobs = kvcalloc(a->nr_jobs, sizeof(*a->jobs), gfp);
	a->files = kf_files_create(held);
	a->vmas = kf_vmas_create();
	return a->slots && a->jobs && a->files && a->vmas ? 0 : -ENOMEM;
}

/* Refuse new jobs and drop all queued ones. The work must not run any more. */
void kf_aspaces_close(struct kf_aspaces *a)
{
	struct kf_aspace_job job;
	unsigned long flags;

	flags = kf_sample_lock_irq(&a->lock);
	a->closed = true;
	kf_sample_unlock_irq(&a->lock, flags);
	while (next_job(a, &job)) {
		kf_mmput(job.mm);
		a->held--;
	}
	WARN_ON_ONCE(a->held);
}

/* Call it after kf_aspaces_close(), or if nothing was ever queued. */
void kf_aspaces_exit(struct kf_aspaces *a)
{
	kf_vmas_destroy(a->vmas);
	kf_files_destroy(a->files);
	kvfree(a->jobs);
	kvfree(a->slots);
}
