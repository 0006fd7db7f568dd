// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample.c - the sample path, see sample/sample.h
 *
 * Rules of this path and of all that it calls. It runs with interrupts off, and may have
 * interrupted anything:
 *   - it allocates nothing, prints nothing, warns of nothing
 *   - it takes only raw locks, which are held for a bounded number of steps
 *   - it wakes no task, also not under those locks: samples of waits are taken with the lock of a run
 *     queue held. What is to be woken is left to a hard irq_work
 *   - it never sleeps; user memory is read with faults off
 *   - everything is bounded: frames, probes, parents
 *   - it writes only to this CPU's memory, unless a high-water mark is passed or an address space
 *     is new
 *   - one sample at a time: a sample that comes while another one is being stored is counted as
 *     lost
 *
 * Every sample that enters ends in exactly one of kf_table_count(), kf_dump() and lose(). With
 * KFLAME_DUMP_BOTH, kf_dump() comes in addition and is not counted. If there is no room for the
 * copy of a stack whose unwind table is late, the sample is counted with the stack as far as it was
 * walked.
 */
#include <linux/indirect_call_wrapper.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <asm/word-at-a-time.h>

#include "base/clock.h"
#include "kstack/known_callers.h"
#include "kstack/kstack.h"
#include "sample/cpu.h"
#include "sample/sample.h"
#include "sample/stack_copy.h"
#include "source/timer_tick.h"
#include "store/kept.h"
#include "ustack/by_frame_pointer.h"
#include "ustack/by_tables.h"

/*
 * One sample being taken. All functions that use it are inlined, so its members are in registers or
 * are constants. Common sessions get specialised copies of the callback. In these copies @plan is a
 * compile-time constant, so the compiler drops the checks that such sessions never need.
 */
struct sample {
	struct pt_regs *regs;
	unsigned long handler;
	u32 event;
	u64 weight_ns;
	u64 late_ns;
	u32 context;
	enum kf_plan plan;
	bool kept;
};

static __always_inline bool is_usual(const struct sample *s)
{
	return s->plan != KF_PLAN_ANY;
}

/* Is the option @flag set? Only for options that no common session has. */
static __always_inline bool is_set(const struct kf_cpu *c, const struct sample *s, u64 flag)
{
	return !is_usual(s) && (c->sampling->config.flags & flag);
}

static noinline void lose(struct kflame_cpu *books, u32 why, u64 weight_ns)
{
	books->lost[why]++;
	books->lost_ns[why] += weight_ns;
}

/*
 * What the timer interrupted. A softirq on top of the idle task is work, not
 * idleness.
 */
static __always_inline u32 context_of(const struct kf_cpu *c, u64 late_ns)
{
	if (unlikely(late_ns > KF_GAP_NS))
		return KFLAME_CTX_GAP;
	if (in_serving_softirq())
		return KFLAME_CTX_SOFTIRQ;
	if (is_idle_task(current))
		return KFLAME_CTX_IDLE;
	/* KVM clears the flag only after the interrupt that ended guest mode was handled. */
	if (unlikely(current->flags & PF_VCPU) && c->sampling->config.flags & KFLAME_CF_GUEST)
		return KFLAME_CTX_GUEST;
	return KFLAME_CTX_TASK;
}

/* Do the session's filters reject this sample? */
static noinline bool is_filtered(struct kf_sampling *sampling, struct pt_regs *regs)
{
	if (sampling->config.flags &
	    (user_mode(regs) ? KFLAME_CF_EXCLUDE_USER : KFLAME_CF_EXCLUDE_KERNEL))
		return true;
	/* An idle task belongs to no process. Neither does a softirq on top of it. */
	return !kf_filter_is_all(&sampling->filter) &&
	       (is_idle_task(current) || !kf_filter_match(&sampling->filter, current));
}

/* KFLAME_LOST_* if this sample is not wanted, -1 if it is. */
static __always_inline int unwanted(struct kf_sampling *sampling, const struct sample *s)
{
	/*
	 * The time while the CPU was away belongs to no process, so a filter of processes rejects
	 * it.
	 */
	if (s->context == KFLAME_CTX_GAP)
		return !is_usual(s) && sampling->chooses && !kf_filter_is_all(&sampling->filter) ?
		       KFLAME_LOST_FILTER : -1;
	if (s->context == KFLAME_CTX_IDLE && (sampling->config.flags & KFLAME_CF_EXCLUDE_IDLE))
		return KFLAME_LOST_IDLE;
	if (unlikely(!s->regs))
		return KFLAME_LOST_NOREGS;
	if (!is_usual(s) && unlikely(sampling->chooses) && is_filtered(sampling, s->regs))
		return KFLAME_LOST_FILTER;
	return -1;
}

/* Return: is there a kernel stack? It is in c->kframes, or its callers are stack c->kwalk.like. */
static __always_inline bool walk_kernel(struct kf_cpu *c, const struct sample *s,
					const struct kf_table *chains)
{
	struct kf_sampling *sampling = c->sampling;
	struct kf_kwalk *w = &c->kwalk;

	if (user_mode(s->regs) || is_set(c, s, KFLAME_CF_NO_KSTACK))
		return false;
	if (s->context == KFLAME_CTX_IDLE && !(sampling->config.flags & KFLAME_CF_IDLE_STACK))
		return false;
	w->chains = chains;
	w->like = is_usual(s) || c->matches ? kf_kstack_match(w, s->regs) : 0;
	if (likely(w->like)) {
		c->kframes.ip[0] = instruction_pointer(s->regs);
		w->count[KF_KWALK_CACHED]++;
		return true;
	}
	if (is_usual(s))
		kf_kstack_by_steps(s->regs, s->handler, sampling->config.kdepth, w, &c->kframes);
	else
		INDIRECT_CALL_1(sampling->kstack, kf_kstack_by_steps, s->regs, s->handler,
				sampling->config.kdepth, w, &c->kframes);
	return true;
}

/* Does current have a user side? */
static __always_inline bool has_user(void)
{
	return current->mm && !(current->flags & PF_KTHREAD);
}

/*
 * With KFLAME_DUMP_ALL user stacks are copied, not walked. One frame shows whether there is one. Samples
 * that are kept are never copied.
 */
static __always_inline bool is_walked(const struct kf_cpu *c, const struct sample *s)
{
	return is_usual(s) || s->kept || c->sampling->config.dump != KFLAME_DUMP_ALL;
}

static __always_inline u32 user_depth(const struct kf_cpu *c, const struct sample *s)
{
	const u32 most = c->sampling->config.udepth;

	if (is_usual(s))
		return max(most, KF_PLAN_MIN_UDEPTH); /* for the compiler: it is no less */
	return is_walked(c, s) ? most : 1;
}

/*
 * Find the address space, and walk the user stack. Return: is there a user stack? It is in
 * c->uframes, or @g has its id.
 */
static __always_inline bool walk_user(struct kf_cpu *c, const struct sample *s, struct kf_guess *g)
{
	const bool wanted = !is_set(c, s, KFLAME_CF_NO_USTACK);
	const u32 depth = user_depth(c, s);
	static const struct kf_aspace_line nobody;
	const struct kf_aspace_line *line = &nobody;
	const bool by_tables = s->plan == KF_PLAN_TABLES ||
			       (!is_usual(s) && c->uwalk.known && is_walked(c, s));
	struct kf_uspace *space = NULL;

	if (s->plan != KF_PLAN_FP)
		c->uwalk.late = false;
	if (unlikely(!has_user())) {
		if (current->flags & PF_KTHREAD || !wanted)
			return false;
		c->uframes.is = kf_shape(KFLAME_STACK_USER, 0, KFLAME_END_NO_MM, KF_NO_CANDIDATE);
		return true;
	}
	/* In the middle of exec the mm is the new program's, and the identity is the old one's. */
	if (likely(!current->in_execve)) {
		line = kf_aspace_of_current(&c->sampling->aspaces, &c->cache,
					    s->plan != KF_PLAN_FP, &c->kick);
		c->key.aspace = line->id;
	}
	if (!wanted)
		return false;
	if (by_tables) {
		space = &c->space;
		space->aspace = line->id;
		space->run = &line->run;
	}
	if (!is_usual(s) && unlikely(c->ucheck))
		kf_ucheck_walk(c->ucheck, s->regs, space, depth, &c->leaf, g, &c->uframes);
	else
		kf_ustack_inline(s->regs, by_tables, space, depth, &c->leaf, g, &c->uframes);
	if (by_tables && unlikely(c->uwalk.unknown)) {
		c->uwalk.unknown = false;
		kf_aspace_unknown(&c->cache);
	}
	return true;
}

/* The bytes of a word before its first zero byte; @ended: there is one */
static __always_inline unsigned long before_zero(unsigned long word, bool *ended)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long bits;

	*ended = has_zero(word, &bits, &constants);
	if (!*ended)
		return word;
	bits = create_zero_mask(prep_zero_mask(word, bits, &constants));
	return word & zero_bytemask(bits);
}

/*
 * Copy the task's name. Bytes after its end are cleared, because they would make two keys of one
 * name. Another thread may be renaming this one, so each word is read once.
 */
static __always_inline void copy_comm(struct kf_cpu *c)
{
	unsigned long *to = (unsigned long *)c->key.comm;
	unsigned long first, second;
	bool ended;

	BUILD_BUG_ON(KFLAME_COMM_LEN != 2 * sizeof(first) || KFLAME_COMM_LEN != sizeof(c->comm));
	/*
	 * Not READ_ONCE(): with RANDSTRUCT comm may be unaligned, which arm64 with LTO does not
	 * support.
	 */
	__builtin_memcpy(&first, current->comm, sizeof(first));
	__builtin_memcpy(&second, current->comm + sizeof(first), sizeof(second));
	OPTIMIZER_HIDE_VAR(first);
	OPTIMIZER_HIDE_VAR(second);
	/* The name in the key was made from these words. */
	if (likely(first == c->comm[0] && second == c->comm[1]))
		return;
	c->comm[0] = first;
	c->comm[1] = second;
	to[0] = before_zero(first, &ended);
	to[1] = ended ? 0 : before_zero(second, &ended);
}

/* Fill in the thread and its name. The ids of its stacks follow later. */
static __always_inline void describe(struct kf_cpu *c, const struct sample *s)
{
	struct kf_key *key = &c->key;

	key->aspace = 0;
	key->kstack = 0;
	key->context = kf_key_context(s->context, s->event);
	if (unlikely(s->context == KFLAME_CTX_GAP)) {
		key->tgid = 0;
		key->tid = 0;
		memset(key->comm, 0, sizeof(key->comm));
		memset(c->comm, 0, sizeof(c->comm));
		return;
	}
	/* Both ids of an idle task are 0. */
	key->tgid = current->tgid;
	if (is_set(c, s, KFLAME_CF_PER_THREAD))
		key->tid = current->pid;
	copy_comm(c);
}

/* Intern the kernel stack. Return: its id in the table, 0 if there is no room. */
static __always_inline u32 kernel_stack(struct kf_cpu *c, const struct pt_regs *regs)
{
	struct kf_table *t = c->table;
	u32 n;

	if (likely(c->kwalk.like))
		return kf_table_stack_like(t, c->kwalk.like, c->kframes.ip[0]);
	n = kf_table_stack(t, c->kframes.is, c->kframes.ip);
	if (c->kwalk.whole && c->kwalk.chains && n)
		kf_kstack_note(&c->kwalk, regs, t, n);
	return n;
}

/* Count the sample in the table. Return: KFLAME_LOST_* if there is no room, else -1. */
static __always_inline int count(struct kf_cpu *c, const struct sample *s, bool has_kstack,
				 bool has_ustack, const struct kf_guess *g)
{
	struct kf_table *t = c->table;
	u32 entry;

	if (has_kstack) {
		c->key.kstack = kernel_stack(c, s->regs);
		if (unlikely(!c->key.kstack))
			return KFLAME_LOST_STACKS;
	}
	c->key.ustack = g->stack;
	if (has_ustack && !g->stack) {
		c->key.ustack = kf_table_stack(t, c->uframes.is, c->uframes.ip);
		if (unlikely(!c->key.ustack))
			return KFLAME_LOST_STACKS;
		if (g->place)
			*g->place = c->key.ustack;
	}
	entry = kf_table_count(t, &c->key, 1, s->weight_ns, s->late_ns);
	if (unlikely(!entry))
		return KFLAME_LOST_TABLE;
	if (g->stack)
		c->uwalk.again += c->uframes.is.nr;
	if (!is_usual(s) && unlikely(t->max_samples))
		kf_table_note(t, entry, kf_sample_time(c, s->event, s->weight_ns), s->weight_ns, s->late_ns);
	return -1;
}

/* Is this user stack to be copied? All other stacks are counted in the table. */
static __always_inline bool is_copied(const struct kf_cpu *c, const struct sample *s)
{
	const u32 dump = c->sampling->config.dump;

	if (s->plan == KF_PLAN_FP || (s->plan == KF_PLAN_TABLES && likely(!c->uwalk.late)))
		return false;
	/*
	 * The tool unwinds with the mappings of an address space. It has none for one without an
	 * id.
	 */
	if (likely(!dump) || (dump == KFLAME_DUMP_REST && !(c->uwalk.late && c->key.aspace)))
		return false;
	return c->uframes.is.nr && (c->uframes.is.end & KFLAME_END_MASK) != KFLAME_END_COMPAT;
}

/*
 * The record of a copy needs the whole kernel stack. If the callers were matched in the table,
 * c->kframes has only the innermost frame. Then copy the callers from the table.
 */
static void fetch_kframes(struct kf_cpu *c)
{
	const u64 ip = c->kframes.ip[0];
	const struct kf_stack *like;

	if (!c->kwalk.like)
		return;
	like = &c->table->stacks[c->kwalk.like - 1];
	kf_stack_copy(c->table, like, c->kframes.ip);
	c->kframes.ip[0] = ip;
	c->kframes.is = like->is;
}

static noinline bool copy(struct kf_cpu *c, struct pt_regs *regs, bool has_kstack, u64 weight_ns,
			  u64 late_ns, u32 flags)
{
	struct pt_regs *user = user_mode(regs) ? regs : task_pt_regs(current);

	if (has_kstack)
		fetch_kframes(c);
	else
		c->kframes.is = kf_shape(KFLAME_STACK_KERNEL, 0, KFLAME_END_COMPLETE,
					 KF_NO_CANDIDATE);
	/* The user stack was not walked. */
	if (c->sampling->config.dump == KFLAME_DUMP_ALL)
		c->uframes.is = kf_shape(KFLAME_STACK_USER, 0, KFLAME_END_COMPLETE,
					 KF_NO_CANDIDATE);
	return kf_dump(c, &c->key, user, weight_ns, late_ns, flags);
}

/* Wake the reader, or the worker. */
static noinline void wake(struct kf_cpu *c)
{
	/*
	 * The reader clears the bit when it takes the table, or cannot take it. Then a sample sets
	 * it again.
	 */
	if (!cpumask_test_cpu(c->timer.part.cpu, c->sampling->full) &&
	    (kf_table_past_mark(c->table) || (c->ring.page && kf_ring_past_mark(&c->ring)))) {
		cpumask_set_cpu(c->timer.part.cpu, c->sampling->full);
		c->kick = true;
	}
	if (c->kick)
		irq_work_queue(&c->sampling->wake);
}

/* May this sample have been written to the ring? */
static __always_inline bool fills_ring(const struct kf_cpu *c, const struct sample *s)
{
	return s->plan == KF_PLAN_ANY ? !!c->ring.page : s->plan == KF_PLAN_TABLES && c->uwalk.late;
}

/* Walk and store the sample. Return: KFLAME_LOST_* if there was no room, else -1. */
static __always_inline int store(struct kf_cpu *c, const struct sample *s)
{
	struct kf_guess g = { .table = c->table, .asks = is_usual(s) || c->guesses };
	bool has_kstack = false, has_ustack = false;
	u32 dump = KFLAME_DUMP_NONE;
	int why;

	describe(c, s);
	if (likely(s->context != KFLAME_CTX_GAP)) {
		has_kstack = walk_kernel(c, s, g.asks ? g.table : NULL);
		if (!is_idle_task(current))
			has_ustack = walk_user(c, s, &g);
	}
	if (has_ustack && unlikely(is_copied(c, s)))
		dump = c->sampling->config.dump;
	if ((dump == KFLAME_DUMP_ALL || dump == KFLAME_DUMP_REST) &&
	    copy(c, s->regs, has_kstack, s->weight_ns, s->late_ns, 0))
		return -1;
	if (dump == KFLAME_DUMP_ALL)
		return KFLAME_LOST_RING;
	why = count(c, s, has_kstack, has_ustack, &g);
	/* A lost sample is not copied: it would be accounted for twice. */
	if (dump == KFLAME_DUMP_BOTH && why < 0)
		copy(c, s->regs, has_kstack, s->weight_ns, s->late_ns, KFLAME_COPY_COUNTED);
	return why;
}

/* Take one sample on this CPU. @books: of event @event there. */
static __always_inline void take_sample(struct kf_cpu *c, struct kflame_cpu *books, u32 event,
					enum kf_plan plan, struct pt_regs *regs,
					unsigned long handler, u64 weight_ns, u64 late_ns)
{
	const u32 context = context_of(c, late_ns);
	const struct sample s = {
		.regs = regs,
		.handler = handler,
		.event = event,
		.weight_ns = weight_ns,
		/* An idle CPU that wakes up late has missed no sample. */
		.late_ns = context == KFLAME_CTX_IDLE ? 0 : late_ns,
		.context = context,
		.plan = plan,
	};
	int why;

	if (unlikely(__this_cpu_read(kf_storing))) {
		lose(books, KFLAME_LOST_NESTED, weight_ns);
		return;
	}
	__this_cpu_write(kf_storing, true);
	barrier();

	c->kick = false;
	why = unwanted(c->sampling, &s);
	if (likely(why < 0)) {
		why = store(c, &s);
		if (unlikely(c->kick || kf_table_past_mark(c->table) || fills_ring(c, &s)))
			wake(c);
	}
	if (likely(why < 0)) {
		books->counted++;
		books->counted_ns += weight_ns;
	} else {
		lose(books, why, weight_ns);
	}

	barrier();
	__this_cpu_write(kf_storing, false);
}

/* A sample of the timer, see kf_timer_tick() */
static __always_inline void take_tick(struct kf_timer *t, enum kf_plan plan, struct pt_regs *regs,
				      unsigned long handler, u64 weight_ns, u64 late_ns)
{
	take_sample(container_of(t, struct kf_cpu, timer), &t->part.books, 0, plan, regs, handler,
		    weight_ns, late_ns);
}

/* A sample of any event, in a session of any plan: the one copy of take_sample() for these */
static noinline __no_kmsan_checks
void take_any_sample(struct kf_cpu *c, struct kflame_cpu *books, u32 event, struct pt_regs *regs,
		     unsigned long handler, u64 weight_ns, u64 late_ns)
{
	take_sample(c, books, event, KF_PLAN_ANY, regs, handler, weight_ns, late_ns);
}

static __always_inline void take_any(struct kf_timer *t, struct pt_regs *regs, unsigned long handler,
				     u64 weight_ns, u64 late_ns)
{
	take_any_sample(container_of(t, struct kf_cpu, timer), &t->part.books, 0, regs, handler,
			weight_ns, late_ns);
}

static __no_kmsan_checks enum hrtimer_restart kf_sample_any(struct hrtimer *hrtimer)
{
	return kf_timer_tick(hrtimer, take_any, false);
}

static __always_inline void take_fp(struct kf_timer *t, struct pt_regs *regs, unsigned long handler,
				    u64 weight_ns, u64 late_ns)
{
	take_tick(t, KF_PLAN_FP, regs, handler, weight_ns, late_ns);
}

static __no_kmsan_checks enum hrtimer_restart kf_sample_fp(struct hrtimer *hrtimer)
{
	return kf_timer_tick(hrtimer, take_fp, true);
}

static __always_inline void take_tables(struct kf_timer *t, struct pt_regs *regs, unsigned long handler,
					u64 weight_ns, u64 late_ns)
{
	take_tick(t, KF_PLAN_TABLES, regs, handler, weight_ns, late_ns);
}

static __no_kmsan_checks enum hrtimer_restart kf_sample_tables(struct hrtimer *hrtimer)
{
	return kf_timer_tick(hrtimer, take_tables, true);
}

/**
 * kf_sample_callback() - the callback for the timers of a session
 * @plan:	the session's
 *
 * Return: a callback for timers of struct kf_cpu. Its context: hard interrupt, interrupts off.
 */
kf_timer_fn *kf_sample_callback(enum kf_plan plan)
{
	switch (plan) {
	case KF_PLAN_FP:
		return kf_sample_fp;
	case KF_PLAN_TABLES:
		return kf_sample_tables;
	default:
		return kf_sample_any;
	}
}

/* Note what a sample cost that began at @begin, by kf_clock_read(). */
static void spend(struct kf_event_cpu *part, u64 begin)
{
	/* The clock may go backwards when a virtual machine migrates. */
	const u64 end = kf_clock_read(), cost = end > begin ? kf_clock_ns(end - begin) : 0;

	part->books.handler_ns += cost;
	part->books.handler_max_ns = max(part->books.handler_max_ns, cost);
}

/**
 * kf_sample_event() - take a sample of an event other than the timer
 * @e:		the event
 * @regs:	of what it interrupted
 * @handler:	a return address on the stack, below which the event's own frames are
 * @weight:	of the sample, in the event's unit
 *
 * Context: interrupts off. On a CPU on which the event is not armed, it does nothing.
 */
__no_kmsan_checks
void kf_sample_event(struct kf_event *e, struct pt_regs *regs, unsigned long handler, u64 weight)
{
	struct kf_cpu *c = this_cpu_ptr((struct kf_cpu __percpu *)e->cpu);
	const u64 begin = kf_clock_read();
	struct kf_event_cpu *part;

	lockdep_assert_irqs_disabled();
	part = kf_cpu_event(c, e->id);
	if (!part->armed)
		return;
	/* A nested event must not change the time of the sample that is being stored. */
	if (!__this_cpu_read(kf_storing) && (c->ring.page || c->table->max_samples))
		c->event_ns = ktime_get_mono_fast_ns();
	part->books.samples++;
	part->books.weight_ns += weight;
	take_any_sample(c, &part->books, e->id, regs, handler, weight, 0);

	spend(part, begin);
}

/* ------------------------------------------------------------ counted later */

/* Longer than the kernel's function that calls several probes of a tracepoint */
#define ITERATOR_BYTES	512U

static struct kf_cpu *this_kf_cpu(struct kf_event *e)
{
	return this_cpu_ptr((struct kf_cpu __percpu *)e->cpu);
}

/**
 * kf_sample_wants() - is a sample of current wanted, of an event that is counted later?
 * @e:	the event
 *
 * Whether user or kernel mode is wanted makes no difference: who waits does so in the kernel.
 *
 * Context: interrupts off.
 * Return: true if the event is armed on this CPU and the session samples current.
 */
bool kf_sample_wants(struct kf_event *e)
{
	struct kf_cpu *c = this_kf_cpu(e);

	lockdep_assert_irqs_disabled();
	return kf_cpu_event(c, e->id)->armed &&
	       (kf_filter_is_all(&c->sampling->filter) || kf_filter_match(&c->sampling->filter, current));
}

/* Drop the innermost frame if it is in the function at @own, which only calls probes. */
static void drop_own(struct kf_frames *f, unsigned long own)
{
	if (f->is.nr < 2 || f->ip[0] - own >= ITERATOR_BYTES)
		return;
	f->is.nr--;
	memmove(f->ip, f->ip + 1, f->is.nr * sizeof(f->ip[0]));
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

/* An interrupt on top of current is no part of it. */
static void forget_task(struct kf_key *key)
{
	key->tgid = 0;
	key->tid = 0;
	memset(key->comm, 0, sizeof(key->comm));
}

/* Walk the stacks of what runs now, for a sample that is kept. */
static noinline __no_kmsan_checks void walk_kept(struct kf_cpu *c, const struct sample *s,
						 unsigned long own, struct kf_kept *kept)
{
	struct kf_guess none = {};

	describe(c, s);
	kept->kernel = (union kf_shape){};
	kept->user = (union kf_shape){};
	if (!is_set(c, s, KFLAME_CF_NO_KSTACK)) {
		/* Of the sample before; its table may be with the reader. */
		c->kwalk.chains = NULL;
		c->kwalk.like = 0;
		INDIRECT_CALL_1(c->sampling->kstack, kf_kstack_by_steps, s->regs, s->handler,
				c->sampling->config.kdepth, &c->kwalk, &c->kframes);
		drop_own(&c->kframes, own);
		kept->kernel = c->kframes.is;
	}
	kept->has_user = s->context == KFLAME_CTX_TASK && walk_user(c, s, &none);
	if (kept->has_user)
		kept->user = c->uframes.is;
	kept->key = c->key;
	if (s->context == KFLAME_CTX_IRQ || s->context == KFLAME_CTX_SOFTIRQ)
		forget_task(&kept->key);
}

/* @own: see drop_own() */
static void keep(struct kf_cpu *c, const struct sample *s, unsigned long own, struct kf_chunks *chunks,
		 struct kf_kept *kept)
{
	kept->lost = KFLAME_LOST_NESTED;
	if (__this_cpu_read(kf_storing))
		return;
	__this_cpu_write(kf_storing, true);
	barrier();
	c->kick = false;
	walk_kept(c, s, own, kept);
	kept->lost = kf_kept_store(chunks, kept, c->kframes.ip, c->uframes.ip) ? -1 :
									KFLAME_LOST_STACKS;
	if (c->kick)
		irq_work_queue(&c->sampling->wake);
	barrier();
	__this_cpu_write(kf_storing, false);
}

/**
 * kf_sample_keep() - take a sample of current that is counted later
 * @e:		the event; kf_sample_wants() was true
 * @regs:	where the kernel stack is walked from
 * @chunks:	for its addresses
 * @kept:	out, until the next call; zero before the first
 *
 * Context: interrupts off.
 */
void kf_sample_keep(struct kf_event *e, struct pt_regs *regs, struct kf_chunks *chunks,
		    struct kf_kept *kept)
{
	const struct sample s = {
		.regs = regs, .event = e->id, .context = KFLAME_CTX_TASK, .plan = KF_PLAN_ANY,
		.kept = true,
	};

	lockdep_assert_irqs_disabled();
	keep(this_kf_cpu(e), &s, e->own, chunks, kept);
}

/**
 * kf_sample_keep_waker() - take a sample of what runs now, as the waker of a task
 * @e:		the event
 * @regs:	where the kernel stack is walked from
 * @own:	where the kernel's function begins that calls several probes
 * @chunks:	for its addresses
 * @kept:	out, until the next call; zero before the first. It is not whole on a CPU on which the
 *		event is not armed
 *
 * The session's filter does not apply.
 *
 * Context: any but NMI, interrupts off.
 */
void kf_sample_keep_waker(struct kf_event *e, struct pt_regs *regs, unsigned long own,
			  struct kf_chunks *chunks, struct kf_kept *kept)
{
	struct kf_cpu *c = this_kf_cpu(e);
	const struct sample s = {
		.regs = regs, .event = e->id, .context = waker_context(), .plan = KF_PLAN_ANY,
		.kept = true,
	};

	lockdep_assert_irqs_disabled();
	if (kf_cpu_event(c, e->id)->armed)
		keep(c, &s, own, chunks, kept);
	else
		kf_kept_forget(kept);
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
static noinline bool intern_kept(struct kf_cpu *c, const struct kf_chunks *chunks,
				 const struct kf_kept *kept, struct kf_key *key)
{
	kf_kept_load(chunks, kept, c->kframes.ip, c->uframes.ip);
	return intern_stacks(c, kept->kernel.nr ? &kept->kernel : NULL,
			     kept->has_user ? &kept->user : NULL, key);
}

/*
 * Join a wait's kernel stack with its waker, see KF_STACK_WAKE. If there is no room, the wait stays without
 * its waker.
 */
static noinline void add_waker(struct kf_cpu *c, const struct kf_chunks *chunks,
			       const struct kf_kept *waker, struct kf_key *wait)
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
	c->kick = false;
	if (kf_table_past_mark(t))
		wake(c);
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

/* Account for a sample: @why is KFLAME_LOST_*, or -1 if it was counted. */
static void account(struct kflame_cpu *books, int why, u64 weight)
{
	books->samples++;
	books->weight_ns += weight;
	if (why < 0) {
		books->counted++;
		books->counted_ns += weight;
	} else {
		lose(books, why, weight);
	}
}

/**
 * kf_sample_count() - count a sample that was kept, on the CPU where it ends
 * @e:		the event
 * @chunks:	with its addresses
 * @kept:	the sample
 * @waker:	who ended it; NULL: not known
 * @context:	KFLAME_CTX_*
 * @end_ns:	when it ended, CLOCK_MONOTONIC
 * @weight:	in the event's unit
 * @why:	KFLAME_LOST_* if it is not wanted after all, else -1
 *
 * Context: interrupts off. On a CPU on which the event is not armed, it does nothing.
 */
void kf_sample_count(struct kf_event *e, const struct kf_chunks *chunks, const struct kf_kept *kept,
		     const struct kf_kept *waker, u32 context, u64 end_ns, u64 weight, int why)
{
	struct kf_cpu *c = this_kf_cpu(e);
	struct kf_event_cpu *part = kf_cpu_event(c, e->id);

	lockdep_assert_irqs_disabled();
	if (!part->armed)
		return;
	if (kept->lost >= 0)
		why = kept->lost;
	else if (__this_cpu_read(kf_storing))
		why = KFLAME_LOST_NESTED;
	if (why < 0) {
		__this_cpu_write(kf_storing, true);
		barrier();
		why = count_kept(c, chunks, kept, waker, kf_key_context(context, e->id), end_ns, weight);
		barrier();
		__this_cpu_write(kf_storing, false);
	}
	account(&part->books, why, weight);
}

/* A sample could not be kept: its weight will never be known. */
void kf_sample_missed(struct kf_event *e)
{
	struct kf_event_cpu *part = kf_cpu_event(this_kf_cpu(e), e->id);

	part->books.samples++;
	lose(&part->books, KFLAME_LOST_WAITS, 0);
}

/* Walk and count another task, see kf_sample_look(). Return: KFLAME_LOST_*, or -1 if it was counted */
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

/**
 * kf_sample_look() - take a sample of another task, if the session samples it
 * @e:		the event
 * @t:		the task; it sleeps
 * @context:	KFLAME_CTX_*
 * @now_ns:	the end of what the sample stands for, CLOCK_MONOTONIC
 * @weight:	in the event's unit
 *
 * Its user stack is not walked: that memory is not at hand.
 *
 * Context: interrupts off, and @t->pi_lock held. On a CPU on which the event is not armed, it does
 * nothing.
 */
void kf_sample_look(struct kf_event *e, struct task_struct *t, u32 context, u64 now_ns, u64 weight)
{
	const u64 begin = kf_clock_read();
	struct kf_cpu *c = this_kf_cpu(e);
	struct kf_event_cpu *part = kf_cpu_event(c, e->id);
	int why = KFLAME_LOST_NESTED;

	lockdep_assert_irqs_disabled();
	lockdep_assert_held(&t->pi_lock);
	if (!part->armed || (!kf_filter_is_all(&c->sampling->filter) &&
			     !kf_filter_match(&c->sampling->filter, t)))
		return;
	if (!__this_cpu_read(kf_storing)) {
		__this_cpu_write(kf_storing, true);
		barrier();
		why = count_other(c, t, kf_key_context(context, e->id), now_ns, weight);
		barrier();
		__this_cpu_write(kf_storing, false);
	}
	account(&part->books, why, weight);
	spend(part, begin);
}

/* The event has cost this CPU the time since @begin, by kf_clock_read(). */
void kf_sample_spent(struct kf_event *e, u64 begin)
{
	struct kf_event_cpu *part = kf_cpu_event(this_kf_cpu(e), e->id);

	if (part->armed)
		spend(part, begin);
}
