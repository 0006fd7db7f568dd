// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample.c - the sample path, see sample.h
 *
 * Rules of this path, from here to whatever it calls. It runs in a hard interrupt
 * that may have hit anything:
 *   - it allocates nothing, prints nothing, warns of nothing
 *   - no lock but raw ones, held for a bounded number of steps
 *   - nothing that sleeps; user memory is read with faults off
 *   - everything is bounded: frames, probes, parents
 *   - it writes to this CPU's memory only, save where a mark is passed or an
 *     address space is new
 *   - one door into the store: what comes while a sample is being stored is
 *     counted and not run
 * Every sample that enters ends in exactly one of kf_table_count(), kf_dump() and lose();
 * where copies are for comparing only, kf_dump() comes in addition, and is not counted.
 */
#include <linux/irq_work.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <asm/word-at-a-time.h>

#include "dump.h"
#include "sample.h"
#include "session.h"
#include "ustack.h"
#include "uwalk.h"

/* One sample on its way; @has_kstack, @has_ustack: c->kframes, c->uframes are its */
struct sample {
	struct pt_regs *regs;
	unsigned long handler;
	u64 due_ns;
	u64 weight_ns;
	u64 late_ns;
	u32 context;
	bool kick;
	bool has_kstack;
	bool has_ustack;
};

static void lose(struct kf_cpu *c, u32 why, const struct sample *s)
{
	c->books.lost[why]++;
	c->books.lost_ns[why] += s->weight_ns;
}

/*
 * What was interrupted. A softirq that runs on top of the idle task is work, not
 * idleness.
 */
static u32 context_of(const struct sample *s)
{
	if (s->late_ns > KF_GAP_NS)
		return KFLAME_CTX_GAP;
	if (in_serving_softirq())
		return KFLAME_CTX_SOFTIRQ;
	if (is_idle_task(current))
		return KFLAME_CTX_IDLE;
	return KFLAME_CTX_TASK;
}

/* KFLAME_LOST_* if this sample is not wanted, -1 if it is. */
static int unwanted(struct kf_session *session, const struct sample *s)
{
	u64 flags = session->config.flags;

	/* The CPU was away: that is nobody's, whoever was asked for. */
	if (s->context == KFLAME_CTX_GAP)
		return -1;
	if (s->context == KFLAME_CTX_IDLE && (flags & KFLAME_CF_EXCLUDE_IDLE))
		return KFLAME_LOST_IDLE;
	if (!s->regs)
		return KFLAME_LOST_NOREGS;
	if (flags & (user_mode(s->regs) ? KFLAME_CF_EXCLUDE_USER : KFLAME_CF_EXCLUDE_KERNEL))
		return KFLAME_LOST_FILTER;
	/* The idle tasks are nobody's; what a softirq does on top of them, too. */
	if (!kf_filter_is_all(&session->filter) &&
	    (is_idle_task(current) || !kf_filter_match(&session->filter)))
		return KFLAME_LOST_FILTER;
	return -1;
}

static bool intern(struct kf_table *t, u32 kind, const struct kf_frames *f, u32 *number)
{
	struct kf_stack like = {
		.kind = kind,
		.end = f->end,
		.candidate = f->candidate,
		.nr = f->nr,
	};

	*number = kf_table_stack(t, &like, f->ip);
	return *number;
}

static void walk_kernel(struct kf_cpu *c, struct sample *s)
{
	struct kf_session *session = c->session;
	u64 flags = session->config.flags;

	if (user_mode(s->regs) || (flags & KFLAME_CF_NO_KSTACK))
		return;
	if (s->context == KFLAME_CTX_IDLE && !(flags & KFLAME_CF_IDLE_STACK))
		return;
	session->kstack(s->regs, s->handler, session->config.kdepth, &c->kwalk,
			&c->kframes);
	s->has_kstack = true;
}

/* Is there a user side to current at all? */
static bool has_user(void)
{
	return current->mm && !(current->flags & PF_KTHREAD);
}

static void walk_user(struct kf_cpu *c, struct sample *s, struct kf_key *key)
{
	const struct kflame_config *config = &c->session->config;
	struct kf_uspace space = {
		.tables = &c->session->tables,
		.maps = &c->session->umaps,
		.uway = config->uway,
		.cpu = &c->uwalk,
	};

	/* In the middle of exec the mm is new and the identity is the old one. */
	if (has_user() && !current->in_execve)
		key->aspace = space.aspace = kf_aspace_id(&c->session->aspaces, &c->cache,
							  &space.run, &s->kick);

	if (config->flags & KFLAME_CF_NO_USTACK)
		return;
	if (has_user()) {
		/* One that is copied is not walked: one frame says whether there is one. */
		kf_ustack(s->regs,
			  c->uwalk.known && config->dump != KFLAME_DUMP_ALL ? &space : NULL,
			  config->dump == KFLAME_DUMP_ALL ? 1 : config->udepth,
			  &c->uframes);
	} else if (!(current->flags & PF_KTHREAD)) {
		c->uframes.nr = 0;
		c->uframes.candidate = KFLAME_NO_CANDIDATE;
		c->uframes.end = KFLAME_END_NO_MM;
	} else {
		return;
	}
	s->has_ustack = true;
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
 * The name without what may stand behind its end, which would make two keys of
 * one. Another thread may be renaming this one: each word is read once.
 */
static __always_inline void copy_comm(char *to)
{
	const unsigned long *from = (const unsigned long *)current->comm;
	unsigned long first, second = 0;
	bool ended;

	BUILD_BUG_ON(KFLAME_COMM_LEN != 2 * sizeof(*from));
	first = before_zero(READ_ONCE(from[0]), &ended);
	if (!ended)
		second = before_zero(READ_ONCE(from[1]), &ended);
	memcpy(to, &first, sizeof(first));
	memcpy(to + sizeof(first), &second, sizeof(second));
}

/* Fill the key, but for the numbers of its stacks, and walk these. */
static void describe(struct kf_cpu *c, struct sample *s, struct kf_key *key)
{
	key->cpu = c->cpu;
	key->context = s->context;
	if (s->context == KFLAME_CTX_GAP)
		return;
	copy_comm(key->comm);
	if (!is_idle_task(current)) {
		key->tgid = current->tgid;
		if (c->session->config.flags & KFLAME_CF_PER_THREAD)
			key->tid = current->pid;
	}
	walk_kernel(c, s);
	if (!is_idle_task(current))
		walk_user(c, s, key);
}

/* Count it in the table. Return: KFLAME_LOST_* if there is no room, else -1. */
static int count(struct kf_cpu *c, const struct sample *s, struct kf_key *key)
{
	u32 entry;

	if (s->has_kstack &&
	    !intern(c->table, KFLAME_STACK_KERNEL, &c->kframes, &key->kstack))
		return KFLAME_LOST_STACKS;
	if (s->has_ustack &&
	    !intern(c->table, KFLAME_STACK_USER, &c->uframes, &key->ustack))
		return KFLAME_LOST_STACKS;
	entry = kf_table_count(c->table, key, 1, s->weight_ns, s->late_ns);
	if (!entry)
		return KFLAME_LOST_TABLE;
	if (c->table->max_samples)
		kf_table_note(c->table, entry, s->due_ns, s->weight_ns, s->late_ns);
	return -1;
}

/* Is there a stack that can be copied? What there is instead goes to the table. */
static bool is_copied(const struct kf_cpu *c, const struct sample *s)
{
	return c->session->config.dump && s->has_ustack && c->uframes.nr &&
	       (c->uframes.end & KFLAME_END_MASK) != KFLAME_END_COMPAT;
}

/* Does the copy stand for the sample? */
static bool is_only_copied(const struct kf_cpu *c)
{
	u32 dump = c->session->config.dump;

	return dump == KFLAME_DUMP_ALL || (dump == KFLAME_DUMP_REST &&
	       (c->uframes.end & KFLAME_END_MASK) == KFLAME_END_PENDING);
}

static bool copy(struct kf_cpu *c, const struct sample *s, const struct kf_key *key, u32 flags)
{
	struct pt_regs *user = user_mode(s->regs) ? s->regs : task_pt_regs(current);

	if (!s->has_kstack) {
		c->kframes.nr = 0;
		c->kframes.end = KFLAME_END_COMPLETE;
	}
	/* Nothing of the user side was walked for its own sake. */
	if (!(flags & KFLAME_COPY_COUNTED)) {
		c->uframes.nr = 0;
		c->uframes.end = KFLAME_END_COMPLETE;
	}
	return kf_dump(c, key, user, s->weight_ns, s->late_ns, flags);
}

/* Is the table, or the ring, past its mark? */
static bool past_mark(const struct kf_cpu *c)
{
	return kf_table_past_mark(c->table) || (c->ring.page && kf_ring_past_mark(&c->ring));
}

static void store(struct kf_cpu *c, struct sample *s)
{
	struct kf_key key = {};
	int why;

	describe(c, s, &key);
	if (is_copied(c, s) && is_only_copied(c)) {
		why = copy(c, s, &key, 0) ? -1 : KFLAME_LOST_RING;
	} else {
		why = count(c, s, &key);
		/* What was lost is not copied either: that would be one sample in two books. */
		if (why < 0 && is_copied(c, s) && c->session->config.dump == KFLAME_DUMP_BOTH)
			copy(c, s, &key, KFLAME_COPY_COUNTED);
	}
	if (why >= 0) {
		lose(c, why, s);
	} else {
		c->books.counted++;
		c->books.counted_ns += s->weight_ns;
	}

	/* Whoever takes it, or cannot, takes it out of these: then it is told again. */
	if (past_mark(c) && !cpumask_test_cpu(c->cpu, c->session->full)) {
		cpumask_set_cpu(c->cpu, c->session->full);
		s->kick = true;
	}
	if (s->kick)
		irq_work_queue(&c->session->wake);
}

/**
 * kf_sample() - take one sample
 * @c:		this CPU's part of the session
 * @regs:	interrupted registers, NULL if there are none
 * @handler:	return address of the timer callback
 * @due_ns:	when the timer was to expire, from which the weight counts
 * @weight_ns:	time that the sample stands for
 * @late_ns:	the part of it that came late
 *
 * Context: hard interrupt, interrupts off, on the CPU of @c.
 */
void kf_sample(struct kf_cpu *c, struct pt_regs *regs, unsigned long handler,
	       u64 due_ns, u64 weight_ns, u64 late_ns)
{
	struct sample s = {
		.regs = regs,
		.handler = handler,
		.due_ns = due_ns,
		.weight_ns = weight_ns,
		.late_ns = late_ns,
	};
	int why;

	if (READ_ONCE(c->busy)) {
		lose(c, KFLAME_LOST_NESTED, &s);
		return;
	}
	WRITE_ONCE(c->busy, true);
	barrier();

	s.context = context_of(&s);
	/* An idle CPU that wakes up late has missed nothing. */
	if (s.context == KFLAME_CTX_IDLE)
		s.late_ns = 0;
	why = unwanted(c->session, &s);
	if (why >= 0)
		lose(c, why, &s);
	else
		store(c, &s);

	barrier();
	WRITE_ONCE(c->busy, false);
}
