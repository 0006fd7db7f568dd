// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lock_functions.c - the functions in which threads wait for locks, asleep or in a loop
 */
#include <string.h>

#include "views/lock_functions.h"

#define LEN(array)	(sizeof(array) / sizeof((array)[0]))

struct function_kind {
	const char *name;
	enum lock_kind kind;
};

/*
 * The kernel's functions, from schedule() out to the function that code calls to take a lock.  Versions are those
 * that have a function, from 5.10 to 6.17; no version: all of them.  PREEMPT_RT kernels make other locks of
 * rt-mutexes, so the outermost function decides.
 */
static const struct function_kind of_kernel[] = {
	{ "__schedule", LOCK_PART }, { "schedule", LOCK_PART }, { "schedule_preempt_disabled", LOCK_PART },
	{ "schedule_timeout", LOCK_PART }, { "schedule_hrtimeout_range", LOCK_PART },
	{ "schedule_hrtimeout_range_clock", LOCK_PART }, { "io_schedule", LOCK_PART },
	{ "io_schedule_timeout", LOCK_PART }, { "__schedule_loop", LOCK_PART },		/* 6.7 */
	{ "schedule_rtlock", LOCK_PART }, { "rt_mutex_schedule", LOCK_PART },		/* 5.15, 6.7 */
	{ "freezable_schedule", LOCK_PART }, { "freezable_schedule_timeout", LOCK_PART }, /* to 6.0 */
	{ "__traceiter_sched_switch", LOCK_PART }, { "trace_sched_switch", LOCK_PART },
	{ "__mutex_lock", LOCK_MUTEX }, { "__mutex_lock_common", LOCK_MUTEX }, { "__mutex_lock_slowpath", LOCK_MUTEX },
	{ "__mutex_lock_killable_slowpath", LOCK_MUTEX }, { "__mutex_lock_interruptible_slowpath", LOCK_MUTEX },
	{ "mutex_lock", LOCK_MUTEX }, { "mutex_lock_killable", LOCK_MUTEX }, { "mutex_lock_interruptible", LOCK_MUTEX },
	{ "mutex_lock_io", LOCK_MUTEX }, { "mutex_lock_nested", LOCK_MUTEX }, { "_mutex_lock_nest_lock", LOCK_MUTEX },
	{ "mutex_lock_killable_nested", LOCK_MUTEX }, { "mutex_lock_interruptible_nested", LOCK_MUTEX },
	{ "mutex_lock_io_nested", LOCK_MUTEX },
	{ "_mutex_lock_killable", LOCK_MUTEX }, { "__mutex_lock_io", LOCK_MUTEX },	/* 6.16 */
	{ "__ww_mutex_lock", LOCK_MUTEX }, { "__ww_mutex_lock_slowpath", LOCK_MUTEX },
	{ "__ww_mutex_lock_interruptible_slowpath", LOCK_MUTEX }, { "ww_mutex_lock", LOCK_MUTEX },
	{ "ww_mutex_lock_interruptible", LOCK_MUTEX }, { "__ww_rt_mutex_lock", LOCK_MUTEX },
	{ "rwsem_down_read_slowpath", LOCK_RWSEM_READ }, { "__down_read", LOCK_RWSEM_READ },
	{ "__down_read_common", LOCK_RWSEM_READ }, { "__down_read_killable", LOCK_RWSEM_READ },
	{ "__down_read_interruptible", LOCK_RWSEM_READ }, { "down_read", LOCK_RWSEM_READ },
	{ "down_read_killable", LOCK_RWSEM_READ }, { "down_read_interruptible", LOCK_RWSEM_READ },
	{ "down_read_nested", LOCK_RWSEM_READ }, { "down_read_non_owner", LOCK_RWSEM_READ },
	{ "down_read_killable_nested", LOCK_RWSEM_READ },
	{ "mmap_read_lock", LOCK_RWSEM_READ }, { "mmap_read_lock_killable", LOCK_RWSEM_READ },
	{ "inode_lock_shared", LOCK_RWSEM_READ }, { "rwbase_read_lock", LOCK_RWSEM_READ },	/* 5.15, -rt */
	{ "__rwbase_read_lock", LOCK_RWSEM_READ }, { "__rwsem_rt_down_read", LOCK_RWSEM_READ },
	{ "rwsem_down_write_slowpath", LOCK_RWSEM_WRITE }, { "__down_write", LOCK_RWSEM_WRITE },
	{ "__down_write_common", LOCK_RWSEM_WRITE }, { "__down_write_killable", LOCK_RWSEM_WRITE },
	{ "down_write", LOCK_RWSEM_WRITE }, { "down_write_killable", LOCK_RWSEM_WRITE },
	{ "down_write_nested", LOCK_RWSEM_WRITE }, { "_down_write_nest_lock", LOCK_RWSEM_WRITE },
	{ "down_write_killable_nested", LOCK_RWSEM_WRITE },
	{ "mmap_write_lock", LOCK_RWSEM_WRITE }, { "mmap_write_lock_killable", LOCK_RWSEM_WRITE },
	{ "inode_lock", LOCK_RWSEM_WRITE }, { "rwbase_write_lock", LOCK_RWSEM_WRITE },
	{ "__rwsem_rt_down_write", LOCK_RWSEM_WRITE },
	{ "percpu_rwsem_wait", LOCK_PART }, { "__percpu_down_read", LOCK_PERCPU_READ },
	{ "percpu_down_read", LOCK_PERCPU_READ }, { "percpu_down_read_internal", LOCK_PERCPU_READ },
	{ "cpus_read_lock", LOCK_PERCPU_READ }, { "percpu_down_write", LOCK_PERCPU_WRITE },
	{ "rcuwait_wait_event", LOCK_PART }, { "cpus_write_lock", LOCK_PERCPU_WRITE },
	{ "rt_mutex_slowlock", LOCK_RT_MUTEX }, { "__rt_mutex_slowlock", LOCK_RT_MUTEX },
	{ "rt_mutex_slowlock_locked", LOCK_RT_MUTEX }, { "__rt_mutex_slowlock_locked", LOCK_RT_MUTEX },
	{ "rt_mutex_slowlock_block", LOCK_RT_MUTEX }, { "__rt_mutex_lock", LOCK_RT_MUTEX },
	{ "__rt_mutex_lock_common", LOCK_RT_MUTEX }, { "rt_mutex_lock", LOCK_RT_MUTEX },
	{ "rt_mutex_lock_nested", LOCK_RT_MUTEX }, { "_rt_mutex_lock_nest_lock", LOCK_RT_MUTEX },
	{ "rt_mutex_lock_interruptible", LOCK_RT_MUTEX }, { "rt_mutex_lock_killable", LOCK_RT_MUTEX },
	{ "__rt_mutex_lock_state", LOCK_RT_MUTEX }, { "rt_mutex_lock_state", LOCK_RT_MUTEX },	/* 5.10-rt */
	{ "rt_mutex_wait_proxy_lock", LOCK_RT_MUTEX }, { "_mutex_lock", LOCK_MUTEX },		/* 5.10-rt */
	{ "_mutex_lock_interruptible", LOCK_MUTEX },
	{ "rtlock_slowlock", LOCK_RTLOCK }, { "rtlock_slowlock_locked", LOCK_RTLOCK },		/* 5.15 */
	{ "rtlock_lock", LOCK_RTLOCK }, { "__rt_spin_lock", LOCK_RTLOCK }, { "rt_spin_lock", LOCK_RTLOCK },
	{ "rt_spin_lock_nested", LOCK_RTLOCK }, { "rt_spin_lock_nest_lock", LOCK_RTLOCK },
	{ "rt_spin_lock_slowlock", LOCK_RTLOCK }, { "rt_spin_lock_slowlock_locked", LOCK_RTLOCK }, /* 5.10-rt */
	{ "rt_read_lock", LOCK_RTLOCK }, { "rt_write_lock", LOCK_RTLOCK }, { "rt_write_lock_nested", LOCK_RTLOCK },
	{ "__read_rt_lock", LOCK_RTLOCK }, { "__write_rt_lock", LOCK_RTLOCK },			/* 5.10-rt */
	{ "__down", LOCK_SEMAPHORE }, { "__down_common", LOCK_SEMAPHORE }, { "___down_common", LOCK_SEMAPHORE },
	{ "__down_interruptible", LOCK_SEMAPHORE }, { "__down_killable", LOCK_SEMAPHORE },
	{ "__down_timeout", LOCK_SEMAPHORE }, { "down", LOCK_SEMAPHORE }, { "down_interruptible", LOCK_SEMAPHORE },
	{ "down_killable", LOCK_SEMAPHORE }, { "down_timeout", LOCK_SEMAPHORE },
	{ "futex_wait_queue_me", LOCK_FUTEX }, { "futex_wait_queue", LOCK_FUTEX },	/* to 5.15, from 5.16 */
	{ "futex_do_wait", LOCK_FUTEX }, { "__futex_wait", LOCK_FUTEX },		/* 6.15, 6.7 */
	{ "futex_wait", LOCK_FUTEX }, { "futex_wait_restart", LOCK_FUTEX }, { "futex_lock_pi", LOCK_FUTEX },
	{ "futex_wait_requeue_pi", LOCK_FUTEX }, { "futex_sleep_multiple", LOCK_FUTEX },	/* 5.16 */
	{ "__futex_wait_multiple", LOCK_FUTEX }, { "futex_wait_multiple", LOCK_FUTEX },
};

/*
 * The kernel's functions that run in a loop until a lock is free, and those that call them; also locks of sleeping
 * threads, as long as the owner runs.  5.10 to 6.17.  With CONFIG_DEBUG_LOCK_ALLOC names end in _nested.
 */
static const struct function_kind that_spin[] = {
	{ "native_queued_spin_lock_slowpath", LOCK_SPINLOCK }, { "queued_spin_lock_slowpath", LOCK_SPINLOCK },
	{ "__pv_queued_spin_lock_slowpath", LOCK_SPINLOCK }, { "pv_wait_head_or_lock", LOCK_SPINLOCK },
	{ "__pv_wait_node", LOCK_SPINLOCK }, { "pv_wait_node", LOCK_SPINLOCK },
	{ "resilient_queued_spin_lock_slowpath", LOCK_SPINLOCK },				/* 6.15 */
	{ "kvm_wait", LOCK_PART }, { "xen_qlock_wait", LOCK_PART }, { "hv_qlock_wait", LOCK_PART },
	{ "queued_read_lock_slowpath", LOCK_RWLOCK_READ }, { "queued_write_lock_slowpath", LOCK_RWLOCK_WRITE },
	{ "osq_lock", LOCK_PART }, { "osq_wait_next", LOCK_PART },
	{ "mutex_spin_on_owner", LOCK_MUTEX }, { "mutex_optimistic_spin", LOCK_MUTEX },
	{ "rwsem_spin_on_owner", LOCK_RWSEM_WRITE }, { "rwsem_optimistic_spin", LOCK_RWSEM_WRITE },
	{ "rtmutex_spin_on_owner", LOCK_RT_MUTEX },
};

/* Who calls them to take a lock */
static const struct function_kind of_spinlocks[] = {
	{ "do_raw_spin_lock", LOCK_SPINLOCK }, { "do_raw_spin_lock_flags", LOCK_SPINLOCK },
	{ "_raw_spin_lock", LOCK_SPINLOCK }, { "_raw_spin_lock_irq", LOCK_SPINLOCK },
	{ "_raw_spin_lock_irqsave", LOCK_SPINLOCK }, { "_raw_spin_lock_bh", LOCK_SPINLOCK },
	{ "__raw_spin_lock", LOCK_SPINLOCK }, { "__raw_spin_lock_irq", LOCK_SPINLOCK },
	{ "__raw_spin_lock_irqsave", LOCK_SPINLOCK }, { "__raw_spin_lock_bh", LOCK_SPINLOCK },
	{ "_raw_spin_lock_nested", LOCK_SPINLOCK }, { "_raw_spin_lock_nest_lock", LOCK_SPINLOCK },
	{ "_raw_spin_lock_irqsave_nested", LOCK_SPINLOCK }, { "_raw_spin_lock_bh_nested", LOCK_SPINLOCK },
	{ "raw_spin_rq_lock_nested", LOCK_SPINLOCK }, { "raw_spin_rq_lock", LOCK_SPINLOCK },
	{ "do_raw_read_lock", LOCK_RWLOCK_READ }, { "_raw_read_lock", LOCK_RWLOCK_READ },
	{ "_raw_read_lock_irq", LOCK_RWLOCK_READ }, { "_raw_read_lock_irqsave", LOCK_RWLOCK_READ },
	{ "_raw_read_lock_bh", LOCK_RWLOCK_READ },
	{ "do_raw_write_lock", LOCK_RWLOCK_WRITE }, { "_raw_write_lock", LOCK_RWLOCK_WRITE },
	{ "_raw_write_lock_irq", LOCK_RWLOCK_WRITE }, { "_raw_write_lock_irqsave", LOCK_RWLOCK_WRITE },
	{ "_raw_write_lock_bh", LOCK_RWLOCK_WRITE }, { "_raw_write_lock_nested", LOCK_RWLOCK_WRITE },
};

/*
 * Functions of user code, without leading underscores and GI_ (glibc's local names).  The outermost one decides.
 * glibc 2.28 to 2.42, musl, libstdc++, Rust's std.
 */
static const struct function_kind of_user[] = {
	{ "syscall", LOCK_PART }, { "futex_abstimed_wait_common", LOCK_PART },
	{ "futex_abstimed_wait_common64", LOCK_PART }, { "futex_abstimed_wait64", LOCK_PART },
	{ "futex_abstimed_wait_cancelable64", LOCK_PART }, { "futex_wait_simple", LOCK_PART },
	{ "futex_wait_cancelable", LOCK_PART }, { "futex_lock_pi64", LOCK_PART }, { "futex_wait", LOCK_PART },
	{ "lll_lock_wait", LOCK_USER_MUTEX }, { "lll_lock_wait_private", LOCK_USER_MUTEX },
	{ "lll_mutex_lock_optimized", LOCK_USER_MUTEX }, { "lll_timedlock_wait", LOCK_USER_MUTEX },
	{ "timedwait", LOCK_PART }, { "timedwait_cp", LOCK_PART },
	{ "pthread_mutex_lock", LOCK_USER_MUTEX }, { "pthread_mutex_lock_full", LOCK_USER_MUTEX },
	{ "pthread_mutex_timedlock", LOCK_USER_MUTEX }, { "pthread_mutex_clocklock", LOCK_USER_MUTEX },
	{ "pthread_mutex_clocklock_common", LOCK_USER_MUTEX }, { "pthread_mutex_cond_lock", LOCK_USER_MUTEX },
	{ "pthread_mutex_cond_lock_full", LOCK_USER_MUTEX }, { "mtx_lock", LOCK_USER_MUTEX },
	{ "mtx_timedlock", LOCK_USER_MUTEX }, { "gthread_mutex_lock", LOCK_USER_MUTEX },
	{ "std::mutex::lock", LOCK_USER_MUTEX }, { "std::recursive_mutex::lock", LOCK_USER_MUTEX },
	{ "std::unique_lock<std::mutex>::lock", LOCK_USER_MUTEX },
	{ "std::unique_lock<std::mutex>::unique_lock", LOCK_USER_MUTEX },
	{ "std::lock_guard<std::mutex>::lock_guard", LOCK_USER_MUTEX },
	{ "std::scoped_lock<std::mutex>::scoped_lock", LOCK_USER_MUTEX },
	{ "std::sys::unix::futex::futex_wait", LOCK_PART }, { "std::sys::pal::unix::futex::futex_wait", LOCK_PART },
	{ "std::sys::sync::mutex::futex::Mutex::lock_contended", LOCK_USER_MUTEX },
	{ "std::sys::sync::mutex::futex::Mutex::lock", LOCK_USER_MUTEX },
	{ "pthread_rwlock_rdlock", LOCK_USER_RWLOCK }, { "pthread_rwlock_wrlock", LOCK_USER_RWLOCK },
	{ "pthread_rwlock_rdlock_full", LOCK_USER_RWLOCK }, { "pthread_rwlock_wrlock_full", LOCK_USER_RWLOCK },
	{ "pthread_rwlock_rdlock_full64", LOCK_USER_RWLOCK }, { "pthread_rwlock_wrlock_full64", LOCK_USER_RWLOCK },
	{ "pthread_rwlock_timedrdlock", LOCK_USER_RWLOCK }, { "pthread_rwlock_timedwrlock", LOCK_USER_RWLOCK },
	{ "pthread_cond_wait", LOCK_USER_CONDITION }, { "pthread_cond_wait_common", LOCK_USER_CONDITION },
	{ "pthread_cond_timedwait", LOCK_USER_CONDITION }, { "pthread_cond_timedwait64", LOCK_USER_CONDITION },
	{ "pthread_cond_clockwait", LOCK_USER_CONDITION }, { "pthread_cond_clockwait64", LOCK_USER_CONDITION },
	{ "cnd_wait", LOCK_USER_CONDITION }, { "cnd_timedwait", LOCK_USER_CONDITION },
	{ "gthread_cond_wait", LOCK_USER_CONDITION }, { "std::__condvar::wait", LOCK_USER_CONDITION },
	{ "std::condition_variable::wait", LOCK_USER_CONDITION },
	{ "sem_wait", LOCK_USER_SEMAPHORE }, { "new_sem_wait", LOCK_USER_SEMAPHORE },
	{ "new_sem_wait_slow", LOCK_USER_SEMAPHORE }, { "new_sem_wait_slow64", LOCK_USER_SEMAPHORE },
	{ "do_futex_wait", LOCK_PART }, { "sem_timedwait", LOCK_USER_SEMAPHORE },
	{ "sem_clockwait", LOCK_USER_SEMAPHORE }, { "sem_timedwait64", LOCK_USER_SEMAPHORE },
	{ "sem_clockwait64", LOCK_USER_SEMAPHORE }, { "pthread_barrier_wait", LOCK_USER_BARRIER },
	{ "pthread_join", LOCK_USER_JOIN }, { "pthread_clockjoin_ex", LOCK_USER_JOIN },
	{ "pthread_timedjoin_ex", LOCK_USER_JOIN }, { "pthread_timedjoin_np", LOCK_USER_JOIN },
	{ "thrd_join", LOCK_USER_JOIN }, { "lll_wait_tid", LOCK_USER_JOIN }, { "std::thread::join", LOCK_USER_JOIN },
	{ "pthread_once", LOCK_USER_ONCE }, { "pthread_once_slow", LOCK_USER_ONCE },
};

/* Looks @name up, without what compilers, linkers and --lines add: .constprop.0, @@GLIBC_2.2.5, (), " file.c:1" */
static enum lock_kind find(const struct function_kind *all, size_t nr, const char *name)
{
	const size_t len = strcspn(name, ".@( ");

	for (size_t i = 0; i < nr; i++)
		if (!strncmp(all[i].name, name, len) && !all[i].name[len])
			return all[i].kind;
	return LOCK_NOT;
}

enum lock_kind lock_of_kernel(const struct frame *f)
{
	enum lock_kind kind = find(of_kernel, LEN(of_kernel), f->name);

	if (kind == LOCK_NOT)
		kind = find(that_spin, LEN(that_spin), f->name);
	return kind == LOCK_NOT ? find(of_spinlocks, LEN(of_spinlocks), f->name) : kind;
}

bool lock_spins_in_kernel(const struct frame *f)
{
	return find(that_spin, LEN(that_spin), f->name) != LOCK_NOT;
}

/* Is it a function of the C library, of which not even the name is known? */
static bool is_nameless(const struct frame *f)
{
	static const char *const libraries[] = { "libc.so", "libc-", "libpthread", "ld-musl", "libc.musl" };

	if (f->name[0] != '[' || !f->file)
		return false;
	for (size_t i = 0; i < LEN(libraries); i++)
		if (!strncmp(f->file, libraries[i], strlen(libraries[i])))
			return true;
	return false;
}

enum lock_kind lock_of_user(const struct frame *f)
{
	const char *name = f->name + strspn(f->name, "_");

	if (is_nameless(f))
		return LOCK_PART;
	if (!strncmp(name, "GI_", 3))
		name += 3 + strspn(name + 3, "_");
	return find(of_user, LEN(of_user), name);
}

const char *lock_name(enum lock_kind kind)
{
	static const char *const names[] = {
		[LOCK_SPINLOCK] = "spinlock", [LOCK_RWLOCK_READ] = "rwlock (read)",
		[LOCK_RWLOCK_WRITE] = "rwlock (write)", [LOCK_MUTEX] = "mutex", [LOCK_RWSEM_READ] = "rwsem (read)", [LOCK_RWSEM_WRITE] = "rwsem (write)",
		[LOCK_PERCPU_READ] = "percpu rwsem (read)", [LOCK_PERCPU_WRITE] = "percpu rwsem (write)",
		[LOCK_RT_MUTEX] = "rt-mutex", [LOCK_RTLOCK] = "rtlock", [LOCK_SEMAPHORE] = "semaphore",
		[LOCK_FUTEX] = "futex", [LOCK_USER_MUTEX] = "futex (mutex)", [LOCK_USER_RWLOCK] = "futex (rwlock)",
		[LOCK_USER_CONDITION] = "futex (condition)", [LOCK_USER_SEMAPHORE] = "futex (semaphore)",
		[LOCK_USER_BARRIER] = "futex (barrier)", [LOCK_USER_JOIN] = "futex (join)",
		[LOCK_USER_ONCE] = "futex (once)",
	};

	return kind < LEN(names) ? names[kind] : NULL;
}
