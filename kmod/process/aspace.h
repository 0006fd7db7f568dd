/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * aspace.h - address spaces: which files a process maps, also after the process is gone
 *
 * The first sample of an address space takes a reference to its mm (one atomic) and queues it. The
 * worker walks the executable mappings, writes records about them and drops the mm. The held mm
 * keeps the mappings even if the process has ended, so no process is too short. STOP drops no
 * reference; destroying the session drops the rest.
 *
 * Each set of executable mappings has an id of its own. So a range that was replaced is never named
 * by its predecessor. Two things show a change:
 *
 * - mm->exec_vm has another value (dlopen, most just-in-time compilers). The id is new from that
 *   sample on.
 * - kf_mm_changes() has another value, a sample's address lies in no known mapping, or a second has
 * passed. Then the worker walks again and compares. If the mappings differ, the id is new from then
 * on. Samples between the change and that walk have the old id: for milliseconds, or up to a second
 * in a process whose mappings change all the time. A mapping that another one of the same size
 * replaces is only seen this way.
 *
 * Ids live in a cache of fixed size. An address space that falls out of it gets another id and
 * another walk later.
 */
#ifndef KF_ASPACE_H
#define KF_ASPACE_H

#include <linux/cache.h>
#include <linux/jiffies.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <kflame.h>
#include "compat/compat.h"
#include "process/mapping_ring.h"

struct mm_struct;
struct kf_records;
struct kf_files;
struct kf_held;
struct kf_umaps;
struct kf_vmas;

/* Two address spaces are the same if their keys are equal. */
struct kf_aspace_key {
	struct mm_struct *mm;	/* compared, never dereferenced */
	u64 start_time;		/* of the thread group leader */
	u32 tgid;
	u32 exec_id;		/* current->self_exec_id */
};

/* Addresses that exec chose: a fork keeps all of them, and a new program has other ones. */
struct kf_aspace_origin {
	unsigned long start_code;
	unsigned long start_stack;
	unsigned long start_brk;
};

enum kf_aspace_state {
	KF_ASPACE_FREE,
	KF_ASPACE_NEW,		/* has an id, could not be queued yet */
	KF_ASPACE_QUEUED,	/* in the queue, or in the worker's hands */
	KF_ASPACE_MAPPED,
};

/**
 * struct kf_aspace - a slot of the cache of address spaces
 * @key:	of the address space
 * @id:		its id
 * @state:	enum kf_aspace_state
 * @regenerated: how often it got a new id
 * @exec_vm:	mm->exec_vm when it was queued with this id, then when it was walked; 0: not
 *		queued yet, or the walk was given up
 * @origin:	of its mm when it was queued
 * @used:	time of the last sample that used it, to choose a slot to replace
 * @renewed:	time of the last new id
 * @retry_at:	after a failed walk, it is not queued again before this time
 * @changes:	kf_mm_changes() before the last walk
 * @hash:	of its mappings at the last walk
 * @walked:	time of the last walk
 * @gap:	least time between the last walk and the next check
 * @checking:	a check is queued; the address space keeps its id until then
 * @hinted:	the check was queued because something suggested a change, not because time passed
 * @run:	its mappings, once it is mapped, if the session keeps mappings
 */
struct kf_aspace {
	struct kf_aspace_key key;
	u64 id;
	u32 state;
	u32 regenerated;
	unsigned long exec_vm;
	struct kf_aspace_origin origin;
	u64 used;
	u64 renewed;
	u64 retry_at;
	unsigned long changes;
	u64 hash;
	u64 walked;
	u64 gap;
	bool checking;
	bool hinted;
	struct kf_umap_run run;
};

/* A job for the worker: the mm, and all that the record needs. */
struct kf_aspace_job {
	struct mm_struct *mm;	/* holds a reference to mm_users */
	struct kf_aspace *slot;
	struct kflame_rec_aspace rec;
	unsigned long until;	/* in jiffies, when the job is given up; 0: not tried yet */
	bool check;		/* compare with @hash; @old_id and @hash are from the last walk */
	u64 old_id;
	u64 hash;
};

#define KF_ASPACE_SLOTS		4096U	/* a power of two */
#define KF_ASPACE_WAYS		8U

/**
 * struct kf_aspaces - all address spaces of a session
 * @lock:	raw, taken with interrupts off. The worker takes it, and the sample path if the
 *		CPU's cache has no answer. Guards @slots, the queue and
 *		@next_id. Held for a bounded number of steps
 * @slots:	the cache, KF_ASPACE_SLOTS
 * @jobs:	ring of @nr_jobs, from @head to @tail; each job holds an mm
 * @nr_jobs:	kf_scale_jobs()
 * @head:	the oldest job
 * @tail:	one past the newest
 * @held:	jobs in the ring and in the worker's hands
 * @closed:	no job is accepted any more
 * @files:	ids of files
 * @vmas:	scratch of the worker
 * @umaps:	the mappings themselves, for walks by unwind tables; NULL: not kept
 * @out:	where records go
 * @next_id:	the last id given to an address space; the first id is 1
 * @count:	KFLAME_STAT_* counters, under @lock
 */
struct kf_aspaces {
	/* Read by each sample */
	struct kf_umaps *umaps;
	struct kf_aspace *slots;
	struct kf_aspace_job *jobs;
	u32 nr_jobs;
	struct kf_files *files;
	struct kf_vmas *vmas;
	struct kf_records *out;

	/* Written when an address space is new to a CPU */
	raw_spinlock_t lock ____cacheline_aligned_in_smp;
	u32 head, tail, held;
	bool closed;
	u64 next_id;
	u64 count[KFLAME_NR_STATS];
};

/**
 * struct kf_aspace_line - an address space in a CPU's cache
 * @key:	of the address space; .mm is NULL if the line is empty
 * @exec_vm:	mm->exec_vm when the line was filled
 * @changes:	kf_mm_changes() when the line was filled
 * @until:	in jiffies; from then on the line is not valid
 * @waiting:	the mappings may have changed, but they are not checked before @until,
 *		unless exec_vm changes
 * @limited:	with @waiting: not even if exec_vm changes, as it changes too often
 * @unknown:	a sample had an address that is in none of its mappings
 * @id:		its id, 0 if there was no slot for it
 * @run:	its mappings, if they are kept and known
 */
struct kf_aspace_line {
	struct kf_aspace_key key;
	unsigned long exec_vm;
	unsigned long changes;
	unsigned long until;
	bool waiting;
	bool limited;
	bool unknown;
	u64 id;
	struct kf_umap_run run;
} __aligned(64);

#define KF_ASPACE_CACHE	8U	/* a power of two */

/**
 * struct kf_aspace_cache - a CPU's cache of the last address spaces, for the sample path
 * @last:	the address space that was used last, or NULL
 * @line:	answers that hold for some time, by a hash of their keys
 * @other:	the last answer that may not be cached
 */
struct kf_aspace_cache {
	struct kf_aspace_line *last;
	struct kf_aspace_line line[KF_ASPACE_CACHE];
	struct kf_aspace_line other;
};

size_t kf_aspaces_bytes(void);
int kf_aspaces_init(struct kf_aspaces *a, struct kf_records *out, struct kf_held *held,
		    struct kf_umaps *umaps);
void kf_aspaces_close(struct kf_aspaces *a);
void kf_aspaces_exit(struct kf_aspaces *a);
const struct kf_aspace_line *kf_aspace_find(struct kf_aspaces *a,
					    struct kf_aspace_cache *cache, bool *kick);
int kf_aspaces_number(struct kf_aspaces *a, unsigned long address, u64 *id);
bool kf_aspaces_work(struct kf_aspaces *a);
bool kf_aspaces_idle(struct kf_aspaces *a);
u64 kf_aspaces_newest(struct kf_aspaces *a);
size_t kf_aspaces_ids(struct kf_aspaces *a, u64 *ids, size_t room);

/* Are its mappings kept, but overwritten by others? */
static __always_inline bool kf_aspace_run_gone(const struct kf_aspaces *a,
					       const struct kf_umap_run *run)
{
	return a->umaps && run->known && kf_umaps_gone(a->umaps, run);
}

/* Is @line current's address space, unchanged since the line was filled? @keeps: see below */
static __always_inline bool kf_aspace_is(const struct kf_aspaces *a,
					 const struct kf_aspace_line *line, bool keeps)
{
	/* The group leader exists as long as current->mm does. */
	return line->key.mm == current->mm &&
	       line->key.start_time == current->group_leader->start_time &&
	       line->key.tgid == (u32)current->tgid &&
	       line->key.exec_id == (u32)current->self_exec_id &&
	       line->exec_vm == READ_ONCE(current->mm->exec_vm) &&
	       line->changes == kf_mm_changes(current->mm) && time_before(jiffies, line->until) &&
	       !(keeps && kf_aspace_run_gone(a, &line->run));
}

/**
 * kf_aspace_of_current() - get the address space of current
 * @a:		the session's
 * @cache:	this CPU's
 * @keeps:	mappings may be kept; a compile-time constant
 * @kick:	set if there is work for kf_aspaces_work()
 *
 * Context: hard interrupt, interrupts off; current->mm is set, current is no
 * kernel thread and not in the middle of exec (a new mm under the old identity).
 * Return: its id and mappings, valid until the next call on this CPU.
 */
static __always_inline const struct kf_aspace_line *
kf_aspace_of_current(struct kf_aspaces *a, struct kf_aspace_cache *cache, bool keeps, bool *kick)
{
	const struct kf_aspace_line *last = cache->last;

	if (likely(last && kf_aspace_is(a, last, keeps)))
		return last;
	return kf_aspace_find(a, cache, kick);
}

/**
 * kf_aspace_unknown() - note that a sample of current has an address in none of its mappings
 * @cache:	this CPU's
 *
 * Context: as kf_aspace_of_current(), after a call of it.
 */
static inline void kf_aspace_unknown(struct kf_aspace_cache *cache)
{
	struct kf_aspace_line *last = cache->last;

	if (!last || last->unknown)
		return;
	last->unknown = true;
	last->until = jiffies;
}

#endif
