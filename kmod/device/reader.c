// SPDX-License-Identifier: GPL-2.0-only
/*
 * reader.c - read(2) and poll(2) of an open file, see device/reader.h
 */
#include <linux/cpu.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "device/builtin.h"
#include "device/frozen.h"
#include "device/reader.h"
#include "recorder/recorder.h"
#include "session/session.h"

void kf_reader_init(struct kf_reader *r)
{
	memset(r, 0, sizeof(*r));
	mutex_init(&r->lock);
}

/* No thread reads any more. The session still exists. */
void kf_reader_exit(struct kf_reader *r)
{
	if (r->draining) {
		mutex_lock(&r->session->take);
		kf_session_return_table(r->session, r->draining, r->cpu);
		mutex_unlock(&r->session->take);
	}
	kf_snapshot_destroy(r->snapshot);
	kf_frozen_destroy(r->frozen);
	kf_stream_exit(&r->stream);
}

/*
 * Was data of the built-in session read, or was the recorder chosen? Then data of another session must not
 * follow.
 */
bool kf_reader_has_begun(struct kf_reader *r)
{
	return READ_ONCE(r->snapshot) || READ_ONCE(r->frozen);
}

/**
 * kf_reader_choose_frozen() - from now on, read(2) is the flight recorder; may sleep
 * @r:	of an open file
 *
 * Return: 0; -EBUSY if the file was configured or read, or if the recorder runs; -ENODATA if there is none;
 * -ENOMEM; -ERESTARTSYS.
 */
int kf_reader_choose_frozen(struct kf_reader *r)
{
	int err;

	if (mutex_lock_interruptible(&r->lock))
		return -ERESTARTSYS;
	err = r->session || kf_reader_has_begun(r) ? -EBUSY : kf_frozen_create(&r->frozen);
	mutex_unlock(&r->lock);
	return err;
}

static bool is_stopped(struct kf_session *s)
{
	/* Pairs with the release in kf_session_stop(): the last samples and the stop time are visible. */
	return smp_load_acquire(&s->state) == KF_STOPPED;
}

/* Copy records of the session's work to the buffer: as many chunks as fit. */
static void fill_from_records(struct kf_reader *r)
{
	struct kf_records *records = &r->session->records;
	struct kf_chunk *c;

	while (kf_stream_room(&r->stream) >= KF_RECORDS_CHUNK) {
		c = kf_records_take(records);
		if (!c)
			return;
		memcpy(r->stream.buf + r->stream.len, c->data, c->used);
		r->stream.len += c->used;
		kf_records_free(records, c);
	}
}

/* Write the labels that are new. Return: false if the buffer is full. */
static bool fill_labels(struct kf_reader *r)
{
	const struct kf_label *label;

	for (;; r->labels++) {
		label = kf_labels_next(r->session->sampling.labels, r->labels);
		if (!label)
			return true;
		if (!kf_stream_label(&r->stream, r->labels + 1, label))
			return false;
	}
}

/* Write the functions of interpreted programs that are new. Return: false if the buffer is full. */
static bool fill_functions(struct kf_reader *r)
{
	/* Pairs with kf_session_interpreter(). */
	const struct kf_interpreters *all = smp_load_acquire(&r->session->sampling.interpreters);
	const struct kf_label *function;

	for (; all; r->functions++) {
		function = kf_labels_next(all->names, r->functions);
		if (!function)
			break;
		/* Any reader knows the first one. */
		if (r->functions + 1 != KFLAME_FUNCTION_MORE &&
		    !kf_stream_function(&r->stream, r->functions + 1, function))
			return false;
	}
	return true;
}

/* Write the rest of the table that was taken. Return: false if the buffer is full. */
static bool fill_from_table(struct kf_reader *r)
{
	if (!r->draining)
		return true;
	if (!fill_labels(r) || !fill_functions(r) || !kf_stream_table(&r->stream, r->draining, &r->at))
		return false;
	mutex_lock(&r->session->take);
	kf_session_return_table(r->session, r->draining, r->cpu);
	mutex_unlock(&r->session->take);
	r->draining = NULL;
	return true;
}

/* Take the table of a CPU unless it is empty. @steady: see kf_session_take_table(). */
static bool take_table(struct kf_reader *r, unsigned int cpu, bool steady)
{
	mutex_lock(&r->session->take);
	r->draining = kf_session_take_table(r->session, cpu, steady, NULL);
	mutex_unlock(&r->session->take);
	r->cpu = cpu;
	memset(&r->at, 0, sizeof(r->at));
	return r->draining;
}

static bool is_drain_due(struct kf_reader *r)
{
	return READ_ONCE(r->session->drains) != READ_ONCE(r->drains);
}

/* The next CPU in @full, round robin; nr_cpu_ids if there is none */
static unsigned int next_full(struct kf_reader *r, const struct cpumask *full)
{
	unsigned int cpu = cpumask_next((int)r->turn - 1, full);

	if (cpu >= nr_cpu_ids)
		cpu = cpumask_first(full);
	/* Without SMP, before 6.1, these functions ignore the mask. */
	if (cpu >= nr_cpu_ids || !cpumask_test_cpu(cpu, full))
		return nr_cpu_ids;
	r->turn = cpu + 1;
	return cpu;
}

/*
 * While the session runs: write tables that are past their high-water mark, then all tables if that
 * is due. If a sweep over all tables fills the buffer, the next read continues it. Otherwise the
 * first CPUs, which have new samples each time, would leave no room for the others.
 */
static void fill_running(struct kf_reader *r)
{
	unsigned int cpu, n;

	for (n = cpumask_weight(r->session->sampling.full); n; n--) {
		cpu = next_full(r, r->session->sampling.full);
		if (cpu >= nr_cpu_ids)
			break;
		if (take_table(r, cpu, false) && !fill_from_table(r))
			return;
	}
	if (!is_drain_due(r))
		return;
	while (r->sweep < nr_cpu_ids) {
		cpu = r->sweep++;
		if (cpu_possible(cpu) && take_table(r, cpu, false) && !fill_from_table(r))
			return;
	}
	r->sweep = 0;
	WRITE_ONCE(r->drains, READ_ONCE(r->session->drains));
}

/*
 * Write the accounting of an event on CPU @r->next_cpu, if the CPU was sampled. Return: false if it does not
 * fit.
 */
static bool fill_books(struct kf_reader *r, u32 id)
{
	struct kflame_cpu books;
	bool sampled;

	cpus_read_lock();
	sampled = kf_session_books(r->session, r->next_cpu, id, &books);
	cpus_read_unlock();
	return !sampled || kf_stream_cpu(&r->stream, id, &books);
}

/*
 * Write a histogram of an event on CPU @r->next_cpu, if the event has one. Return: false if it does not fit.
 */
static bool fill_weights(struct kf_reader *r, u32 id, u32 group)
{
	const struct kf_weights *weights = kf_session_weights(r->session, r->next_cpu, id);

	return !weights || kf_stream_weights(&r->stream, id, group, r->next_cpu, &weights[group]);
}

/*
 * Write the accounting of all events on CPU @r->next_cpu, each with its histograms. Return: false if the
 * buffer is full; then @r->next_part says where to go on.
 */
static bool fill_from_books(struct kf_reader *r)
{
	const u32 parts = 1 + KFLAME_NR_GROUPS;
	struct kf_sampling *sampling = &r->session->sampling;
	u32 id, part;

	for (; r->next_part < sampling->nr_events * parts; r->next_part++) {
		id = sampling->events[r->next_part / parts].id;
		part = r->next_part % parts;
		if (!(part ? fill_weights(r, id, part - 1) : fill_books(r, id)))
			return false;
	}
	r->next_part = 0;
	return true;
}

/*
 * After STOP: write the rest of each table, followed by that CPU's accounting; then
 * the counters. Records of address spaces come first, so the walks must have ended.
 */
static void fill_stopped(struct kf_reader *r)
{
	struct kf_session *s = r->session;
	u64 count[KFLAME_NR_STATS] = {};

	if (!kf_aspaces_idle(&s->sampling.aspaces) || !kf_records_empty(&s->records))
		return;
	for (; r->next_cpu < nr_cpu_ids; r->next_cpu++) {
		if (!cpu_possible(r->next_cpu))
			continue;
		cpus_read_lock();
		take_table(r, r->next_cpu, true);
		cpus_read_unlock();
		if (!fill_from_table(r) || !fill_from_books(r))
			return;
	}
	/* While the session ran, one may not have been whole yet. */
	if (!fill_labels(r) || !fill_functions(r))
		return;
	kf_session_count(s, count);
	r->ended = kf_stream_stats(&r->stream, s->stop_ns, count);
}

/* Write to the empty buffer what is available. */
static void fill(struct kf_reader *r)
{
	bool stopped;
	u32 stops;

	if (!r->headed) {
		kf_stream_head(&r->stream, r->session);
		r->headed = true;
		WRITE_ONCE(r->drains, READ_ONCE(r->session->drains));
	}
	if (!fill_from_table(r))
		return;
	/*
	 * A further START cancels the end of the stream. The session may have been stopped again
	 * since.
	 */
	stopped = is_stopped(r->session);
	stops = READ_ONCE(r->session->stops);
	if (!stopped || r->stops != stops) {
		r->next_cpu = 0;
		r->next_part = 0;
		r->ended = false;
	}
	fill_from_records(r);
	if (!stopped) {
		fill_running(r);
	} else if (!r->ended) {
		r->stops = stops;
		fill_stopped(r);
	}
}

/*
 * Would fill() write something, or come to the end? This must not be true if fill() would do
 * nothing: the waiting reader would not sleep, and the worker that it waits for may need this CPU.
 */
static bool has_something(struct kf_reader *r)
{
	struct kf_session *s = r->session;

	if (!r->headed || !kf_stream_empty(&r->stream) || r->draining ||
	    !kf_records_empty(&s->records))
		return true;
	if (is_stopped(s))
		return kf_aspaces_idle(&s->sampling.aspaces);
	return !cpumask_empty(s->sampling.full) || is_drain_due(r);
}

static ssize_t read_session(struct kf_reader *r, char __user *to, size_t size, bool block)
{
	int err;

	for (;;) {
		if (kf_stream_empty(&r->stream))
			fill(r);
		if (!kf_stream_empty(&r->stream))
			return kf_stream_read(&r->stream, to, size);
		if (r->ended)
			return 0;
		if (!block)
			return -EAGAIN;
		mutex_unlock(&r->lock);
		err = wait_event_interruptible(r->session->wait, has_something(r));
		mutex_lock(&r->lock);
		if (err)
			return err;
	}
}

/* A file that was not configured reads the built-in session, or else the recorder. */
static ssize_t read_builtin(struct kf_reader *r, char __user *to, size_t size)
{
	int err;

	if (!kf_reader_has_begun(r)) {
		err = kf_builtin_runs() ? kf_snapshot_create(&r->snapshot) : kf_frozen_create(&r->frozen);
		if (err)
			return err;
	}
	if (kf_stream_empty(&r->stream) && r->snapshot)
		kf_snapshot_fill(r->snapshot, &r->stream);
	else if (kf_stream_empty(&r->stream))
		kf_frozen_fill(r->frozen, &r->stream);
	return kf_stream_read(&r->stream, to, size);
}

/* Is there something to read, now or later? */
static bool is_there(struct kf_reader *r)
{
	/* START made all that is read, and only the session's destruction frees it. */
	return r->session ? smp_load_acquire(&r->session->state) >= KF_RUNNING :
			    kf_reader_has_begun(r) || kf_builtin_runs() || kf_recorder_exists();
}

/**
 * kf_reader_read() - read(2)
 * @r:		of the open file
 * @to:		user buffer
 * @size:	size of @to
 * @block:	wait until there is something to read
 *
 * Return: bytes; 0 at the end of a stopped session, of a snapshot, or of the recorder; -ENODATA if
 * there is no session, or if it was never started; -EBUSY if the recorder runs; -EAGAIN; -EFAULT; -ENOMEM;
 * -ERESTARTSYS.
 */
ssize_t kf_reader_read(struct kf_reader *r, char __user *to, size_t size, bool block)
{
	ssize_t n;

	if (!size)
		return 0;
	if (mutex_lock_interruptible(&r->lock))
		return -ERESTARTSYS;
	n = is_there(r) ? 0 : -ENODATA;
	if (n && !r->session)
		pr_info_once("kflame: nothing to read: no session is configured, and the module does not sample by itself. To make it: rmmod kflame, and insmod kflame.ko autostart=1\n");
	if (!n && !r->stream.buf)
		n = kf_stream_init(&r->stream, KF_READER_BUFFER);
	if (!n)
		n = r->session ? read_session(r, to, size, block) :
				 read_builtin(r, to, size);
	mutex_unlock(&r->lock);
	return n;
}

/* poll(2): the file is readable if read(2) would not block. */
__poll_t kf_reader_poll(struct kf_reader *r)
{
	struct kf_session *s = READ_ONCE(r->session);

	if (!s)
		return kf_reader_has_begun(r) || kf_builtin_runs() || kf_recorder_exists() ?
		       EPOLLIN | EPOLLRDNORM : EPOLLERR;
	/* Pairs with the release in kf_session_start(): all that START made is visible. */
	if (smp_load_acquire(&s->state) < KF_RUNNING)
		return 0;
	return has_something(r) ? EPOLLIN | EPOLLRDNORM : 0;
}
