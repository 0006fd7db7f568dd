// SPDX-License-Identifier: GPL-2.0-only
/*
 * collect.c - what a session hands to its reader: tables, accounting, counters, files, rings;
 * see session/session.h
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include "base/on_cpu.h"
#include "base/storing.h"
#include "base/work.h"
#include "session/session.h"
#include "source/timer.h"

struct take_arg {
	struct kf_cpu *c;
	struct kf_table *table;		/* in: an empty one, out: the filled one */
	u32 event;			/* id of the event of @books */
	struct kflame_cpu *books;	/* out; NULL if not wanted */
};

static void read_books(struct kf_cpu *c, u32 id, struct kflame_cpu *books)
{
	const struct kf_event *e = c->sampling->events;
	u32 i;

	for (i = 0; i < c->sampling->nr_events; i++)
		if (e[i].id == id)
			e[i].source->books(kf_cpu_event(c, id), books);
}

/* Runs with interrupts off, on the CPU concerned; anywhere if that CPU is offline. */
static void take_fn(void *p)
{
	struct take_arg *arg = p;

	if (arg->table)
		swap(arg->c->table, arg->table);
	/* If an empty table stays, it was the ring that was past its high-water mark. */
	if (arg->c->table && (arg->table || !arg->c->table->nr_entries))
		cpumask_clear_cpu(arg->c->timer.part.cpu, arg->c->sampling->full);
	if (arg->books)
		read_books(arg->c, arg->event, arg->books);
}

/* Under cpus_read_lock() */
static void take_steady(struct take_arg *arg)
{
	kf_on_cpu(arg->c->timer.part.cpu, take_fn, arg);
}

/*
 * The same without cpus_read_lock(). Switching a CPU on or off holds that lock, and may take longer
 * than filling a table takes. The lock is needed only for a CPU that is offline.
 *
 * Return: false if the function would have to wait for the lock.
 */
static bool take_unless_gone(struct take_arg *arg)
{
	if (!smp_call_function_single(arg->c->timer.part.cpu, take_fn, arg, 1))
		return true;
	if (!cpus_read_trylock())
		return false;
	take_steady(arg);
	cpus_read_unlock();
	return true;
}

/* The NUMA node of a CPU; node 0 if the machine does not say. */
static unsigned int node_of(unsigned int cpu)
{
	int node = cpu_to_mem(cpu);

	return node < 0 ? 0 : node;
}

/*
 * A slot for the spare table of @node: one that has a table (@have), or an empty one. If this node
 * has none, the next node's slot is taken, since memory may be added and removed. NULL if there is
 * no such slot.
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
 * kf_session_take_table() - take a CPU's table and leave an empty one; may sleep
 * @s:		started at least once
 * @cpu:	a possible CPU
 * @steady:	cpus_read_lock() is held; if not, the table of an offline CPU may stay where it is
 *		while another CPU comes online or goes offline
 * @books:	out: the CPU's accounting of the timer at that instant; may be NULL, and is NULL
 *		unless @steady
 *
 * Context: @s->take held.
 * Return: the table, for kf_session_return_table(); NULL if it is empty (@books is filled
 * nevertheless), if there is no spare table just now, or if the table stays.
 */
struct kf_table *kf_session_take_table(struct kf_session *s, unsigned int cpu, bool steady,
				       struct kflame_cpu *books)
{
	struct kf_cpu *c = per_cpu_ptr(s->cpu, cpu);
	struct take_arg arg = { .c = c, .books = books };
	const struct kf_table *table = READ_ONCE(c->table);

	lockdep_assert_held(&s->take);
	if (books)
		*books = (struct kflame_cpu){ .cpu = cpu };
	/* This CPU was never sampled. */
	if (!table)
		return NULL;
	/*
	 * Without @books a look at the counter may save the CPU an interrupt. With @books the table
	 * and the accounting must be of the same instant.
	 */
	if (books || READ_ONCE(table->nr_entries))
		arg.table = get_spare(s, cpu);
	if (!books && !arg.table && !cpumask_test_cpu(cpu, s->sampling.full))
		return NULL;
	if (steady)
		take_steady(&arg);
	else if (!take_unless_gone(&arg))
		cpumask_clear_cpu(cpu, s->sampling.full); /* later; the CPU sets it again */

	if (arg.table && !arg.table->nr_entries) {
		kf_session_return_table(s, arg.table, cpu);
		return NULL;
	}
	if (arg.table) {
		arg.table->serial = ++s->serial;
		s->exchanges++;
		s->ordered += arg.table->nr_samples;
		s->unordered += arg.table->lost_samples;
	}
	return arg.table;
}

/*
 * Empty a table that kf_session_take_table() returned. It becomes the spare table of the CPU's
 * node.
 */
void kf_session_return_table(struct kf_session *s, struct kf_table *t, unsigned int cpu)
{
	struct kf_table **place = spare_place(s, node_of(cpu), false);

	kf_table_reset(t);
	/* There is an empty slot: the table came from one, and only this file fills them. */
	if (!WARN_ON_ONCE(!place))
		*place = t;
}

/**
 * kf_session_books() - read the accounting of an event on a CPU, exact at one instant; may sleep
 * @s:		the session
 * @cpu:	a possible CPU
 * @event:	id of the event
 * @books:	out; unchanged if the function returns false
 *
 * Context: cpus_read_lock() held.
 * Return: false if the CPU was never sampled, or if the session has no such event.
 */
bool kf_session_books(struct kf_session *s, unsigned int cpu, u32 event, struct kflame_cpu *books)
{
	struct take_arg arg = { .books = books, .event = event };

	if (!s->cpu || !kf_session_has_event(s, event))
		return false;
	arg.c = per_cpu_ptr(s->cpu, cpu);
	if (!arg.c->table)
		return false;
	take_steady(&arg);
	return true;
}

/**
 * kf_session_weights() - the weights of an event's samples on a CPU
 * @s:		started at least once
 * @cpu:	a possible CPU
 * @event:	id of the event
 *
 * Return: by KFLAME_GROUP_*, valid until the session is destroyed; NULL if the event measures no lengths.
 */
const struct kf_weights *kf_session_weights(struct kf_session *s, unsigned int cpu, u32 event)
{
	return kf_cpu_event(per_cpu_ptr(s->cpu, cpu), event)->weights;
}

/* Add the counters of all CPUs. Each CPU may be writing its own meanwhile. */
static void count_walks(struct kf_session *s, u64 *count)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		const struct kf_uwalk *u = &per_cpu_ptr(s->cpu, cpu)->uwalk;
		const struct kf_kwalk *k = &per_cpu_ptr(s->cpu, cpu)->kwalk;

		for (i = 0; i < ARRAY_SIZE(u->count); i++)
			count[KFLAME_STAT_STEPS_TABLE + i] += READ_ONCE(u->count[i]);
		count[KFLAME_STAT_STEPS_AGAIN] += READ_ONCE(u->again);
		count[KFLAME_STAT_KSTACKS_LEARNT] += READ_ONCE(k->count[KF_KWALK_CACHED]);
		count[KFLAME_STAT_KSTACKS_LEFT] += READ_ONCE(k->count[KF_KWALK_OTHER_STACK]) +
						   READ_ONCE(k->count[KF_KWALK_UNSUPPORTED]);
	}
}

static void count_copies(struct kf_session *s, u64 *count)
{
	bool in_addition = s->sampling.config.dump == KFLAME_DUMP_BOTH ||
			   s->sampling.config.dump == KFLAME_DUMP_REST;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct kf_ring *r = &per_cpu_ptr(s->cpu, cpu)->ring;

		count[KFLAME_STAT_COPIES] += READ_ONCE(r->copies);
		count[KFLAME_STAT_COPY_BYTES] += READ_ONCE(r->copy_bytes);
		/* Otherwise these are lost samples: KFLAME_LOST_RING. */
		if (in_addition)
			count[KFLAME_STAT_COPIES_DROPPED] += READ_ONCE(r->dropped);
	}
}

/* Collect all counters of a session: KFLAME_STAT_*. */
void kf_session_count(struct kf_session *s, u64 *count)
{
	unsigned long flags;

	if (!s->cpu)
		return;
	flags = kf_sample_lock_irq(&s->sampling.aspaces.lock);
	memcpy(count, s->sampling.aspaces.count, sizeof(s->sampling.aspaces.count));
	kf_sample_unlock_irq(&s->sampling.aspaces.lock, flags);
	count[KFLAME_STAT_EXCHANGES] = READ_ONCE(s->exchanges);
	count[KFLAME_STAT_WAKEUPS] = READ_ONCE(s->wakeups);
	count[KFLAME_STAT_ORDERED] = READ_ONCE(s->ordered);
	count[KFLAME_STAT_ORDER_FULL] = READ_ONCE(s->unordered);
	kf_held_count(&s->held, &count[KFLAME_STAT_FILES_TAKEN],
		      &count[KFLAME_STAT_FILES_EXPIRED]);
	kf_utables_count(&s->tables, &count[KFLAME_STAT_TABLES],
			 &count[KFLAME_STAT_TABLE_BYTES]);
	count_walks(s, count);
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
 * @stats:	@stats->cpu names the CPU, ~0 means all CPUs; @stats->event the event; the function
 *		fills the rest
 *
 * Return: 0; -ENODEV if no such CPU is possible; -ENOENT if there is no such event.
 */
int kf_session_stats(struct kf_session *s, struct kflame_stats *stats)
{
	struct kflame_cpu books;
	unsigned int cpu;
	int err = 0;

	cpus_read_lock();
	mutex_lock(&s->ctl);
	if (stats->event && !kf_session_has_event(s, stats->event)) {
		err = -ENOENT;
	} else if (stats->cpu == ~0U) {
		for_each_cpu(cpu, s->cpus)
			if (kf_session_books(s, cpu, stats->event, &books))
				add_books(&stats->books, &books);
	} else if (stats->cpu < nr_cpu_ids && cpu_possible(stats->cpu)) {
		kf_session_books(s, stats->cpu, stats->event, &stats->books);
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
 * kf_session_file() - take a mapped file that the session holds
 * @s:		the session
 * @id:		kflame_rec_file.id
 *
 * Return: an O_PATH file, which the caller owns; NULL if the session does not hold it.
 */
struct file *kf_session_file(struct kf_session *s, u64 id)
{
	return kf_held_take(&s->held, id);
}

/**
 * kf_session_number() - get the id of a file that current has mapped; may sleep
 * @s:		the session
 * @address:	an address in the mapping
 * @id:		out: kflame_rec_file.id
 *
 * Return: 0 or an error, see struct kflame_number.
 */
int kf_session_number(struct kf_session *s, unsigned long address, u64 *id)
{
	int err;

	/* Pairs with the release in run(), session/session.c: all that START made is visible. */
	if (smp_load_acquire(&s->state) != KF_RUNNING)
		return -EINVAL;
	err = kf_aspaces_number(&s->sampling.aspaces, address, id);
	/* The file may be held now, for a limited time. The work computes when it expires. */
	mod_delayed_work(kf_wq, &s->work, 0);
	return err;
}

/**
 * kf_session_table() - add a file's unwind table; may sleep
 * @s:		the session
 * @req:	the reader's request
 *
 * Return: 0 or an error, see struct kflame_table; -EINVAL if the session has no tables.
 */
int kf_session_table(struct kf_session *s, const struct kflame_table *req)
{
	/* Pairs with the release in run(), session/session.c: all that START made is visible. */
	if (smp_load_acquire(&s->state) < KF_RUNNING || !kf_has_tables(&s->sampling.config))
		return -EINVAL;
	return kf_utables_add(&s->tables, req);
}

/**
 * kf_session_interpreter() - add the description of an interpreter; may sleep
 * @s:		the session
 * @req:	the reader's request
 *
 * Return: 0 or an error, see struct kflame_interpreter.
 */
int kf_session_interpreter(struct kf_session *s, const struct kflame_interpreter *req)
{
	const struct kf_walker *walker;
	struct kf_interpreters *all;
	int err = kf_interpreter_check(req, &walker);

	if (err)
		return err;
	/* Pairs with the release in run(), session/session.c. */
	if (smp_load_acquire(&s->state) < KF_RUNNING || !kf_has_tables(&s->sampling.config))
		return -EINVAL;
	mutex_lock(&s->ctl);
	all = s->sampling.interpreters;
	if (!all) {
		all = kf_session_create_interpreters();
		/* Pairs with is_interpreted() and the reader: they see what it has. */
		smp_store_release(&s->sampling.interpreters, all);
	}
	err = all ? kf_interpreters_add(all, req, walker) : -ENOMEM;
	mutex_unlock(&s->ctl);
	return err;
}

/**
 * kf_session_mmap() - map a CPU's ring, see struct kflame_ring
 * @s:		the session
 * @vma:	its offset selects the ring
 *
 * Context: mmap_lock is held, so the function takes no lock of the session (see kf_ring_mmap()).
 * Return: 0; -EINVAL if the session has no rings, if there is none at this offset, or if the
 * mapping is not of the whole ring, private or executable; -ENODATA if the session was not started
 * or the CPU has no ring (yet).
 */
int kf_session_mmap(struct kf_session *s, struct vm_area_struct *vma)
{
	unsigned long pages, cpu;

	/* START made all that is read here, and only the session's destruction frees it. */
	if (smp_load_acquire(&s->state) < KF_RUNNING)
		return -ENODATA;
	if (!s->sampling.config.dump || !(vma->vm_flags & VM_SHARED) || (vma->vm_flags & VM_EXEC))
		return -EINVAL;
	pages = kf_ring_bytes(s->sampling.config.ring_bytes) >> PAGE_SHIFT;
	cpu = vma->vm_pgoff / pages;
	if (vma->vm_pgoff % pages || vma_pages(vma) != pages)
		return -EINVAL;
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	return kf_ring_mmap(&per_cpu_ptr(s->cpu, cpu)->ring, vma);
}
