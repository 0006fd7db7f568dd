/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * epochs.h - a CPU's ring of tables: the oldest one is overwritten when an epoch ends
 *
 * A session with epochs has no reader. A second timer on each CPU ends the epoch: it empties the oldest table
 * and makes it the CPU's table. The timer is hard and pinned, so it needs no thread: epochs end also while
 * real-time tasks starve all threads. The sample path does not know of epochs.
 *
 * What an emptied table held is added to @expired. So on each CPU, at any time:
 *
 *   books.counted == expired + sum of the samples in the tables of the ring
 *
 * The accounting is copied when an epoch begins. The difference between two copies is the accounting of the
 * time between them, and balances as the whole does: see kf_epochs_window().
 *
 * Freezing a session (kf_session.frozen) ends it from any context, without a lock. From then on no table is
 * emptied, and no CPU is armed. Whoever freezes also disarms each CPU by kf_session_disarm_here().
 *
 * Context and ownership: a ring belongs to its CPU, as its table does. It is written with interrupts off
 * there. Other CPUs read it while the session is stopped.
 */
#ifndef KF_EPOCHS_H
#define KF_EPOCHS_H

#include <linux/hrtimer.h>
#include <linux/types.h>

#include <kflame.h>

struct kf_cpu;
struct kf_session;
struct kf_table;

/**
 * struct kf_epoch - a table, and when it was filled
 * @table:	its samples
 * @begin_ns:	when the epoch began, CLOCK_MONOTONIC; 0: it was never filled
 * @end_ns:	when the epoch ended; that of the last one when the CPU was disarmed
 * @books:	accounting of the timer when the epoch began
 * @tail_before: the part of @books.tail_ns that is of times before the CPU was armed last
 */
struct kf_epoch {
	struct kf_table *table;
	u64 begin_ns;
	u64 end_ns;
	struct kflame_cpu books;
	s64 tail_before;
};

/**
 * struct kf_epochs - the ring of a CPU
 * @timer:	ends epochs; hard, pinned to the CPU
 * @c:		the CPU's part of the session
 * @tick_ns:	between two expiries of @timer, at most a second
 * @ticks:	of an epoch
 * @left:	until this epoch ends
 * @armed:	@timer runs
 * @stopped_ns:	when the CPU was last disarmed
 * @expired:	samples that were overwritten
 * @expired_ns:	their weights
 * @nr:		epochs in the ring
 * @at:		the one that is filled now
 * @epoch:	all of them
 */
struct kf_epochs {
	struct hrtimer timer;
	struct kf_cpu *c;
	u64 tick_ns;
	u32 ticks, left;
	bool armed;
	u64 stopped_ns;
	u64 expired;
	u64 expired_ns;
	u32 nr, at;
	struct kf_epoch epoch[];
};

/**
 * struct kf_epochs_sum - what the rings of a session hold
 * @samples:	samples of the timer since the first START, @counted of them were counted, and @lost lost
 * @counted:	@expired and @kept
 * @lost:	with any cause
 * @kept:	samples in tables
 * @kept_ns:	their weights
 * @expired:	samples that were overwritten
 * @expired_ns:	their weights
 * @stopped_ns:	when the last CPU was disarmed
 */
struct kf_epochs_sum {
	u64 samples, counted, lost;
	u64 kept, kept_ns;
	u64 expired, expired_ns;
	u64 stopped_ns;
};

/**
 * struct kf_window - the part of a CPU's ring that ends no earlier than some time
 * @first:	its first epoch, counted from the oldest one of the ring
 * @begin_ns:	when it begins
 * @books:	the accounting of this time
 */
struct kf_window {
	u32 first;
	u64 begin_ns;
	struct kflame_cpu books;
};

size_t kf_epochs_bytes(const struct kf_session *s);
int kf_epochs_create(struct kf_session *s, unsigned int cpu, struct kf_table *first);
void kf_epochs_destroy(struct kf_cpu *c);
void kf_epochs_arm(struct kf_epochs *e);
void kf_epochs_disarm(struct kf_epochs *e);
void kf_epochs_sum(struct kf_session *s, struct kf_epochs_sum *sum);
bool kf_epochs_window(const struct kf_epochs *e, u64 since_ns, struct kf_window *w);

/* Epoch @i of a ring, counted from the oldest one */
static inline const struct kf_epoch *kf_epochs_nth(const struct kf_epochs *e, u32 i)
{
	return &e->epoch[(e->at + 1 + i) % e->nr];
}

#endif
