/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkevents.h - builds a small profile of the timer and page faults, for tests of profiles with several events
 */
#ifndef KFLAME_TEST_MKEVENTS_H
#define KFLAME_TEST_MKEVENTS_H

#include "mkprofile.h"
#include "run_command.h"

#define MS	1000000ull
#define STEP	(10 * MS)
#define CODE	0xffffffff81000000ull
#define UPPER	(1ull << 32)	/* of the ids of all counts of make() */

/* The stacks of make(), the ids of its counts, and the ids of its events */
enum { AB = 1, AC };
enum { CLOCK_AB = 1, FAULTS_AB, FAULTS_AC };
enum { TIMER, FAULTS };

static const struct kflame_event_count faults[] = {
	{ .weight = 3, .samples = 3, .kstack = AB }, { .weight = 4, .samples = 4, .kstack = AC },
};

static inline void put_samples(struct mk *m, uint32_t type, uint64_t counts, const struct kflame_sample *s, uint32_t nr)
{
	struct kflame_rec_sample rec = { .rec.type = type, .counts = counts, .nr = nr };

	records_add(&m->r, &rec, sizeof(rec), s, nr * sizeof(*s));
}

/* Ten samples of the timer, one each 10 ms */
static inline void put_clock(struct mk *m)
{
	struct kflame_rec_count c = {
		.rec.type = KFLAME_REC_COUNT, .kstack = AB, .samples = 10, .weight_ns = 10 * STEP,
		.late_ns = 7, .tgid = 101, .comm = "task",
	};
	const uint64_t id = UPPER | CLOCK_AB;
	struct kflame_sample s[10];

	for (uint32_t i = 0; i < 10; i++)
		s[i] = (struct kflame_sample){ .time_ns = 1000 * MS + i * STEP, .weight_ns = STEP,
			.late_ns = i ? 0 : 7, .count = CLOCK_AB };
	records_add(&m->r, &c, sizeof(c), &id, sizeof(id));
	put_samples(m, KFLAME_REC_SAMPLE, UPPER, s, 10);
}

/* Seven page faults: 3 from 5 ms on, 4 from 55 ms on, 10 ms apart */
static inline void put_faults(struct mk *m, uint32_t event)
{
	struct kflame_sample s[7];

	mk_event_counts(m, event, UPPER | FAULTS_AB, faults, 2);
	for (uint32_t i = 0; i < 7; i++)
		s[i] = (struct kflame_sample){ .time_ns = 1005 * MS + (i + 2 * (i > 2)) * STEP, .weight_ns = 1,
			.count = i > 2 ? FAULTS_AC : FAULTS_AB };
	put_samples(m, KFLAME_REC_EVENT_SAMPLE, UPPER, s, 7);
}

static inline void begin(struct mk *m)
{
	mk_header(m);
	mk_session(m);
	mk_stack(m, AB, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE + 0x104, CODE + 4 }, 2);
	mk_stack(m, AC, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE + 0x204, CODE + 4 }, 2);
}

static inline void set_timeline(struct mk *m)
{
	struct kflame_rec_session *s = (void *)(m->r.data + sizeof(struct kflame_file_header));

	s->flags |= KFLAME_CF_TIMELINE;
}

static inline void finish(struct mk *m, uint64_t ordered)
{
	struct kflame_rec_stats s = { .rec.type = KFLAME_REC_STATS, .stop_ns = 2000000000 };

	s.count[KFLAME_STAT_ORDERED] = ordered;
	records_add(&m->r, &s, sizeof(s), NULL, 0);
	mk_functions(m, CODE, (const char *const[]){ "a", "b", "c", NULL });
	mk_end(m);
}

/* The timer and page faults; @event: the id of page faults, @name: their name */
static inline void make_named(struct mk *m, uint32_t event, uint32_t unit, const char *name)
{
	begin(m);
	set_timeline(m);
	mk_event(m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
	mk_event(m, event, unit, name);
	put_clock(m);
	put_faults(m, event);
	mk_cpu(m, 0, 10, 10 * STEP);
	mk_event_cpu(m, event, 0, 7, 2);
	finish(m, 17);
}

static inline void make(struct mk *m)
{
	make_named(m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
}

/* The timer of make() alone, as a module without events writes it */
static inline void make_clock(struct mk *m)
{
	begin(m);
	put_clock(m);
	mk_cpu(m, 0, 10, 10 * STEP);
	finish(m, 0);
}

static inline void make_faults(struct mk *m)
{
	begin(m);
	mk_event(m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	put_faults(m, FAULTS);
	mk_event_cpu(m, FAULTS, 0, 7, 2);
	finish(m, 0);
}

static inline void save(struct mk *m, const char *path)
{
	write_file(path, m->r.data, m->r.len);
	mk_free(m);
}

static inline struct profile *read_it(struct mk *m)
{
	struct profile *p = mk_profile(m);

	mk_free(m);
	assert_int_equal(p->state, PROFILE_WHOLE);
	return p;
}

static inline struct profile *read_timeline(struct mk *m)
{
	struct profile *p = profile_create();

	assert_non_null(p);
	profile_keep_timeline(p);
	assert_int_equal(profile_feed(p, m->r.data, m->r.len), 0);
	assert_int_equal(profile_finish(p), 0);
	mk_free(m);
	return p;
}

/*
 * many.data: eight events with the longest names, and samples of the timer, which no EVENT record names.
 * @name: out: the last name, 32 bytes
 */
static inline void save_many(char *name)
{
	struct mk m = { 0 };

	begin(&m);
	for (uint32_t i = 1; i <= KFLAME_MAX_EVENTS; i++) {
		memset(name, 'a' + (int)i, 31);
		name[31] = 0;
		mk_event(&m, i, KFLAME_UNIT_EVENTS, name);
	}
	put_clock(&m);
	finish(&m, 0);
	save(&m, "many.data");
}

/* The page faults of make(), chosen by a name of theirs. Frees the profile */
static inline void assert_faults(struct profile *p, const char *event)
{
	assert_int_equal(profile_use_event(p, "p", event), 0);
	assert_string_equal(profile_counted(p), "page-faults");
	assert_int_equal(p->samples, 7);
	assert_int_equal(p->weight_ns + p->late_ns, 0);
	assert_int_equal(p->nr_counts, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(p->counts[i].samples, 3 + i);
		assert_int_equal(p->counts[i].weight_ns + p->counts[i].late_ns, 0);
	}
	/* The accounting is of the event, too */
	assert_int_equal(p->nr_cpus, 1);
	assert_int_equal(p->cpus[0].lost[KFLAME_LOST_TABLE], 2);
	profile_destroy(p);
}

/** mkevents_setup() - a setup: writes kflame.data of make(), clock.data and faults.data; leave_scratch() is the teardown */
static inline int mkevents_setup(void **state)
{
	struct mk m = { 0 }, alone = { 0 }, only = { 0 };

	*state = NULL;
	enter_scratch();
	make(&m);
	save(&m, "kflame.data");
	make_clock(&alone);
	save(&alone, "clock.data");
	make_faults(&only);
	save(&only, "faults.data");
	return 0;
}

#endif
