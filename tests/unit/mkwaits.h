/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkwaits.h - builds small profiles of threads that run and wait, for tests of --wall, --runq and --locks
 *
 *	struct mk m = { 0 };
 *	mkwaits_begin(&m, MKWAITS_TIMER | MKWAITS_WAITS);
 *	mk_stack(&m, 1, KFLAME_STACK_KERNEL, (uint64_t[]){ mkwaits_code(1), mkwaits_code(0) }, 2);
 *	mkwaits_put(&m, parts, nr, true);
 *	mkwaits_end(&m, "kflame.data", (const char *[]){ "outer", "inner" }, 2);
 */
#ifndef KFLAME_TEST_MKWAITS_H
#define KFLAME_TEST_MKWAITS_H

#include "mkprofile.h"
#include "run_command.h"

#define MKWAITS_TIMER	1u
#define MKWAITS_WAITS	2u
#define MKWAITS_ID	1u	/* of the event off-cpu */

/* Upper half of the ids of all counts and stacks; of the timer's, which differ */
#define MKWAITS_UPPER	(1ull << 32)

#define MS	1000000ull

/* struct mkwaits - samples of the timer, or waits, with one context and one stack; times in ms */
struct mkwaits {
	bool waits;
	uint32_t context, tid, cpu;
	uint32_t stack;		/* lower half of its id; 0 for none */
	uint64_t ns;		/* weight of each */
	uint32_t samples;	/* 0 stands for 1 */
	uint64_t late_ns;	/* of the timer */
	uint64_t time;		/* ms after 1970; of the timer, when it was due; of a wait, when it ended */
};

/* Address of code of the function with that index in mkwaits_end() */
static inline uint64_t mkwaits_code(unsigned int function)
{
	return 0xffffffff81000000ull + 0x100 * function + 4;
}

static inline void mkwaits_begin(struct mk *m, unsigned int events)
{
	mk_header(m);
	mk_session(m);
	if (events & MKWAITS_TIMER)
		mk_event(m, 0, KFLAME_UNIT_NS, "cpu-clock");
	if (events & MKWAITS_WAITS)
		mk_off_cpu(m, MKWAITS_ID);
}

static inline void mkwaits_name(uint8_t *comm, uint32_t tid, uint32_t context)
{
	if (context == KFLAME_CTX_IDLE)
		return;
	snprintf((char *)comm, KFLAME_COMM_LEN, tid ? "worker-%u" : "swapper/0", tid);
}

/* The records differ in their type and in the size of their elements only */
static inline void mkwaits_wake(struct mk *m, const struct kflame_rec_event_counts *e,
				const struct kflame_event_count *waits, uint64_t waker)
{
	const struct kflame_wake_count count = { .of = *waits, .waker = waker };
	struct kflame_rec_event_counts as = *e;

	as.rec.type = KFLAME_REC_WAKE_COUNTS;
	records_add(&m->r, &as, sizeof(as), &count, sizeof(count));
}

static inline void mkwaits_count(struct mk *m, const struct mkwaits *w, uint32_t waker, uint32_t id)
{
	const uint32_t nr = w->samples ? w->samples : 1;
	struct kflame_rec_event_counts e = {
		.rec.type = KFLAME_REC_EVENT_COUNTS, .first = MKWAITS_UPPER | id, .cpu = w->cpu,
		.context = w->context, .tgid = w->tid ? 101 : 0, .tid = w->tid, .event = MKWAITS_ID, .nr = 1,
	};
	struct kflame_event_count waits = {
		.weight = w->ns * nr, .samples = nr, .kstack = w->stack ? MKWAITS_UPPER | w->stack : 0,
	};
	struct kflame_rec_counts c = {
		.rec.type = KFLAME_REC_COUNTS, .stacks = MKWAITS_UPPER, .first = id, .cpu = w->cpu,
		.context = w->context, .tgid = w->tid ? 101 : 0, .tid = w->tid, .nr = 1,
	};
	struct kflame_counted samples = {
		.weight_ns = w->ns * nr, .kstack = w->stack, .samples = nr, .late_ns = (uint32_t)(w->late_ns * nr),
	};

	mkwaits_name(w->waits ? e.comm : c.comm, w->tid, w->context);
	if (w->waits && waker)
		mkwaits_wake(m, &e, &waits, MKWAITS_UPPER | waker);
	else if (w->waits)
		records_add(&m->r, &e, sizeof(e), &waits, sizeof(waits));
	else
		records_add(&m->r, &c, sizeof(c), &samples, sizeof(samples));
}

static inline void mkwaits_time(struct mk *m, const struct mkwaits *w, uint32_t id)
{
	struct kflame_rec_sample rec = {
		.rec.type = w->waits ? KFLAME_REC_EVENT_SAMPLE : KFLAME_REC_SAMPLE, .counts = MKWAITS_UPPER,
		.cpu = w->cpu, .nr = 1,
	};
	struct kflame_sample s = { .weight_ns = w->ns, .late_ns = (uint32_t)w->late_ns, .count = id };

	for (uint32_t i = 0; i < (w->samples ? w->samples : 1); i++) {
		s.time_ns = w->time * MS + i * w->ns;
		records_add(&m->r, &rec, sizeof(rec), &s, sizeof(s));
	}
}

/*
 * The stacks come before.  @wakers: of each wait the lower half of its waker's id, 0 for not known; NULL: none is known.
 * @timed: with their times, as record --timeline
 */
static inline void mkwaits_put_woken(struct mk *m, const struct mkwaits *all, const uint32_t *wakers, uint32_t nr,
				     bool timed)
{
	for (uint32_t i = 0; i < nr; i++)
		mkwaits_count(m, &all[i], wakers ? wakers[i] : 0, i + 1);
	for (uint32_t i = 0; timed && i < nr; i++)
		mkwaits_time(m, &all[i], i + 1);
}

static inline void mkwaits_put(struct mk *m, const struct mkwaits *all, uint32_t nr, bool timed)
{
	mkwaits_put_woken(m, all, NULL, nr, timed);
}

/* Names the functions, and writes the file */
static inline void mkwaits_end(struct mk *m, const char *path, const char *const *functions, unsigned int nr)
{
	mk_stats(m);
	for (unsigned int i = 0; i < nr; i++)
		records_ksym(&m->r, mkwaits_code(i) - 4, mkwaits_code(i) + 0xfc, functions[i]);
	mk_end(m);
	assert_false(m->r.failed);
	write_file(path, m->r.data, m->r.len);
	mk_free(m);
}

#endif
