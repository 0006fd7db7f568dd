// SPDX-License-Identifier: GPL-2.0-only
/*
 * events.c - samples of events other than the timer, as sources take them; see source/source.h
 *
 * The functions of kf_sample_ops decide whether a sample is wanted on this CPU, and account for it. The
 * walks are in sample/sample.c, whose head has the rules of this path.
 */
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "base/clock.h"
#include "kstack/kstack.h"
#include "sample/cpu.h"
#include "sample/events.h"
#include "sample/freeze.h"
#include "sample/sample.h"
#include "store/kept.h"

static struct kf_cpu *this_kf_cpu(struct kf_event *e)
{
	return this_cpu_ptr((struct kf_cpu __percpu *)e->cpu);
}

/* Return: false if a sample is being stored on this CPU already; then this one is lost. */
static bool begin_storing(void)
{
	if (__this_cpu_read(kf_storing))
		return false;
	__this_cpu_write(kf_storing, true);
	barrier();
	return true;
}

static void end_storing(void)
{
	barrier();
	__this_cpu_write(kf_storing, false);
}

/* A sample was counted. @context: KFLAME_CTX_* */
static void counted(const struct kf_event *e, struct kf_event_cpu *part, u32 context, u64 weight)
{
	if (part->weights)
		kf_weights_add(part->weights, context, weight);
	if (unlikely(e->flags & KFLAME_EF_FREEZE))
		kf_freeze_hit(weight);
}

/* Account for a sample: @why is KFLAME_LOST_*, or -1 if it was counted. @context: KFLAME_CTX_* */
static void account(const struct kf_event *e, struct kf_event_cpu *part, u32 context, int why, u64 weight)
{
	struct kflame_cpu *books = &part->books;

	books->samples++;
	books->weight_ns += weight;
	if (why >= 0) {
		kf_sample_lose(books, why, weight);
		return;
	}
	books->counted++;
	books->counted_ns += weight;
	counted(e, part, context, weight);
}

/* Add what a sample cost that began at @begin, by kf_clock_read(). */
static void spend(struct kf_event_cpu *part, u64 begin)
{
	/* The clock may go backwards when a virtual machine migrates. */
	const u64 end = kf_clock_read(), cost = end > begin ? kf_clock_ns(end - begin) : 0;

	part->books.handler_ns += cost;
	part->books.handler_max_ns = max(part->books.handler_max_ns, cost);
}

static void sample_spent(struct kf_event *e, u64 begin)
{
	struct kf_event_cpu *part = kf_cpu_event(this_kf_cpu(e), e->id);

	lockdep_assert_irqs_disabled();
	if (part->armed)
		spend(part, begin);
}

static __no_kmsan_checks
void take(struct kf_event *e, struct pt_regs *regs, unsigned long handler,
	  const struct kf_changes *changes, u64 weight)
{
	struct kf_cpu *c = this_kf_cpu(e);
	const u64 begin = kf_clock_read();
	struct kf_event_cpu *part;
	u64 before;

	lockdep_assert_irqs_disabled();
	part = kf_cpu_event(c, e->id);
	if (!part->armed)
		return;
	/* A nested event must not change the time of the sample that is being stored. */
	if (!__this_cpu_read(kf_storing) && (c->ring.page || c->table->max_samples))
		c->event_ns = ktime_get_mono_fast_ns();
	part->books.samples++;
	part->books.weight_ns += weight;
	before = part->books.counted;
	kf_sample_take_any(c, &part->books, e->id, regs, handler, changes, weight, 0);
	if (part->books.counted != before)
		counted(e, part, KFLAME_CTX_TASK, weight);
	spend(part, begin);
}

static void sample_take(struct kf_event *e, struct pt_regs *regs, unsigned long handler,
			unsigned long own, u64 weight, u32 label)
{
	take(e, regs, handler, &(struct kf_changes){ .own = own, .label = label }, weight);
}

static void sample_take_return(struct kf_event *e, struct pt_regs *regs, unsigned long function,
			       u64 weight, u32 label)
{
	take(e, regs, 0, &(struct kf_changes){ .function = function, .label = label }, weight);
}

static void sample_take_user_return(struct kf_event *e, struct pt_regs *regs, unsigned long function,
				    u64 weight)
{
	take(e, regs, 0, &(struct kf_changes){ .user_function = function }, weight);
}

/* ------------------------------------------------------------ counted later */

/* Does the session's filter choose a task? */
static bool is_chosen(struct kf_cpu *c, struct task_struct *t)
{
	struct kf_filter *f = &c->sampling->filter;

	return kf_filter_is_all(f) || kf_filter_match(f, t);
}

/* Whether user or kernel mode is wanted makes no difference: a task waits in the kernel. */
static bool sample_wants(struct kf_event *e)
{
	struct kf_cpu *c = this_kf_cpu(e);

	lockdep_assert_irqs_disabled();
	return kf_cpu_event(c, e->id)->armed && is_chosen(c, current);
}

static void keep(struct kf_cpu *c, u32 event, u32 context, struct pt_regs *regs,
		 const struct kf_changes *changes, struct kf_chunks *chunks, struct kf_kept *kept)
{
	kept->lost = KFLAME_LOST_NESTED;
	if (!begin_storing())
		return;
	c->kick = false;
	kf_sample_walk(c, event, context, regs, changes, kept);
	kept->lost = kf_kept_store(chunks, kept, c->kframes.ip, c->uframes.ip) ? -1 :
									KFLAME_LOST_STACKS;
	if (c->kick)
		irq_work_queue(&c->sampling->wake);
	end_storing();
}

static void sample_keep(struct kf_event *e, struct pt_regs *regs, unsigned long own, u32 label,
			struct kf_chunks *chunks, struct kf_kept *kept)
{
	lockdep_assert_irqs_disabled();
	keep(this_kf_cpu(e), e->id, KFLAME_CTX_TASK, regs,
	     &(struct kf_changes){ .own = own, .label = label }, chunks, kept);
}

/* What runs now, as a waker: not the task that it has interrupted */
static u32 waker_context(void)
{
	if (hardirq_count())
		return KFLAME_CTX_IRQ;
	if (in_serving_softirq())
		return KFLAME_CTX_SOFTIRQ;
	return is_idle_task(current) ? KFLAME_CTX_IDLE : KFLAME_CTX_TASK;
}

/* The session's filter does not apply. */
static void sample_keep_waker(struct kf_event *e, struct pt_regs *regs, unsigned long own,
			      struct kf_chunks *chunks, struct kf_kept *kept)
{
	struct kf_cpu *c = this_kf_cpu(e);

	lockdep_assert_irqs_disabled();
	if (kf_cpu_event(c, e->id)->armed)
		keep(c, e->id, waker_context(), regs, &(struct kf_changes){ .own = own }, chunks, kept);
	else
		kf_kept_forget(kept);
}

static void sample_missed(struct kf_event *e, u32 why, u32 nr, u64 weight)
{
	struct kf_event_cpu *part = kf_cpu_event(this_kf_cpu(e), e->id);

	lockdep_assert_irqs_disabled();
	if (!part->armed)
		return;
	part->books.samples += nr;
	part->books.weight_ns += weight;
	part->books.lost[why] += nr;
	part->books.lost_ns[why] += weight;
}

/*
 * Intern stacks in this CPU's table, with the addresses in @c->kframes and @c->uframes. @kernel, @user:
 * their shapes; NULL: there is no such stack. Return: false if there is no room.
 */
static bool intern_stacks(struct kf_cpu *c, const union kf_shape *kernel, const union kf_shape *user,
			  struct kf_key *key)
{
	struct kf_table *t = c->table;

	key->kstack = 0;
	key->ustack = 0;
	if (kernel) {
		key->kstack = kf_table_stack(t, *kernel, c->kframes.ip);
		if (!key->kstack)
			return false;
	}
	if (user) {
		key->ustack = kf_table_stack(t, *user, c->uframes.ip);
		if (!key->ustack)
			return false;
	}
	return true;
}

/* Intern the stacks of a kept sample in this CPU's table. Return: false if there is no room. */
static bool intern_kept(struct kf_cpu *c, const struct kf_chunks *chunks, const struct kf_kept *kept,
			struct kf_key *key)
{
	kf_kept_load(chunks, kept, c->kframes.ip, c->uframes.ip);
	return intern_stacks(c, kept->kernel.nr ? &kept->kernel : NULL,
			     kept->has_user ? &kept->user : NULL, key);
}

/*
 * Join a wait's kernel stack with its waker, see KF_STACK_WAKE. If there is no room, the wait stays without
 * its waker.
 */
static void add_waker(struct kf_cpu *c, const struct kf_chunks *chunks, const struct kf_kept *waker,
		      struct kf_key *wait)
{
	struct kf_table *t = c->table;
	struct kf_key key = waker->key;
	u64 pair[] = { wait->kstack, 0 };
	u32 joint;

	key.context |= KF_KEY_WAKER;
	if (!intern_kept(c, chunks, waker, &key))
		return;
	pair[1] = kf_table_count(t, &key, 0, 0, 0);
	if (!pair[1])
		return;
	joint = kf_table_stack(t, kf_shape(KF_STACK_WAKE, ARRAY_SIZE(pair), 0, KF_NO_CANDIDATE), pair);
	if (joint)
		wait->kstack = joint;
}

/* Count a sample whose stacks are in this CPU's table. Return: KFLAME_LOST_* if there is no room, else -1. */
static int count_interned(struct kf_cpu *c, const struct kf_key *key, u64 end_ns, u64 weight)
{
	struct kf_table *t = c->table;
	u32 entry = kf_table_count(t, key, 1, weight, 0);

	if (!entry)
		return KFLAME_LOST_TABLE;
	if (t->max_samples)
		kf_table_note(t, entry, end_ns, weight, 0);
	return -1;
}

/*
 * Count a kept sample in this CPU's table. @waker: NULL for none. Return: KFLAME_LOST_* if there is no
 * room, else -1.
 */
static int count_kept(struct kf_cpu *c, const struct kf_chunks *chunks, const struct kf_kept *kept,
		      const struct kf_kept *waker, u32 context, u64 end_ns, u64 weight)
{
	struct kf_key key = kept->key;

	key.cpu = c->key.cpu;
	key.context = context;
	if (!intern_kept(c, chunks, kept, &key))
		return KFLAME_LOST_STACKS;
	if (waker && kf_kept_is_whole(waker))
		add_waker(c, chunks, waker, &key);
	return count_interned(c, &key, end_ns, weight);
}

/* Also after a sample that found no room: only a reader that is woken takes the table. */
static void wake_if_due(struct kf_cpu *c)
{
	c->kick = false;
	if (kf_table_past_mark(c->table))
		kf_sample_wake(c);
}

static void sample_count(struct kf_event *e, const struct kf_chunks *chunks, const struct kf_kept *kept,
			 const struct kf_kept *waker, u32 context, u64 end_ns, u64 weight, int why)
{
	struct kf_cpu *c = this_kf_cpu(e);
	struct kf_event_cpu *part = kf_cpu_event(c, e->id);

	lockdep_assert_irqs_disabled();
	if (!part->armed)
		return;
	if (kept->lost >= 0) {
		why = kept->lost;
	} else if (why < 0) {
		why = KFLAME_LOST_NESTED;
		if (begin_storing()) {
			why = count_kept(c, chunks, kept, waker, kf_key_context(context, e->id), end_ns,
					 weight);
			wake_if_due(c);
			end_storing();
		}
	}
	account(e, part, context, why, weight);
}

/* ------------------------------------------------------------ another task */

/* Walk and count another task. Return: KFLAME_LOST_*, or -1 if it was counted */
static int count_other(struct kf_cpu *c, struct task_struct *t, u32 context, u64 now_ns, u64 weight)
{
	const bool walk = !(c->sampling->config.flags & KFLAME_CF_NO_KSTACK) &&
			  kf_kstack_sleeping(t, c->sampling->config.kdepth, &c->kframes);
	struct kf_key key = { .cpu = c->key.cpu, .context = context, .tgid = t->tgid };

	if (c->sampling->config.flags & KFLAME_CF_PER_THREAD)
		key.tid = t->pid;
	/* It may be renamed meanwhile. Bytes after the end would make two keys of one name. */
	strscpy_pad(key.comm, t->comm, sizeof(key.comm));
	if (!intern_stacks(c, walk ? &c->kframes.is : NULL, NULL, &key))
		return KFLAME_LOST_STACKS;
	return count_interned(c, &key, now_ns, weight);
}

/* The user stack of @t is not walked: that memory is not at hand. */
static void sample_look(struct kf_event *e, struct task_struct *t, u32 context, u64 now_ns, u64 weight)
{
	const u64 begin = kf_clock_read();
	struct kf_cpu *c = this_kf_cpu(e);
	struct kf_event_cpu *part = kf_cpu_event(c, e->id);
	int why = KFLAME_LOST_NESTED;

	lockdep_assert_irqs_disabled();
	lockdep_assert_held(&t->pi_lock);
	if (!part->armed || !is_chosen(c, t))
		return;
	if (begin_storing()) {
		why = count_other(c, t, kf_key_context(context, e->id), now_ns, weight);
		wake_if_due(c);
		end_storing();
	}
	account(e, part, context, why, weight);
	spend(part, begin);
}

const struct kf_sample_ops kf_sample_ops = {
	.take = sample_take,
	.take_return = sample_take_return,
	.take_user_return = sample_take_user_return,
	.wants = sample_wants,
	.keep = sample_keep,
	.keep_waker = sample_keep_waker,
	.count = sample_count,
	.missed = sample_missed,
	.look = sample_look,
	.spent = sample_spent,
};
