// SPDX-License-Identifier: GPL-2.0-only
/*
 * session.c - the life of a session, see session.h
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>

#include "builtin.h"
#include "compat/compat.h"
#include "memory.h"
#include "reader.h"
#include "session.h"
#include "timer.h"
#include "work.h"

/* An mmap lock was not to be had: how long to leave it alone. */
#define RETRY_MS	4

static LIST_HEAD(running);
static DEFINE_MUTEX(running_lock);
static enum cpuhp_state hotplug_state;

/* ------------------------------------------------------------ waking up */

static void wake_fn(struct irq_work *irq_work)
{
	struct kf_session *s = container_of(irq_work, struct kf_session, wake);

	mod_delayed_work(kf_wq, &s->work, 0);
}

static void work_fn(struct work_struct *work)
{
	struct kf_session *s = container_of(to_delayed_work(work), struct kf_session, work);
	bool again = kf_aspaces_work(&s->aspaces);
	unsigned long expiry = kf_held_expire(&s->held);

	if (again)
		queue_delayed_work(kf_wq, &s->work, msecs_to_jiffies(RETRY_MS));
	else if (expiry) /* which is sooner than the reader wants to be woken */
		queue_delayed_work(kf_wq, &s->work, expiry);
	else if (READ_ONCE(s->state) == KF_RUNNING)
		queue_delayed_work(kf_wq, &s->work, KF_DRAIN_JIFFIES);
	if (!cpumask_empty(s->full)) {
		WRITE_ONCE(s->wakeups, s->wakeups + 1);
		if (s->archive)
			kf_archive_drain(s);
	}
	wake_up_interruptible(&s->wait);
}

/* ------------------------------------------------------ create, configure */

/**
 * kf_session_create() - a session that is not configured; may sleep
 *
 * Return: it, or NULL without memory. End it with kf_session_destroy().
 */
struct kf_session *kf_session_create(void)
{
	struct kf_session *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	if (!zalloc_cpumask_var(&s->cpus, GFP_KERNEL))
		goto free_session;
	if (!zalloc_cpumask_var(&s->full, GFP_KERNEL))
		goto free_cpus;
	mutex_init(&s->ctl);
	mutex_init(&s->take);
	INIT_LIST_HEAD(&s->running);
	init_waitqueue_head(&s->wait);
	kf_records_init(&s->records);
	kf_held_init(&s->held);
	kf_utables_init(&s->tables);
	kf_init_irq_work_hard(&s->wake, wake_fn);
	INIT_DELAYED_WORK(&s->work, work_fn);
	return s;

free_cpus:
	free_cpumask_var(s->cpus);
free_session:
	kfree(s);
	return NULL;
}

static int choose_kstack(struct kf_session *s, u32 *kway)
{
	kf_kstack_fn *save = kf_kstack_save(), *unwind = kf_kstack_unwind();

	if (*kway == KFLAME_KWAY_AUTO)
		*kway = unwind ? KFLAME_KWAY_UNWIND : KFLAME_KWAY_SAVE;
	s->kstack = *kway == KFLAME_KWAY_UNWIND ? unwind : save;
	return s->kstack ? 0 : -EOPNOTSUPP;
}

static int choose_cpus(struct kf_session *s, const u32 *cpus, u32 nr)
{
	u32 i;

	if (!nr) {
		cpumask_copy(s->cpus, cpu_possible_mask);
		return 0;
	}
	for (i = 0; i < nr; i++) {
		if (cpus[i] >= nr_cpu_ids || !cpu_possible(cpus[i]))
			return -ENODEV;
		cpumask_set_cpu(cpus[i], s->cpus);
	}
	return 0;
}

/* Are user stacks walked by unwind tables? */
static bool has_tables(const struct kflame_config *cfg)
{
	return cfg->uway != KFLAME_UWAY_FP && !(cfg->flags & KFLAME_CF_NO_USTACK);
}

/* What each CPU that is sampled takes. */
static size_t cpu_bytes(const struct kf_session *s)
{
	return kf_table_bytes(s->config.entries) +
	       (s->config.dump ? kf_ring_bytes(s->config.ring_bytes) : 0);
}

/* See the formula at the head of session.h. */
static size_t memory_needed(const struct kf_session *s)
{
	unsigned int cpu, cpus = 0;

	for_each_cpu_and(cpu, s->cpus, cpu_online_mask)
		cpus++;
	return cpu_bytes(s) * cpus +
	       kf_table_bytes(s->config.entries) * num_node_state(N_MEMORY) +
	       sizeof(struct kf_cpu) * num_possible_cpus() +
	       kf_aspaces_bytes() + KF_READER_BUFFER +
	       (s->config.flags & KFLAME_CF_HOLD_FILES ? kf_held_bytes() : 0) +
	       (has_tables(&s->config) ? kf_umaps_bytes() + kf_utables_bytes() +
					 kf_uwalk_bytes() * num_possible_cpus() : 0);
}

/* The more samples are added up before they are told, the less a sample costs. */
static u32 default_entries(u64 period_ns)
{
	u64 n = div64_u64(2 * NSEC_PER_SEC, period_ns);

	return roundup_pow_of_two(clamp_t(u64, n, KF_DEFAULT_ENTRIES_MIN,
					  KF_DEFAULT_ENTRIES_MAX));
}

static int check_dump(struct kflame_config *cfg)
{
	if (cfg->dump > KFLAME_DUMP_BOTH || (!cfg->dump && (cfg->dump_bytes || cfg->ring_bytes)))
		return -EINVAL;
	if (!cfg->dump)
		return 0;
	cfg->dump_bytes = cfg->dump_bytes ?: KF_DEFAULT_DUMP_BYTES;
	cfg->ring_bytes = cfg->ring_bytes ?: KF_DEFAULT_RING_BYTES;
	if (cfg->dump_bytes % 8 || cfg->dump_bytes > KFLAME_DUMP_MAX)
		return -EINVAL;
	if (cfg->ring_bytes < KFLAME_RING_MIN || cfg->ring_bytes > KFLAME_RING_MAX ||
	    !is_power_of_2(cfg->ring_bytes))
		return -EINVAL;
	return 0;
}

static int check_config(struct kflame_config *cfg)
{
	if (cfg->flags & ~(u64)KFLAME_CF_ALL || cfg->reserved || cfg->pad)
		return -EINVAL;
	if (cfg->dump == KFLAME_DUMP_REST)
		return -EOPNOTSUPP;
	if (cfg->uway > KFLAME_UWAY_TABLE ||
	    (cfg->uway == KFLAME_UWAY_FP && cfg->table_bytes))
		return -EINVAL;
	if (cfg->period_ns < KF_MIN_PERIOD_NS || cfg->period_ns > KF_MAX_PERIOD_NS)
		return -EINVAL;
	if (cfg->kway > KFLAME_KWAY_UNWIND || cfg->budget_permille > 1000)
		return -EINVAL;
	cfg->entries = cfg->entries ?: default_entries(cfg->period_ns);
	if (cfg->entries < KF_TABLE_MIN_ENTRIES || cfg->entries > KF_TABLE_MAX_ENTRIES)
		return -EINVAL;
	cfg->kdepth = cfg->kdepth ?: KF_DEFAULT_DEPTH;
	/* Only a walk that goes astray is ended by this, or one through a deep recursion. */
	cfg->udepth = cfg->udepth ?: cfg->uway == KFLAME_UWAY_FP ? KF_DEFAULT_DEPTH : KF_MAX_UDEPTH;
	if (cfg->kdepth > KF_MAX_DEPTH || cfg->udepth > KF_MAX_UDEPTH)
		return -EINVAL;
	if (cfg->uway != KFLAME_UWAY_FP)
		cfg->table_bytes = cfg->table_bytes ?: KF_UTABLE_DEFAULT_BYTES;
	return check_dump(cfg);
}

/**
 * kf_session_configure() - fix what a session samples; may sleep
 * @s:		the session
 * @cfg:	in and out, as include/uapi/kflame.h says; written back also on
 *		-ENOMEM and -ESRCH
 * @ids:	the arrays that @cfg names, copied in
 *
 * After an error the session is as it was.
 */
int kf_session_configure(struct kf_session *s, struct kflame_config *cfg,
			 const struct kf_ids *ids)
{
	u64 asked = cfg->period_ns;
	int err;

	err = check_config(cfg);
	if (err)
		return err;
	cpus_read_lock();
	mutex_lock(&s->ctl);
	err = -EBUSY;
	if (s->state != KF_NEW)
		goto unlock;
	err = choose_kstack(s, &cfg->kway);
	if (err)
		goto unlock;
	err = choose_cpus(s, ids->cpus, cfg->nr_cpus);
	if (err)
		goto forget;
	cfg->period_ns = max_t(u64, cfg->period_ns, hrtimer_resolution);
	s->asked_period_ns = asked;
	s->config = *cfg;
	cfg->memory = s->config.memory = memory_needed(s);
	err = -ENOMEM;
	if (cfg->memory > kf_memory_cap() - min(kf_memory_used(), kf_memory_cap()))
		goto forget;
	err = kf_filter_init(&s->filter, ids, cfg);
	if (err)
		goto forget;
	s->state = KF_CONFIGURED;
	goto unlock;

forget:
	kf_filter_deinit(&s->filter);
	memset(&s->filter, 0, sizeof(s->filter));
	cpumask_clear(s->cpus);
unlock:
	mutex_unlock(&s->ctl);
	cpus_read_unlock();
	return err;
}

/* ------------------------------------------------------------- start, stop */

static void arm_fn(void *c)
{
	kf_timer_arm(c);
}

static void disarm_fn(void *c)
{
	kf_timer_disarm(c);
}

/*
 * The table, and the ring, of a CPU that is to be sampled: both or none. The ring is made
 * last, since it may be mapped as soon as it is there.
 */
static int alloc_cpu(struct kf_session *s, unsigned int cpu)
{
	struct kf_table *table = kf_table_create(s->config.entries, cpu_to_node(cpu));
	struct kf_cpu *c = per_cpu_ptr(s->cpu, cpu);

	if (!table)
		return -ENOMEM;
	if (s->config.dump && kf_ring_create(&c->ring, s->config.ring_bytes)) {
		kf_table_destroy(table);
		return -ENOMEM;
	}
	c->table = table;
	return 0;
}

/* A CPU that was not there at the first START: sample it, if the cap allows. */
static void session_add_cpu(struct kf_session *s, unsigned int cpu)
{
	size_t bytes = cpu_bytes(s);

	if (per_cpu_ptr(s->cpu, cpu)->table || !kf_memory_take(bytes))
		return;
	if (alloc_cpu(s, cpu))
		kf_memory_give(bytes);
	else
		s->memory += bytes;
}

static int alloc_spares(struct kf_session *s)
{
	int node;

	s->spare = kcalloc(nr_node_ids, sizeof(*s->spare), GFP_KERNEL);
	if (!s->spare)
		return -ENOMEM;
	for_each_node_state(node, N_MEMORY) {
		s->spare[node] = kf_table_create(s->config.entries, node);
		if (!s->spare[node])
			return -ENOMEM;
	}
	return 0;
}

static void free_memory(struct kf_session *s)
{
	unsigned int cpu;
	int node;

	kf_aspaces_deinit(&s->aspaces);
	kf_held_deinit(&s->held);
	memset(&s->aspaces, 0, sizeof(s->aspaces));
	kf_utables_deinit(&s->tables);
	kf_umaps_deinit(&s->umaps);
	if (s->cpu) {
		for_each_possible_cpu(cpu) {
			kf_table_destroy(per_cpu_ptr(s->cpu, cpu)->table);
			kf_uwalk_free(&per_cpu_ptr(s->cpu, cpu)->uwalk);
			kf_ring_destroy(&per_cpu_ptr(s->cpu, cpu)->ring);
		}
	}
	free_percpu(s->cpu);
	s->cpu = NULL;
	if (s->spare)
		for (node = 0; node < nr_node_ids; node++)
			kf_table_destroy(s->spare[node]);
	kfree(s->spare);
	s->spare = NULL;
	kf_memory_give(s->memory);
	s->memory = 0;
}

/* All that is for walks by unwind tables; free_memory() is due if it fails. */
static int alloc_tables(struct kf_session *s)
{
	unsigned int cpu;
	int err;

	err = kf_utables_alloc(&s->tables, s->config.table_bytes);
	if (!err)
		err = kf_umaps_init(&s->umaps);
	for_each_possible_cpu(cpu)
		if (!err)
			err = kf_uwalk_alloc(&per_cpu_ptr(s->cpu, cpu)->uwalk, cpu_to_node(cpu));
	return err;
}

/* Under cpus_read_lock() (whose assertion is not exported): it counts CPUs twice. */
static int alloc_memory(struct kf_session *s)
{
	size_t memory = memory_needed(s);
	struct kf_cpu *c;
	unsigned int cpu;
	int err = -ENOMEM;

	if (!kf_memory_take(memory))
		return -ENOMEM;
	s->memory = memory;
	s->cpu = alloc_percpu_gfp(struct kf_cpu, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!s->cpu)
		goto fail;
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(s->cpu, cpu);
		c->session = s;
		c->cpu = cpu;
		kf_timer_init(c);
	}
	if (has_tables(&s->config)) {
		err = alloc_tables(s);
		if (err)
			goto fail;
	}
	err = kf_aspaces_init(&s->aspaces, &s->records, &s->held,
			      s->umaps.ring ? &s->umaps : NULL);
	if (err)
		goto fail;
	if (s->config.flags & KFLAME_CF_HOLD_FILES)
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

/**
 * kf_session_start() - begin to sample; may sleep
 * @s:		configured, or stopped
 * @when:	out: the time
 *
 * Return: 0; -EINVAL if it is not configured, -EBUSY if it runs, -ENOMEM: nothing
 * was taken then.
 */
int kf_session_start(struct kf_session *s, u64 *when)
{
	unsigned int cpu;
	int err = 0;

	cpus_read_lock();
	mutex_lock(&s->ctl);
	if (s->state == KF_NEW)
		err = -EINVAL;
	else if (s->state == KF_RUNNING)
		err = -EBUSY;
	else if (!s->cpu)
		err = alloc_memory(s);
	if (err)
		goto unlock;

	*when = ktime_get_ns();
	if (!s->start_ns) {
		s->start_ns = *when;
		s->start_realtime_ns = ktime_get_real_ns();
	}
	smp_store_release(&s->state, KF_RUNNING);
	mutex_lock(&running_lock);
	list_add(&s->running, &running);
	mutex_unlock(&running_lock);
	/* From now on, the reader is woken from time to time. */
	queue_delayed_work(kf_wq, &s->work, KF_DRAIN_JIFFIES);
	for_each_cpu_and(cpu, s->cpus, cpu_online_mask) {
		session_add_cpu(s, cpu);
		if (per_cpu_ptr(s->cpu, cpu)->table)
			smp_call_function_single(cpu, arm_fn, per_cpu_ptr(s->cpu, cpu), 1);
	}
unlock:
	mutex_unlock(&s->ctl);
	cpus_read_unlock();
	wake_up_interruptible(&s->wait);
	return err;
}

/**
 * kf_session_stop() - stop sampling; may sleep
 * @s:		the session
 * @when:	out: the time
 *
 * When this returns no sample is being taken and none will be. What was sampled
 * stays, for the reader.
 * Return: 0, or -EINVAL if it does not run.
 */
int kf_session_stop(struct kf_session *s, u64 *when)
{
	unsigned int cpu;
	int err = -EINVAL;

	cpus_read_lock();
	mutex_lock(&s->ctl);
	if (s->state != KF_RUNNING)
		goto unlock;
	mutex_lock(&running_lock);
	list_del_init(&s->running);
	mutex_unlock(&running_lock);
	/* A CPU that is offline was disarmed on its own way down. */
	for_each_cpu_and(cpu, s->cpus, cpu_online_mask)
		smp_call_function_single(cpu, disarm_fn, per_cpu_ptr(s->cpu, cpu), 1);
	s->stop_ns = *when = ktime_get_ns();
	smp_store_release(&s->state, KF_STOPPED);
	err = 0;
unlock:
	mutex_unlock(&s->ctl);
	cpus_read_unlock();
	wake_up_interruptible(&s->wait);
	return err;
}

/**
 * kf_session_destroy() - end a session, whatever its state; may sleep
 * @s:	no reader and no ioctl is using it any more
 *
 * The steps are those at the head of session.h.
 */
void kf_session_destroy(struct kf_session *s)
{
	u64 when;

	kf_session_stop(s, &when);
	irq_work_sync(&s->wake);
	cancel_delayed_work_sync(&s->work);
	if (s->cpu) {
		kf_aspaces_close(&s->aspaces);
		free_memory(s);
	}
	kf_records_deinit(&s->records);
	kf_filter_deinit(&s->filter);
	free_cpumask_var(s->full);
	free_cpumask_var(s->cpus);
	kfree(s);
}

/* ------------------------------------------------- the reader's side of it */

struct take_arg {
	struct kf_cpu *c;
	struct kf_table *table;		/* in: an empty one, out: the filled one */
	struct kflame_cpu *books;	/* out; NULL if not wanted */
};

/* On its own CPU with interrupts off, or for an offline CPU from anywhere. */
static void take_fn(void *p)
{
	struct take_arg *arg = p;

	if (arg->table)
		swap(arg->c->table, arg->table);
	/* An empty one that stays: it was the ring that was past its mark. */
	if (arg->c->table && (arg->table || !arg->c->table->nr_entries)) {
		arg->c->told = false;
		cpumask_clear_cpu(arg->c->cpu, arg->c->session->full);
	}
	if (arg->books)
		kf_timer_books(arg->c, arg->books);
}

/* Under cpus_read_lock() (whose assertion is not exported). */
static void take_on(struct take_arg *arg)
{
	unsigned long flags;

	if (!smp_call_function_single(arg->c->cpu, take_fn, arg, 1))
		return;
	/* -ENXIO: it is offline, and stays so. */
	local_irq_save(flags);
	take_fn(arg);
	local_irq_restore(flags);
}

/* The CPU's node; the first one where the machine does not say. */
static unsigned int node_of(unsigned int cpu)
{
	int node = cpu_to_mem(cpu);

	return node < 0 ? 0 : node;
}

/*
 * Where the spare table of a node is (@have), or has a place: there, or in the
 * next node that has (memory may come and go). NULL if nowhere.
 */
static struct kf_table **spare_place(struct kf_session *s, unsigned int node, bool have)
{
	unsigned int i, n;

	lockdep_assert_held(&s->take);
	for (i = 0; i < nr_node_ids; i++) {
		n = (node + i) % nr_node_ids;
		if (!!s->spare[n] == have)
			return &s->spare[n];
	}
	return NULL;
}

static struct kf_table *get_spare(struct kf_session *s, unsigned int cpu)
{
	struct kf_table **place = spare_place(s, node_of(cpu), true);
	struct kf_table *t = NULL;

	if (place)
		swap(*place, t);
	return t;
}

/**
 * kf_session_take() - take a CPU's table away and leave an empty one; may sleep
 * @s:		started at least once
 * @cpu:	a possible CPU
 * @books:	out: the CPU's books at that instant; may be NULL
 *
 * Context: @s->take held.
 * Return: the table, for kf_session_give(); NULL if it is empty (@books are filled
 * all the same) or if there is no spare one just now.
 */
struct kf_table *kf_session_take(struct kf_session *s, unsigned int cpu,
				 struct kflame_cpu *books)
{
	struct kf_cpu *c = per_cpu_ptr(s->cpu, cpu);
	struct take_arg arg = { .c = c, .books = books };
	lockdep_assert_held(&s->take);
	cpus_read_lock();
	if (c->table) {
		/*
		 * With no books wanted, a peek spares the CPU the interrupt; with
		 * books, both must be of the same instant.
		 */
		if (books || READ_ONCE(c->table->nr_entries))
			arg.table = get_spare(s, cpu);
		if (books || arg.table || cpumask_test_cpu(cpu, s->full))
			take_on(&arg);
	} else if (books) {
		*books = c->books;
		books->cpu = cpu;
	}
	cpus_read_unlock();

	if (arg.table && !arg.table->nr_entries) {
		kf_session_give(s, arg.table, cpu);
		return NULL;
	}
	if (arg.table) {
		arg.table->serial = ++s->serial;
		s->exchanges++;
	}
	return arg.table;
}

/* Give a table that kf_session_take() gave back, emptied, as that CPU's spare. */
void kf_session_give(struct kf_session *s, struct kf_table *t, unsigned int cpu)
{
	struct kf_table **place = spare_place(s, node_of(cpu), false);

	kf_table_reset(t);
	/* It came from one of the places, and nobody fills them but we. */
	if (!WARN_ON_ONCE(!place))
		*place = t;
}

/**
 * kf_session_books() - the books of a CPU, exact at one instant; may sleep
 * @s:		the session
 * @cpu:	a possible CPU
 * @books:	out
 *
 * Context: cpus_read_lock() held.
 * Return: false if the CPU was never sampled.
 */
bool kf_session_books(struct kf_session *s, unsigned int cpu, struct kflame_cpu *books)
{
	struct take_arg arg = { .books = books };

	if (!s->cpu)
		return false;
	arg.c = per_cpu_ptr(s->cpu, cpu);
	take_on(&arg);
	return arg.c->table;
}

/* Of all CPUs; each may be writing its own meanwhile. */
static void count_walks(struct kf_session *s, u64 *count)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		const struct kf_uwalk *w = &per_cpu_ptr(s->cpu, cpu)->uwalk;

		for (i = 0; i < ARRAY_SIZE(w->count); i++)
			count[i] += READ_ONCE(w->count[i]);
	}
}

static void count_copies(struct kf_session *s, u64 *count)
{
	bool in_addition = s->config.dump == KFLAME_DUMP_BOTH;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct kf_ring *r = &per_cpu_ptr(s->cpu, cpu)->ring;

		count[KFLAME_STAT_COPIES] += READ_ONCE(r->copies);
		count[KFLAME_STAT_COPY_BYTES] += READ_ONCE(r->copy_bytes);
		/* Else they are samples, and in the books: KFLAME_LOST_RING. */
		if (in_addition)
			count[KFLAME_STAT_COPIES_DROPPED] += READ_ONCE(r->dropped);
	}
}

/* Add the counters that are kept in several places: KFLAME_STAT_*. */
void kf_session_count(struct kf_session *s, u64 *count)
{
	unsigned long flags;

	if (!s->cpu)
		return;
	raw_spin_lock_irqsave(&s->aspaces.lock, flags);
	memcpy(count, s->aspaces.count, sizeof(s->aspaces.count));
	raw_spin_unlock_irqrestore(&s->aspaces.lock, flags);
	count[KFLAME_STAT_EXCHANGES] = READ_ONCE(s->exchanges);
	count[KFLAME_STAT_WAKEUPS] = READ_ONCE(s->wakeups);
	kf_held_count(&s->held, &count[KFLAME_STAT_FILES_TAKEN],
		      &count[KFLAME_STAT_FILES_EXPIRED]);
	kf_utables_count(&s->tables, &count[KFLAME_STAT_TABLES],
			 &count[KFLAME_STAT_TABLE_BYTES]);
	count_walks(s, &count[KFLAME_STAT_STEPS_TABLE]);
	count_copies(s, count);
}

static void add_books(struct kflame_cpu *sum, const struct kflame_cpu *b)
{
	int i;

	sum->samples += b->samples;
	sum->counted += b->counted;
	sum->missed += b->missed;
	sum->weight_ns += b->weight_ns;
	sum->counted_ns += b->counted_ns;
	sum->active_ns += b->active_ns;
	sum->head_ns += b->head_ns;
	sum->tail_ns += b->tail_ns;
	sum->stretches += b->stretches;
	sum->handler_ns += b->handler_ns;
	sum->period_ns = max(sum->period_ns, b->period_ns);
	sum->handler_max_ns = max(sum->handler_max_ns, b->handler_max_ns);
	for (i = 0; i < KFLAME_NR_LOST; i++) {
		sum->lost[i] += b->lost[i];
		sum->lost_ns[i] += b->lost_ns[i];
	}
}

/**
 * kf_session_stats() - KFLAME_IOC_STATS; may sleep
 * @s:		the session
 * @stats:	@stats->cpu says of which CPU; the rest is filled
 *
 * Return: 0, or -ENODEV if there can be no such CPU.
 */
int kf_session_stats(struct kf_session *s, struct kflame_stats *stats)
{
	struct kflame_cpu books;
	unsigned int cpu;
	int err = 0;

	cpus_read_lock();
	mutex_lock(&s->ctl);
	if (stats->cpu == ~0U) {
		for_each_cpu(cpu, s->cpus)
			if (kf_session_books(s, cpu, &books))
				add_books(&stats->books, &books);
	} else if (stats->cpu < nr_cpu_ids && cpu_possible(stats->cpu)) {
		kf_session_books(s, stats->cpu, &stats->books);
	} else {
		err = -ENODEV;
	}
	stats->books.cpu = stats->cpu;
	kf_session_count(s, stats->count);
	mutex_unlock(&s->ctl);
	cpus_read_unlock();
	return err;
}

/**
 * kf_session_file() - take a mapped file that is held
 * @s:		the session
 * @id:		kflame_rec_file.id
 *
 * Return: an O_PATH file, the caller's; NULL if it is not held.
 */
struct file *kf_session_file(struct kf_session *s, u64 id)
{
	return kf_held_take(&s->held, id);
}

/**
 * kf_session_table() - take a file's unwind table; may sleep
 * @s:		the session
 * @req:	what the reader gave
 *
 * Return: 0 or an error, see struct kflame_table; -EINVAL if the session has no tables.
 */
int kf_session_table(struct kf_session *s, const struct kflame_table *req)
{
	/* Pairs with that in kf_session_start(): what START makes is there. */
	if (smp_load_acquire(&s->state) < KF_RUNNING || !has_tables(&s->config))
		return -EINVAL;
	return kf_utables_add(&s->tables, req);
}

/**
 * kf_session_mmap() - map a CPU's ring, as struct kflame_ring says
 * @s:		the session
 * @vma:	which ring is said by its offset
 *
 * Context: mmap_lock is held, so that no lock of the session is taken (see kf_ring_mmap()).
 * Return: 0; -EINVAL: there are no rings, or none is there, or that is not all of it, or
 * private, or executable; -ENODATA: not started yet, or that CPU is not sampled (yet).
 */
int kf_session_mmap(struct kf_session *s, struct vm_area_struct *vma)
{
	unsigned long pages, cpu;

	/* START has made all that is read here, and only destroy takes it away. */
	if (smp_load_acquire(&s->state) < KF_RUNNING)
		return -ENODATA;
	if (!s->config.dump || !(vma->vm_flags & VM_SHARED) || (vma->vm_flags & VM_EXEC))
		return -EINVAL;
	pages = kf_ring_bytes(s->config.ring_bytes) >> PAGE_SHIFT;
	cpu = vma->vm_pgoff / pages;
	if (vma->vm_pgoff % pages || vma_pages(vma) != pages)
		return -EINVAL;
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	return kf_ring_mmap(&per_cpu_ptr(s->cpu, cpu)->ring, vma);
}

/* ------------------------------------------------------- hotplug, lifetime */

/* Runs on the CPU that comes, in its own thread. Never an error: it shall come. */
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
			kf_timer_arm(c);
			local_irq_enable();
		}
	}
	mutex_unlock(&running_lock);
	return 0;
}

/* Runs on the CPU that goes. The core would move even a pinned timer elsewhere. */
static int cpu_offline_fn(unsigned int cpu)
{
	struct kf_session *s;

	mutex_lock(&running_lock);
	list_for_each_entry(s, &running, running) {
		local_irq_disable();
		kf_timer_disarm(per_cpu_ptr(s->cpu, cpu));
		local_irq_enable();
	}
	mutex_unlock(&running_lock);
	return 0;
}

/* Sessions that are sampling now. */
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

/* Registered once, at load: callbacks invoked at START would wait for a thread. */
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
