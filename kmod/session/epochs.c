// SPDX-License-Identifier: GPL-2.0-only
/*
 * epochs.c - a CPU's ring of tables, see session/epochs.h
 */
#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "base/on_cpu.h"
#include "compat/compat.h"
#include "sample/watch.h"
#include "session/epochs.h"
#include "session/session.h"

static size_t ring_bytes(u32 nr)
{
	return offsetof(struct kf_epochs, epoch) + nr * sizeof(struct kf_epoch);
}

/* Memory of a CPU's ring, without its first table */
size_t kf_epochs_bytes(const struct kf_session *s)
{
	if (!s->epochs)
		return 0;
	return ring_bytes(s->epochs) + (s->epochs - 1) * kf_table_bytes(s->sampling.config.entries, 0);
}

static const struct kf_session *session_of(const struct kf_cpu *c)
{
	return container_of(c->sampling, struct kf_session, sampling);
}

/* What a table held is overwritten. */
static void expire(struct kf_epochs *e, const struct kf_table *t)
{
	u32 i;

	for (i = 0; i < t->nr_entries; i++) {
		e->expired += t->entries[i].samples;
		e->expired_ns += t->entries[i].weight_ns;
	}
}

/* End the current epoch and begin the next one, in the place of the oldest. Interrupts are off. */
static void turn(struct kf_epochs *e)
{
	const u32 next = (e->at + 1) % e->nr;
	struct kf_event_cpu *part = &e->c->timer.part;
	struct kf_epoch *epoch = &e->epoch[next];
	const u64 now = ktime_get_ns();

	/* It has ended before, if the CPU was disarmed since. */
	e->epoch[e->at].end_ns = e->epoch[e->at].end_ns ?: now;
	expire(e, epoch->table);
	kf_table_reset(epoch->table);
	epoch->begin_ns = now;
	epoch->end_ns = 0;
	kf_source_timer.books(part, &epoch->books);
	epoch->tail_before = part->books.tail_ns;
	e->at = next;
	WRITE_ONCE(e->c->table, epoch->table);
	cpumask_clear_cpu(part->cpu, e->c->sampling->full);
	e->left = e->ticks;
}

static void look_for_memory(const struct kf_cpu *c)
{
	struct kf_watch *w = c->sampling->watch;
	long pages;

	if (!w || !w->least_pages)
		return;
	pages = si_mem_available();
	if (pages < (long)w->least_pages)
		w->fire(w, KFLAME_FREEZE_MEMORY, (u64)max(pages, 0L) << PAGE_SHIFT);
}

/* Runs in hard interrupt context, interrupts off. */
static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct kf_epochs *e = container_of(timer, struct kf_epochs, timer);

	if (READ_ONCE(session_of(e->c)->frozen))
		return HRTIMER_NORESTART;
	look_for_memory(e->c);
	if (!--e->left) {
		/* look_for_memory() may have frozen it; another CPU may freeze it at any time. */
		if (READ_ONCE(session_of(e->c)->frozen))
			return HRTIMER_NORESTART;
		turn(e);
	}
	/* From now, not from when it was due. So no epoch is shorter than asked for. */
	hrtimer_set_expires(timer, ktime_add_ns(hrtimer_cb_get_time(timer), e->tick_ns));
	return HRTIMER_RESTART;
}

/**
 * kf_epochs_create() - make the ring of a CPU; may sleep
 * @s:		the session, which has epochs
 * @cpu:	the CPU
 * @first:	its first table, which the ring owns from now on, unless there is an error
 *
 * The caller has reserved the memory.
 *
 * Return: 0 or -ENOMEM.
 */
int kf_epochs_create(struct kf_session *s, unsigned int cpu, struct kf_table *first)
{
	struct kf_cpu *c = per_cpu_ptr(s->cpu, cpu);
	struct kf_epochs *e;
	u32 i;

	e = kzalloc_node(ring_bytes(s->epochs), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN, cpu_to_node(cpu));
	if (!e)
		return -ENOMEM;
	e->c = c;
	e->nr = s->epochs;
	e->ticks = max_t(u32, div_u64(s->epoch_ns + NSEC_PER_SEC - 1, NSEC_PER_SEC), 1);
	e->tick_ns = div_u64(s->epoch_ns, e->ticks);
	hrtimer_setup(&e->timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 1; i < e->nr; i++) {
		e->epoch[i].table = kf_table_create(s->sampling.config.entries, 0, cpu_to_node(cpu));
		if (!e->epoch[i].table)
			goto fail;
	}
	e->epoch[0].table = first;
	c->epochs = e;
	return 0;

fail:
	while (i-- > 1)
		kf_table_destroy(e->epoch[i].table);
	kfree(e);
	return -ENOMEM;
}

/* Free the ring of a CPU with all of its tables, if it has one. Nothing is armed any more. */
void kf_epochs_destroy(struct kf_cpu *c)
{
	u32 i;

	if (!c->epochs)
		return;
	for (i = 0; i < c->epochs->nr; i++)
		kf_table_destroy(c->epochs->epoch[i].table);
	c->table = NULL;
	kfree(c->epochs);
	c->epochs = NULL;
}

/* Begin a new epoch, after the CPU's events were armed. Runs on the CPU, interrupts off. */
void kf_epochs_arm(struct kf_epochs *e)
{
	lockdep_assert_irqs_disabled();
	if (e->armed)
		return;
	e->armed = true;
	e->c->softirq_ns = 0;
	turn(e);
	hrtimer_start(&e->timer, ns_to_ktime(e->tick_ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/* The opposite, after the CPU's events were disarmed. Runs on the CPU, interrupts off. */
void kf_epochs_disarm(struct kf_epochs *e)
{
	lockdep_assert_irqs_disabled();
	if (!e->armed)
		return;
	/* The callback runs on this CPU, so it does not run now. */
	WARN_ON_ONCE(hrtimer_try_to_cancel(&e->timer) < 0);
	e->stopped_ns = ktime_get_ns();
	e->epoch[e->at].end_ns = e->stopped_ns;
	e->armed = false;
}

struct sum_arg {
	struct kf_cpu *c;
	struct kf_epochs_sum *sum;
};

/* Runs with interrupts off, on the CPU concerned; anywhere if that CPU is offline. */
static void sum_fn(void *p)
{
	const struct sum_arg *arg = p;
	const struct kflame_cpu *books = &arg->c->timer.part.books;
	const struct kf_epochs *e = arg->c->epochs;
	struct kf_epochs_sum *sum = arg->sum;
	u32 i;

	sum->samples += books->samples;
	sum->counted += books->counted;
	for (i = 0; i < KFLAME_NR_LOST; i++)
		sum->lost += books->lost[i];
	/* See epochs.h. To add up the tables would take too long with interrupts off. */
	sum->kept += books->counted - e->expired;
	sum->kept_ns += books->counted_ns - e->expired_ns;
	sum->expired += e->expired;
	sum->expired_ns += e->expired_ns;
	sum->stopped_ns = max(sum->stopped_ns, e->stopped_ns);
}

/**
 * kf_epochs_sum() - add up the rings of all CPUs, each at one instant; may sleep
 * @s:		a session with epochs that was started
 * @sum:	out
 */
void kf_epochs_sum(struct kf_session *s, struct kf_epochs_sum *sum)
{
	struct sum_arg arg = { .sum = sum };
	unsigned int cpu;

	memset(sum, 0, sizeof(*sum));
	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		arg.c = per_cpu_ptr(s->cpu, cpu);
		/* Pairs with the release in alloc_cpu(), session/session.c: a CPU with a table has a ring. */
		if (smp_load_acquire(&arg.c->table))
			kf_on_cpu(cpu, sum_fn, &arg);
	}
	cpus_read_unlock();
}

/* The accounting of the time since an epoch began. The CPU is disarmed. */
static void difference(struct kflame_cpu *out, const struct kflame_cpu *now, const struct kf_epoch *since)
{
	const struct kflame_cpu *then = &since->books;
	u32 i;

	*out = *now;
	out->samples -= then->samples;
	out->counted -= then->counted;
	out->missed -= then->missed;
	out->weight_ns -= then->weight_ns;
	out->counted_ns -= then->counted_ns;
	out->active_ns -= then->active_ns;
	/*
	 * The time from the begin of the epoch to the next expiry was in the tail, as a negative part. It is
	 * the head of the difference.
	 */
	out->head_ns -= then->head_ns + (then->tail_ns - since->tail_before);
	out->tail_ns -= since->tail_before;
	out->stretches -= then->stretches;
	out->handler_ns -= then->handler_ns;
	for (i = 0; i < KFLAME_NR_LOST; i++) {
		out->lost[i] -= then->lost[i];
		out->lost_ns[i] -= then->lost_ns[i];
	}
}

/**
 * kf_epochs_window() - which epochs of a CPU end after some time
 * @e:		the ring; the session is stopped
 * @since_ns:	the time, CLOCK_MONOTONIC
 * @w:		out
 *
 * Return: false if there are none.
 */
bool kf_epochs_window(const struct kf_epochs *e, u64 since_ns, struct kf_window *w)
{
	const struct kf_epoch *epoch;

	for (w->first = 0; w->first < e->nr; w->first++) {
		epoch = kf_epochs_nth(e, w->first);
		if (!epoch->begin_ns || epoch->end_ns <= since_ns)
			continue;
		w->begin_ns = epoch->begin_ns;
		difference(&w->books, &e->c->timer.part.books, epoch);
		return true;
	}
	return false;
}
