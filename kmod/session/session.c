// SPDX-License-Identifier: GPL-2.0-only
/*
 * session.c - life of a session, see session/session.h
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/list.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>

#include "base/memory.h"
#include "base/work.h"
#include "compat/compat.h"
#include "sample/explained.h"
#include "sample/sample.h"
#include "session/epochs.h"
#include "session/forget.h"
#include "session/session.h"
#include "source/timer.h"

/* When to try again after an mmap lock was not available */
#define RETRY_MS	4

static LIST_HEAD(running);
static DEFINE_MUTEX(running_lock);
/*
 * Only one session allocates at a time. How much of the free memory an allocation takes is known
 * only when the allocation is done.
 */
static DEFINE_MUTEX(alloc_lock);
static enum cpuhp_state hotplug_state;

/* ------------------------------------------------------------ waking up */

static void wake_fn(struct irq_work *irq_work)
{
	struct kf_session *s = container_of(irq_work, struct kf_session, sampling.wake);

	mod_delayed_work(kf_wq, &s->work, 0);
}

/*
 * Ask the reader to take all tables if that is due. The work may have run for another reason.
 * Return: jiffies until it is due again.
 */
static unsigned long drain_when_due(struct kf_session *s)
{
	const unsigned long now = jiffies;

	if (time_after_eq(now, READ_ONCE(s->drain_at))) {
		WRITE_ONCE(s->drain_at, now + KF_DRAIN_JIFFIES);
		WRITE_ONCE(s->drains, s->drains + 1);
	}
	return READ_ONCE(s->drain_at) - now;
}

static void work_fn(struct work_struct *work)
{
	struct kf_session *s = container_of(to_delayed_work(work), struct kf_session, work);
	bool again = kf_aspaces_work(&s->sampling.aspaces);
	unsigned long expiry = kf_held_expire(&s->held);
	bool runs = READ_ONCE(s->state) == KF_RUNNING;
	unsigned long due = runs ? drain_when_due(s) : 0;

	kf_session_forget(s);
	if (again)
		queue_delayed_work(kf_wq, &s->work, msecs_to_jiffies(RETRY_MS));
	else if (expiry || runs)
		queue_delayed_work(kf_wq, &s->work, min_not_zero(expiry, due));
	if (!cpumask_empty(s->sampling.full)) {
		WRITE_ONCE(s->wakeups, s->wakeups + 1);
		if (s->drain)
			s->drain(s);
	}
	wake_up_interruptible(&s->wait);
}

/* ------------------------------------------------------ create, configure */

/**
 * kf_session_create() - create a session that is not configured; may sleep
 *
 * Return: the session, or NULL without memory. kf_session_destroy() ends it.
 */
struct kf_session *kf_session_create(void)
{
	struct kf_session *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	if (!zalloc_cpumask_var(&s->cpus, GFP_KERNEL))
		goto free_session;
	if (!zalloc_cpumask_var(&s->sampling.full, GFP_KERNEL))
		goto free_cpus;
	mutex_init(&s->control);
	mutex_init(&s->ctl);
	mutex_init(&s->take);
	INIT_LIST_HEAD(&s->running);
	init_waitqueue_head(&s->wait);
	kf_records_init(&s->records);
	kf_held_init(&s->held);
	kf_utables_init(&s->tables);
	kf_init_irq_work_hard(&s->sampling.wake, wake_fn);
	INIT_DELAYED_WORK(&s->work, work_fn);
	return s;

free_cpus:
	free_cpumask_var(s->cpus);
free_session:
	kfree(s);
	return NULL;
}

/* ------------------------------------------------------------- start, stop */

/*
 * Arm all events of a session on a CPU. Runs there, interrupts off. Whoever freezes the session sets the flag
 * first, and then disarms each CPU that is online. So a CPU either sees the flag here, or is disarmed later.
 */
static void arm_fn(void *cpu)
{
	struct kf_cpu *c = cpu;
	const struct kf_event *e = c->sampling->events;
	u32 i;

	if (READ_ONCE(container_of(c->sampling, struct kf_session, sampling)->frozen))
		return;
	for (i = 0; i < c->sampling->nr_events; i++)
		e[i].source->arm(kf_cpu_event(c, e[i].id));
	if (c->epochs)
		kf_epochs_arm(c->epochs);
}

static void disarm_fn(void *cpu)
{
	struct kf_cpu *c = cpu;
	const struct kf_event *e = c->sampling->events;
	u32 i;

	for (i = 0; i < c->sampling->nr_events; i++)
		e[i].source->disarm(kf_cpu_event(c, e[i].id));
	if (c->epochs)
		kf_epochs_disarm(c->epochs);
}

/*
 * Disarm all events of a session on this CPU, for a session that is frozen. Context: hard interrupt,
 * interrupts off, in no callback of a timer of the session.
 */
void kf_session_disarm_here(struct kf_session *s)
{
	disarm_fn(this_cpu_ptr(s->cpu));
}

/* @more: out: there may be more to count */
struct drain {
	struct kf_cpu *cpu;
	bool more;
};

/* Count some of what is pending. Runs on the CPU of the argument's @cpu, interrupts off. */
static void drain_fn(void *arg)
{
	struct drain *d = arg;
	struct kf_event *e = d->cpu->sampling->events;
	u32 i;

	for (i = 0; i < d->cpu->sampling->nr_events; i++)
		if (e[i].source->drain)
			d->more |= e[i].source->drain(&e[i], kf_cpu_event(d->cpu, e[i].id));
}

/* Count what has begun and not ended, on one CPU after the other, so that no table has to take all of it. */
static void drain_events(struct kf_session *s)
{
	struct drain d = { .more = true };
	bool needed = false;
	unsigned int cpu;
	u32 i;

	for (i = 0; i < s->sampling.nr_events; i++)
		needed |= !!s->sampling.events[i].source->drain;
	while (needed && d.more) {
		d.more = false;
		for_each_cpu_and(cpu, s->cpus, cpu_online_mask) {
			d.cpu = per_cpu_ptr(s->cpu, cpu);
			smp_call_function_single(cpu, drain_fn, &d, 1);
		}
		cond_resched();
	}
}

static void detach(struct kf_sampling *sampling, u32 nr)
{
	const struct kf_source *source;

	while (nr--) {
		source = sampling->events[nr].source;
		if (source->detach)
			source->detach(&sampling->events[nr]);
	}
}

/* Attach the sources of a session, all or none. */
static int attach(struct kf_sampling *sampling)
{
	const struct kf_source *source;
	int err;
	u32 i;

	for (i = 0; i < sampling->nr_events; i++) {
		source = sampling->events[i].source;
		err = source->attach ? source->attach(&sampling->events[i]) : 0;
		if (err) {
			detach(sampling, i);
			return err;
		}
	}
	return 0;
}

/*
 * Allocate the table and the ring of a CPU to be sampled: both or none. The ring comes last, since
 * user space may map it as soon as it exists.
 */
static int alloc_cpu(struct kf_session *s, unsigned int cpu)
{
	struct kf_table *table = kf_table_create(s->sampling.config.entries,
						 kf_table_samples(&s->sampling.config),
						 cpu_to_node(cpu));
	struct kf_cpu *c = per_cpu_ptr(s->cpu, cpu);

	if (!table)
		return -ENOMEM;
	if (kf_has_tables(&s->sampling.config) &&
	    kf_uwalk_init(&c->uwalk, kf_keeps_chains(&s->sampling.config), cpu_to_node(cpu)))
		goto destroy_table;
	if (s->epochs && kf_epochs_create(s, cpu, table))
		goto free_walk;
	if (s->sampling.config.dump && kf_ring_init(&c->ring, s->sampling.config.ring_bytes))
		goto free_epochs;
	/* Readers look at @c->table without a lock. */
	smp_store_release(&c->table, table);
	return 0;

free_epochs:
	if (c->epochs) {
		kf_epochs_destroy(c);
		table = NULL;
	}
free_walk:
	kf_uwalk_exit(&c->uwalk);
destroy_table:
	kf_table_destroy(table);
	return -ENOMEM;
}

static int alloc_cpu_alone(struct kf_session *s, unsigned int cpu)
{
	size_t bytes = kf_cpu_bytes(s);
	int err = -ENOMEM;

	mutex_lock(&alloc_lock);
	if (kf_memory_reserve(bytes)) {
		err = alloc_cpu(s, cpu);
		if (err)
			kf_memory_release(bytes);
		else
			s->memory += bytes;
	}
	mutex_unlock(&alloc_lock);
	return err;
}

/* Sample a CPU that was offline at the first START, if the cap allows. */
static void session_add_cpu(struct kf_session *s, unsigned int cpu)
{
	if (!per_cpu_ptr(s->cpu, cpu)->table && alloc_cpu_alone(s, cpu))
		pr_warn_ratelimited("kflame: CPU %u is online and not sampled: no memory for its table\n",
				    cpu);
}

static int alloc_spares(struct kf_session *s)
{
	int node;

	s->spare = kcalloc(nr_node_ids, sizeof(*s->spare), GFP_KERNEL);
	if (!s->spare)
		return -ENOMEM;
	for_each_node_state(node, N_MEMORY) {
		s->spare[node] = kf_table_create(s->sampling.config.entries,
						 kf_table_samples(&s->sampling.config), node);
		if (!s->spare[node])
			return -ENOMEM;
	}
	return 0;
}

static void free_events(struct kf_session *s, struct kf_cpu *c)
{
	u32 i;

	for (i = 0; c->events && i < s->sampling.config.nr_events; i++)
		kfree(c->events[i].weights);
	kfree(c->events);
}

static void free_memory(struct kf_session *s)
{
	unsigned int cpu;
	int node;

	kf_aspaces_exit(&s->sampling.aspaces);
	kf_held_exit(&s->held);
	memset(&s->sampling.aspaces, 0, sizeof(s->sampling.aspaces));
	kf_utables_exit(&s->tables);
	kf_umaps_exit(&s->umaps);
	kf_kcache_destroy(s->kcache);
	s->kcache = NULL;
	kf_labels_destroy(s->sampling.labels);
	s->sampling.labels = NULL;
	kf_interpreters_destroy(s->sampling.interpreters);
	s->sampling.interpreters = NULL;
	if (s->cpu) {
		for_each_possible_cpu(cpu) {
			kf_epochs_destroy(per_cpu_ptr(s->cpu, cpu));
			kf_table_destroy(per_cpu_ptr(s->cpu, cpu)->table);
			kf_uwalk_exit(&per_cpu_ptr(s->cpu, cpu)->uwalk);
			kf_ucheck_destroy(per_cpu_ptr(s->cpu, cpu)->ucheck);
			kf_explained_destroy(per_cpu_ptr(s->cpu, cpu)->explained);
			free_events(s, per_cpu_ptr(s->cpu, cpu));
			kf_ring_exit(&per_cpu_ptr(s->cpu, cpu)->ring);
		}
	}
	free_percpu(s->cpu);
	s->cpu = NULL;
	if (s->spare)
		for (node = 0; node < nr_node_ids; node++)
			kf_table_destroy(s->spare[node]);
	kfree(s->spare);
	s->spare = NULL;
	kf_memory_release(s->memory);
	s->memory = 0;
}

/*
 * Allocate what all CPUs share for walks by unwind tables. On an error the caller calls
 * free_memory().
 */
static int alloc_tables(struct kf_session *s)
{
	int err = kf_utables_alloc(&s->tables, s->sampling.config.table_bytes);

	return err ? err : kf_umaps_init(&s->umaps);
}

/* Histograms of weights, for events that measure lengths. On an error the caller calls free_memory(). */
static int alloc_weights(struct kf_session *s, struct kf_cpu *c, unsigned int cpu)
{
	const struct kf_event *e = s->sampling.events;
	struct kf_event_cpu *part;
	u32 i;

	for (i = 0; i < s->sampling.nr_events; i++) {
		if (!kf_event_measures(&e[i]))
			continue;
		part = kf_cpu_event(c, e[i].id);
		part->weights = kcalloc_node(KFLAME_NR_GROUPS, sizeof(*part->weights),
					     GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN, cpu_to_node(cpu));
		if (!part->weights)
			return -ENOMEM;
	}
	return 0;
}

/* Accounting of events other than the timer. On an error the caller calls free_memory(). */
static int alloc_events(struct kf_session *s, struct kf_cpu *c, unsigned int cpu)
{
	const u32 nr = s->sampling.config.nr_events;
	u32 i;

	if (!nr)
		return 0;
	c->events = kcalloc_node(nr, sizeof(*c->events), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN,
				 cpu_to_node(cpu));
	if (!c->events)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		c->events[i].cpu = cpu;
	return alloc_weights(s, c, cpu);
}

/*
 * Runs under cpus_read_lock(), whose assertion is not exported: the online CPUs are counted twice,
 * and must not change in between.
 */
static int alloc_memory(struct kf_session *s)
{
	size_t memory = kf_session_bytes(s);
	struct kf_cpu *c;
	unsigned int cpu;
	int err = -ENOMEM;
	u32 i;

	if (!kf_memory_reserve(memory))
		return -ENOMEM;
	s->memory = memory;
	s->cpu = alloc_percpu_gfp(struct kf_cpu, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!s->cpu)
		goto fail;
	if (kf_has_labels(&s->sampling)) {
		s->sampling.labels = kf_labels_create();
		if (!s->sampling.labels)
			goto fail;
	}
	for (i = 0; i < s->sampling.nr_events; i++) {
		s->sampling.events[i].cpu = s->cpu;
		s->sampling.events[i].cpus = s->cpus;
		if (s->sampling.events[i].flags & KFLAME_EF_LABELS)
			s->sampling.events[i].labels = s->sampling.labels;
	}
	if (kf_caches_kstacks(&s->sampling.config)) {
		s->kcache = kf_kcache_create();
		if (!s->kcache)
			goto fail;
	}
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(s->cpu, cpu);
		c->sampling = &s->sampling;
		c->key.cpu = cpu;
		c->space.tables = &s->tables;
		c->space.maps = &s->umaps;
		c->space.uway = s->sampling.config.uway;
		c->space.cpu = &c->uwalk;
		c->kwalk.cache = s->kcache;
		c->guesses = kf_guesses(&s->sampling.config);
		c->matches = kf_matches(s);
		kf_timer_init(&c->timer, kf_sample_callback(kf_session_plan(s)), cpu,
			      s->sampling.config.period_ns, s->sampling.config.budget_permille);
		err = alloc_events(s, c, cpu);
		if (err)
			goto fail;
		err = kf_ucheck_create(&c->ucheck, cpu_to_node(cpu));
		if (err)
			goto fail;
		err = kf_explained_create(&c->explained, &s->sampling.config, cpu_to_node(cpu));
		if (err)
			goto fail;
	}
	if (kf_has_tables(&s->sampling.config)) {
		err = alloc_tables(s);
		if (err)
			goto fail;
	}
	err = kf_aspaces_init(&s->sampling.aspaces, &s->records, &s->held,
			      s->umaps.ring ? &s->umaps : NULL);
	if (err)
		goto fail;
	if (s->sampling.config.flags & KFLAME_CF_HOLD_FILES)
		err = kf_held_alloc(&s->held);
	if (err)
		goto fail;
	err = alloc_spares(s);
	if (err)
		goto fail;
	for_each_cpu_and(cpu, s->cpus, cpu_online_mask) {
		err = alloc_cpu(s, cpu);
		if (err)
			goto fail;
	}
	return 0;

fail:
	free_memory(s);
	return err;
}

static int alloc_memory_alone(struct kf_session *s)
{
	int err;

	mutex_lock(&alloc_lock);
	err = alloc_memory(s);
	mutex_unlock(&alloc_lock);
	return err;
}

/* Return: as kf_interpreters_create(). May sleep; kf_session.ctl is held. */
struct kf_interpreters *kf_session_create_interpreters(void)
{
	struct kf_interpreters *all;

	mutex_lock(&alloc_lock);
	all = kf_interpreters_create();
	mutex_unlock(&alloc_lock);
	return all;
}

/*
 * Make what a session samples with. On an error no memory stays allocated. @s->control is held, so
 * the state does not change.
 */
static int prepare(struct kf_session *s)
{
	int err = 0;

	lockdep_assert_held(&s->control);
	if (s->state == KF_NEW)
		return -EINVAL;
	/* Before cpus_read_lock(), which may be waited for: STOP waits for @s->control. */
	if (s->state == KF_RUNNING)
		return -EBUSY;
	cpus_read_lock();
	mutex_lock(&s->ctl);
	if (!s->cpu)
		err = alloc_memory_alone(s);
	mutex_unlock(&s->ctl);
	cpus_read_unlock();
	return err;
}

/*
 * Begin to sample. @s->control is held since prepare(). CPUs may have come online or gone offline
 * since.
 */
static void run(struct kf_session *s, u64 *when)
{
	unsigned int cpu;

	cpus_read_lock();
	mutex_lock(&s->ctl);
	*when = ktime_get_ns();
	if (!s->start_ns) {
		s->start_ns = *when;
		s->start_realtime_ns = ktime_get_real_ns();
	}
	WRITE_ONCE(s->drain_at, jiffies + KF_DRAIN_JIFFIES);
	/*
	 * Pairs with every acquire of @s->state in session/collect.c and device/reader.c: a reader that
	 * sees KF_RUNNING also sees all that START made.
	 */
	smp_store_release(&s->state, KF_RUNNING);
	mutex_lock(&running_lock);
	list_add(&s->running, &running);
	mutex_unlock(&running_lock);
	/* From now on the work wakes the reader from time to time. */
	queue_delayed_work(kf_wq, &s->work, KF_DRAIN_JIFFIES);
	for_each_cpu_and(cpu, s->cpus, cpu_online_mask) {
		session_add_cpu(s, cpu);
		if (per_cpu_ptr(s->cpu, cpu)->table)
			smp_call_function_single(cpu, arm_fn, per_cpu_ptr(s->cpu, cpu), 1);
	}
	mutex_unlock(&s->ctl);
	cpus_read_unlock();
}

/**
 * kf_session_start() - begin to sample; may sleep
 * @s:		configured, or stopped
 * @when:	out: the time
 *
 * Return: 0; -EINVAL if the session is not configured, -EBUSY if it is running, -ENOMEM, or the
 * error of a source. If the memory could not be allocated, none stays allocated.
 */
int kf_session_start(struct kf_session *s, u64 *when)
{
	int err;

	mutex_lock(&s->control);
	err = prepare(s);
	if (!err)
		err = attach(&s->sampling);
	if (!err)
		run(s, when);
	mutex_unlock(&s->control);
	wake_up_interruptible(&s->wait);
	return err;
}

/* With learn_check, log what its comparisons found. */
static void report_walks(struct kf_session *s)
{
	u64 count[KF_NR_KWALK] = {};
	unsigned int cpu, i;
	bool differ = false;

	lockdep_assert_held(&s->ctl);
	for_each_possible_cpu(cpu)
		for (i = 0; i < KF_NR_KWALK; i++)
			count[i] += per_cpu_ptr(s->cpu, cpu)->kwalk.count[i];
	if (s->kcache)
		kf_kcheck_report(s->kcache, count);
	for_each_possible_cpu(cpu)
		differ |= kf_ucheck_report(per_cpu_ptr(s->cpu, cpu)->ucheck, cpu, !differ);
}

/**
 * kf_session_stop() - stop sampling; may sleep
 * @s:		the session
 * @when:	out: the time
 *
 * When this returns, no sample is being taken and none will be. Samples that were not read yet
 * stay for the reader.
 * Return: 0, or -EINVAL if the session is not running.
 */
int kf_session_stop(struct kf_session *s, u64 *when)
{
	unsigned int cpu;
	int err = -EINVAL;

	mutex_lock(&s->control);
	mutex_lock(&s->ctl);
	if (s->state != KF_RUNNING)
		goto unlock;
	/*
	 * CPUs may come online or go offline meanwhile. Waiting for that can take longer than
	 * filling a table, so cpus_read_lock() is not taken. Under running_lock each CPU is
	 * disarmed here or when it goes offline, and none is armed later.
	 */
	mutex_lock(&running_lock);
	drain_events(s);
	for_each_cpu_and(cpu, s->cpus, cpu_online_mask)
		smp_call_function_single(cpu, disarm_fn, per_cpu_ptr(s->cpu, cpu), 1);
	list_del_init(&s->running);
	mutex_unlock(&running_lock);
	s->stop_ns = *when = ktime_get_ns();
	WRITE_ONCE(s->stops, s->stops + 1);
	/*
	 * Pairs with is_stopped() in device/reader.c: a reader that sees KF_STOPPED also sees the last
	 * samples, @s->stop_ns and @s->stops.
	 */
	smp_store_release(&s->state, KF_STOPPED);
	report_walks(s);
	err = 0;
unlock:
	mutex_unlock(&s->ctl);
	wake_up_interruptible(&s->wait);
	/* This may take long. Readers need not wait for it. */
	if (!err)
		detach(&s->sampling, s->sampling.nr_events);
	mutex_unlock(&s->control);
	return err;
}

/**
 * kf_session_destroy() - end a session, whatever its state; may sleep
 * @s:	no reader and no ioctl uses it any more
 *
 * The head of session/session.h lists the steps.
 */
void kf_session_destroy(struct kf_session *s)
{
	u64 when;

	kf_session_stop(s, &when);
	kf_session_forget_events(s);
	kf_irq_work_sync(&s->sampling.wake);
	cancel_delayed_work_sync(&s->work);
	if (s->cpu) {
		kf_aspaces_close(&s->sampling.aspaces);
		free_memory(s);
	}
	kf_records_exit(&s->records);
	kf_filter_exit(&s->sampling.filter);
	free_cpumask_var(s->sampling.full);
	free_cpumask_var(s->cpus);
	kfree(s);
}

/* ------------------------------------------------------- hotplug, lifetime */

/*
 * Runs on the CPU that comes online, in its hotplug thread. Never fails: the CPU shall come online.
 */
static int cpu_online_fn(unsigned int cpu)
{
	struct kf_session *s;

	mutex_lock(&running_lock);
	list_for_each_entry(s, &running, running) {
		struct kf_cpu *c = per_cpu_ptr(s->cpu, cpu);

		if (!cpumask_test_cpu(cpu, s->cpus))
			continue;
		session_add_cpu(s, cpu);
		if (c->table) {
			local_irq_disable();
			arm_fn(c);
			local_irq_enable();
		}
	}
	mutex_unlock(&running_lock);
	return 0;
}

/*
 * Runs on the CPU that goes offline. Otherwise the core would move even a pinned timer to another
 * CPU.
 */
static int cpu_offline_fn(unsigned int cpu)
{
	struct kf_session *s;

	mutex_lock(&running_lock);
	list_for_each_entry(s, &running, running) {
		local_irq_disable();
		disarm_fn(per_cpu_ptr(s->cpu, cpu));
		local_irq_enable();
	}
	mutex_unlock(&running_lock);
	return 0;
}

/* The number of sessions that are sampling now */
u32 kf_sessions_running(void)
{
	struct kf_session *s;
	u32 n = 0;

	mutex_lock(&running_lock);
	list_for_each_entry(s, &running, running)
		n++;
	mutex_unlock(&running_lock);
	return n;
}

/* Registered once, at load. Registering at START would run the callbacks, and wait for a thread. */
int kf_sessions_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "kflame:online",
					      cpu_online_fn, cpu_offline_fn);

	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

void kf_sessions_exit(void)
{
	WARN_ON_ONCE(!list_empty(&running));
	cpuhp_remove_state_nocalls(hotplug_state);
}
