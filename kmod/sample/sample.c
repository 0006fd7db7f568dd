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
 * Every sample that enters ends in exactly one of kf_table_count(), kf_dump() and kf_sample_lose(). With
 * KFLAME_DUMP_BOTH, kf_dump() comes in addition and is not counted. If there is no room for the
 * copy of a stack whose unwind table is late, the sample is counted with the stack as far as it was
 * walked.
 */
#include <linux/indirect_call_wrapper.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <asm/word-at-a-time.h>

#include "kstack/known_callers.h"
#include "kstack/kstack.h"
#include "sample/cpu.h"
#include "sample/explained.h"
#include "sample/sample.h"
#include "sample/stack_copy.h"
#include "sample/watch.h"
#include "source/timer_tick.h"
#include "store/kept.h"
#include "ustack/by_frame_pointer.h"
#include "ustack/by_tables.h"

/*
 * One sample being taken. All functions that use it are inlined, so its members are in registers or
 * are constants. Only copy_stack() is not, and gets a copy. Common sessions get specialised copies
 * of the callback. In these copies @plan is a compile-time constant, so the compiler drops the checks
 * that such sessions never need.
 */
struct sample {
	struct pt_regs *regs;
	unsigned long handler;
	struct kf_changes changes;
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

/* A sample is lost; @why is KFLAME_LOST_*. */
noinline void kf_sample_lose(struct kflame_cpu *books, u32 why, u64 weight_ns)
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

/* Do the session's filters reject this sample? @is_user: it is of user mode */
static noinline bool is_filtered(struct kf_sampling *sampling, bool is_user)
{
	if (sampling->config.flags & (is_user ? KFLAME_CF_EXCLUDE_USER : KFLAME_CF_EXCLUDE_KERNEL))
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
	if (!is_usual(s) && unlikely(sampling->chooses) &&
	    is_filtered(sampling, user_mode(s->regs) && !s->changes.function))
		return KFLAME_LOST_FILTER;
	return -1;
}

/* Longer than the kernel's function that calls several probes of a tracepoint */
#define ITERATOR_BYTES	512U

/* Drop the innermost frame if it is in the function at @own, which only calls probes. */
static void drop_own(struct kf_frames *f, unsigned long own)
{
	if (f->is.nr < 2 || f->ip[0] - own >= ITERATOR_BYTES)
		return;
	f->is.nr--;
	memmove(f->ip, f->ip + 1, f->is.nr * sizeof(f->ip[0]));
}

/* Add an innermost frame. A stack that is too deep then loses its outermost one. */
static void add_frame(struct kf_frames *f, u32 depth, u64 ip)
{
	u32 nr = f->is.nr;

	if (nr == depth) {
		nr--;
		f->is.end = KFLAME_END_DEPTH | (f->is.end & ~KFLAME_END_MASK);
	}
	memmove(f->ip + 1, f->ip, nr * sizeof(f->ip[0]));
	f->ip[0] = ip;
	f->is.nr = nr + 1;
}

static void add_user_function(struct kf_frames *f, u32 depth, unsigned long function)
{
	add_frame(f, depth, function);
	if (f->is.candidate != KF_NO_CANDIDATE)
		f->is.candidate++;
}

/* The program counter becomes a frame like a caller, see KFLAME_LABEL. @has_kstack: there are frames */
static void add_label(struct kf_cpu *c, u32 label, bool has_kstack)
{
	struct kf_frames *f = &c->kframes;

	if (!has_kstack) {
		c->kwalk.chains = NULL;
		c->kwalk.like = 0;
		f->is = kf_shape(KFLAME_STACK_KERNEL, 0, KFLAME_END_COMPLETE, KF_NO_CANDIDATE);
	}
	if (f->is.nr)
		f->ip[0]++;
	add_frame(f, c->sampling->config.kdepth, KFLAME_LABEL | label);
}

/* Return: is there a kernel stack? It is in c->kframes, or its callers are stack c->kwalk.like. */
static __always_inline bool walk_kernel(struct kf_cpu *c, const struct sample *s,
					const struct kf_table *chains)
{
	struct kf_sampling *sampling = c->sampling;
	const bool is_changed = s->changes.own || s->changes.function || s->changes.label;
	struct kf_kwalk *w = &c->kwalk;

	if (is_set(c, s, KFLAME_CF_NO_KSTACK) || (user_mode(s->regs) && !s->changes.function))
		return false;
	/* For the timer idle time has no stack. Any other event of an idle CPU is not idleness. */
	if (s->context == KFLAME_CTX_IDLE && !s->event && !(sampling->config.flags & KFLAME_CF_IDLE_STACK))
		return false;
	/* A stack that a frame is dropped from, or added to, is not that of its registers. */
	w->chains = is_changed ? NULL : chains;
	w->like = !is_changed && (is_usual(s) || c->matches) ? kf_kstack_match(w, s->regs) : 0;
	if (user_mode(s->regs)) {
		c->kframes.is = kf_shape(KFLAME_STACK_KERNEL, 0, KFLAME_END_COMPLETE, KF_NO_CANDIDATE);
		add_frame(&c->kframes, sampling->config.kdepth, s->changes.function);
		return true;
	}
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
	if (s->changes.own)
		drop_own(&c->kframes, s->changes.own);
	/* It has returned to the frame that was the innermost one. */
	if (s->changes.function)
		add_frame(&c->kframes, sampling->config.kdepth, s->changes.function);
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

/* Has the process of this sample an interpreter? Only for walks by tables: others keep no mappings. */
static __always_inline bool is_interpreted(struct kf_cpu *c, const struct kf_aspace_line *line)
{
	/* Pairs with kf_session_interpreter(). */
	struct kf_interpreters *interpreters = smp_load_acquire(&c->sampling->interpreters);

	return unlikely(interpreters) &&
	       kf_interpreter_find(interpreters, c->timer.part.cpu, c->space.maps, &line->run, line->id);
}

/* Put the functions of an interpreted program into the user stack, which was walked. */
static __always_inline void merge_functions(struct kf_cpu *c, const struct sample *s, u32 bytes)
{
	if (s->plan != KF_PLAN_FP && unlikely(c->interpreted))
		kf_interpreter_merge(c->sampling->interpreters, c->timer.part.cpu, user_depth(c, s), bytes,
				     &c->uframes);
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

	/* Walks by frame pointers know of no tables and no interpreters. */
	if (s->plan != KF_PLAN_FP) {
		c->uwalk.late = false;
		c->interpreted = false;
	}
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
		c->interpreted = is_interpreted(c, line);
	}
	if (!is_usual(s) && unlikely(c->explained) && !s->kept)
		kf_ustack_traced(s->regs, space, depth, &c->leaf, &c->explained->trace);
	if (!is_usual(s) && unlikely(c->ucheck))
		kf_ucheck_walk(c->ucheck, s->regs, space, depth, &c->leaf, g, &c->uframes);
	else
		kf_ustack_inline(s->regs, by_tables, space, depth, &c->leaf, g, &c->uframes);
	if (!is_usual(s) && s->changes.user_function && is_walked(c, s) && c->uframes.is.nr)
		add_user_function(&c->uframes, depth, s->changes.user_function);
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
	if (!is_usual(s) && unlikely(c->explained))
		kf_explain_before(c);
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

static noinline bool copy_stack(struct kf_cpu *c, const struct sample *s, bool has_kstack, u32 flags)
{
	struct pt_regs user = user_mode(s->regs) ? *s->regs : *task_pt_regs(current);
	unsigned long top = 0;

	/* The tool unwinds from the function, and then from where it has returned to. */
	if (s->changes.user_function)
		top = kf_user_undo_return(&user, s->changes.user_function);
	if (has_kstack)
		fetch_kframes(c);
	else
		c->kframes.is = kf_shape(KFLAME_STACK_KERNEL, 0, KFLAME_END_COMPLETE,
					 KF_NO_CANDIDATE);
	/* The user stack was not walked. */
	if (c->sampling->config.dump == KFLAME_DUMP_ALL)
		c->uframes.is = kf_shape(KFLAME_STACK_USER, 0, KFLAME_END_COMPLETE,
					 KF_NO_CANDIDATE);
	return kf_dump(c, &c->key, &user, top, s->weight_ns, s->late_ns, flags);
}

/*
 * Copy the user stack, which few samples need. Only then their members are written to memory, where
 * copy_stack() finds them.
 */
static __always_inline bool copy(struct kf_cpu *c, const struct sample *s, bool has_kstack, u32 flags)
{
	const struct sample in_memory = *s;

	return copy_stack(c, &in_memory, has_kstack, flags);
}

/* Wake the reader if the table or the ring is past its mark, or the worker if @c->kick is set. */
noinline void kf_sample_wake(struct kf_cpu *c)
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
	/* A stack that a frame is added to is not that of its registers. */
	struct kf_guess g = {
		.table = c->table,
		.asks = !s->changes.user_function && (is_usual(s) || c->guesses),
	};
	bool has_kstack = false, has_ustack = false;
	u32 dump = KFLAME_DUMP_NONE;
	int why;

	describe(c, s);
	if (!is_usual(s) && unlikely(c->explained))
		kf_explain_begin(c);
	if (likely(s->context != KFLAME_CTX_GAP)) {
		has_kstack = walk_kernel(c, s, g.asks ? g.table : NULL);
		if (s->changes.label) {
			add_label(c, s->changes.label, has_kstack);
			has_kstack = true;
		}
		if (!is_idle_task(current))
			has_ustack = walk_user(c, s, &g);
	}
	if (has_ustack && unlikely(is_copied(c, s)))
		dump = c->sampling->config.dump;
	if ((dump == KFLAME_DUMP_ALL || dump == KFLAME_DUMP_REST) &&
	    copy(c, s, has_kstack, 0))
		return -1;
	if (dump == KFLAME_DUMP_ALL)
		return KFLAME_LOST_RING;
	/* Both walks are compared frame by frame. */
	if (has_ustack && dump != KFLAME_DUMP_BOTH)
		merge_functions(c, s, KF_INTERPRETER_BYTES);
	why = count(c, s, has_kstack, has_ustack, &g);
	/* A lost sample is not copied: it would be accounted for twice. */
	if (dump == KFLAME_DUMP_BOTH && why < 0 && copy(c, s, has_kstack, KFLAME_COPY_COUNTED) &&
	    unlikely(c->explained))
		kf_explain_write(c, s->event, s->weight_ns, has_kstack);
	return why;
}

/* Take one sample on this CPU. @books: of event @event there. */
static __always_inline void take_sample(struct kf_cpu *c, struct kflame_cpu *books, u32 event,
					enum kf_plan plan, struct pt_regs *regs,
					unsigned long handler,
					const struct kf_changes *changes, u64 weight_ns,
					u64 late_ns)
{
	const u32 context = context_of(c, late_ns);
	const struct sample s = {
		.regs = regs,
		.handler = handler,
		.changes = *changes,
		.event = event,
		.weight_ns = weight_ns,
		/* An idle CPU that wakes up late has missed no sample. */
		.late_ns = context == KFLAME_CTX_IDLE ? 0 : late_ns,
		.context = context,
		.plan = plan,
	};
	int why;

	if (unlikely(__this_cpu_read(kf_storing))) {
		kf_sample_lose(books, KFLAME_LOST_NESTED, weight_ns);
		return;
	}
	__this_cpu_write(kf_storing, true);
	barrier();

	c->kick = false;
	why = unwanted(c->sampling, &s);
	if (likely(why < 0)) {
		why = store(c, &s);
		if (unlikely(c->kick || kf_table_past_mark(c->table) || fills_ring(c, &s)))
			kf_sample_wake(c);
	}
	if (likely(why < 0)) {
		books->counted++;
		books->counted_ns += weight_ns;
	} else {
		kf_sample_lose(books, why, weight_ns);
	}

	barrier();
	__this_cpu_write(kf_storing, false);
}

static const struct kf_changes unchanged;

/* A sample of the timer, see kf_timer_tick() */
static __always_inline void take_tick(struct kf_timer *t, enum kf_plan plan, struct pt_regs *regs,
				      unsigned long handler, u64 weight_ns, u64 late_ns)
{
	take_sample(container_of(t, struct kf_cpu, timer), &t->part.books, 0, plan, regs, handler,
		    &unchanged, weight_ns, late_ns);
}

/*
 * A sample of any event, in a session of any plan: the one copy of take_sample() for these. @books: of
 * event @event there
 */
noinline __no_kmsan_checks
void kf_sample_take_any(struct kf_cpu *c, struct kflame_cpu *books, u32 event, struct pt_regs *regs,
			unsigned long handler, const struct kf_changes *changes, u64 weight_ns, u64 late_ns)
{
	take_sample(c, books, event, KF_PLAN_ANY, regs, handler, changes, weight_ns, late_ns);
}

static __always_inline void take_any(struct kf_timer *t, struct pt_regs *regs, unsigned long handler,
				     u64 weight_ns, u64 late_ns)
{
	kf_sample_take_any(container_of(t, struct kf_cpu, timer), &t->part.books, 0, regs, handler,
			   &unchanged, weight_ns, late_ns);
}

static __no_kmsan_checks enum hrtimer_restart kf_sample_any(struct hrtimer *hrtimer)
{
	return kf_timer_tick(hrtimer, take_any, false);
}

/* Compare a sample with the session's limits. */
static noinline void watch(struct kf_cpu *c, u64 weight_ns, u64 late_ns)
{
	struct kf_watch *w = c->sampling->watch;

	if (w->late_ns && late_ns > w->late_ns && (in_serving_softirq() || !is_idle_task(current)))
		w->fire(w, KFLAME_FREEZE_LATE, late_ns);
	c->softirq_ns = in_serving_softirq() ? c->softirq_ns + weight_ns : 0;
	if (w->softirq_ns && c->softirq_ns > w->softirq_ns)
		w->fire(w, KFLAME_FREEZE_SOFTIRQ, c->softirq_ns);
}

static __always_inline void take_watched(struct kf_timer *t, struct pt_regs *regs, unsigned long handler,
					 u64 weight_ns, u64 late_ns)
{
	take_any(t, regs, handler, weight_ns, late_ns);
	watch(container_of(t, struct kf_cpu, timer), weight_ns, late_ns);
}

static __no_kmsan_checks enum hrtimer_restart kf_sample_watched(struct hrtimer *hrtimer)
{
	return kf_timer_tick(hrtimer, take_watched, false);
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
	case KF_PLAN_WATCH:
		return kf_sample_watched;
	default:
		return kf_sample_any;
	}
}

/* ------------------------------------------------------------ counted later */

/* An interrupt on top of current is no part of it. */
static void forget_task(struct kf_key *key)
{
	key->tgid = 0;
	key->tid = 0;
	memset(key->comm, 0, sizeof(key->comm));
}

/**
 * kf_sample_walk() - walk the stacks of what runs now, for a sample that is counted later
 * @c:		this CPU's
 * @event:	id of the event
 * @context:	KFLAME_CTX_*
 * @regs:	where the kernel stack is walked from
 * @changes:	only @own and @label
 * @kept:	out, except for its addresses, which are in @c->kframes and @c->uframes
 *
 * Context: as the head of this file says, with kf_storing set.
 */
__no_kmsan_checks void kf_sample_walk(struct kf_cpu *c, u32 event, u32 context, struct pt_regs *regs,
				      const struct kf_changes *changes, struct kf_kept *kept)
{
	const struct sample s = {
		.regs = regs, .event = event, .context = context, .plan = KF_PLAN_ANY, .kept = true,
	};
	struct kf_guess none = {};

	describe(c, &s);
	kept->kernel = (union kf_shape){};
	kept->user = (union kf_shape){};
	if (!is_set(c, &s, KFLAME_CF_NO_KSTACK)) {
		/* Of the sample before; its table may be with the reader. */
		c->kwalk.chains = NULL;
		c->kwalk.like = 0;
		INDIRECT_CALL_1(c->sampling->kstack, kf_kstack_by_steps, regs, s.handler,
				c->sampling->config.kdepth, &c->kwalk, &c->kframes);
		drop_own(&c->kframes, changes->own);
		kept->kernel = c->kframes.is;
	}
	if (changes->label) {
		add_label(c, changes->label, !is_set(c, &s, KFLAME_CF_NO_KSTACK));
		kept->kernel = c->kframes.is;
	}
	kept->has_user = context == KFLAME_CTX_TASK && walk_user(c, &s, &none);
	if (kept->has_user) {
		merge_functions(c, &s, KF_INTERPRETER_SWITCH);
		kept->user = c->uframes.is;
	}
	kept->key = c->key;
	if (context == KFLAME_CTX_IRQ || context == KFLAME_CTX_SOFTIRQ)
		forget_task(&kept->key);
}
