// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_events.c - several events in one profile: reading, choosing one, accounting, merging, views
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mkprofile.h"
#include "profile/accounting.h"
#include "profile/addresses.h"
#include "record/options.h"
#include "record/tally.h"
#include "run_command.h"
#include "views/summary.h"

#define MS	1000000ull
#define STEP	(10 * MS)
#define CODE	0xffffffff81000000ull
#define UPPER	(1ull << 32)	/* of the ids of all counts of make() */

static char dir[] = "/tmp/kflame-events-XXXXXX";

/* The stacks of make(), the ids of its counts, and the ids of its events */
enum { AB = 1, AC };
enum { CLOCK_AB = 1, FAULTS_AB, FAULTS_AC };
enum { TIMER, FAULTS };

static const struct kflame_event_count faults[] = {
	{ .weight = 3, .samples = 3, .kstack = AB }, { .weight = 4, .samples = 4, .kstack = AC },
};

static void put_samples(struct mk *m, uint32_t type, uint64_t counts, const struct kflame_sample *s, uint32_t nr)
{
	struct kflame_rec_sample rec = { .rec.type = type, .counts = counts, .nr = nr };

	records_add(&m->r, &rec, sizeof(rec), s, nr * sizeof(*s));
}

/* Ten samples of the timer, one each 10 ms */
static void put_clock(struct mk *m)
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
static void put_faults(struct mk *m, uint32_t event)
{
	struct kflame_sample s[7];

	mk_event_counts(m, event, UPPER | FAULTS_AB, faults, 2);
	for (uint32_t i = 0; i < 7; i++)
		s[i] = (struct kflame_sample){ .time_ns = 1005 * MS + (i + 2 * (i > 2)) * STEP, .weight_ns = 1,
			.count = i > 2 ? FAULTS_AC : FAULTS_AB };
	put_samples(m, KFLAME_REC_EVENT_SAMPLE, UPPER, s, 7);
}

static void begin(struct mk *m)
{
	mk_header(m);
	mk_session(m);
	mk_stack(m, AB, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE + 0x104, CODE + 4 }, 2);
	mk_stack(m, AC, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE + 0x204, CODE + 4 }, 2);
}

static void set_timeline(struct mk *m)
{
	struct kflame_rec_session *s = (void *)(m->r.data + sizeof(struct kflame_file_header));

	s->flags |= KFLAME_CF_TIMELINE;
}

static void finish(struct mk *m, uint64_t ordered)
{
	struct kflame_rec_stats s = { .rec.type = KFLAME_REC_STATS, .stop_ns = 2000000000 };

	s.count[KFLAME_STAT_ORDERED] = ordered;
	records_add(&m->r, &s, sizeof(s), NULL, 0);
	mk_functions(m, CODE, (const char *const[]){ "a", "b", "c", NULL });
	mk_end(m);
}

/* The timer and page faults; @event: the id of page faults, @name: their name */
static void make_named(struct mk *m, uint32_t event, uint32_t unit, const char *name)
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

static void make(struct mk *m)
{
	make_named(m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
}

/* The timer of make() alone, as a module without events writes it */
static void make_clock(struct mk *m)
{
	begin(m);
	put_clock(m);
	mk_cpu(m, 0, 10, 10 * STEP);
	finish(m, 0);
}

static void make_faults(struct mk *m)
{
	begin(m);
	mk_event(m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	put_faults(m, FAULTS);
	mk_event_cpu(m, FAULTS, 0, 7, 2);
	finish(m, 0);
}

static void save(struct mk *m, const char *path)
{
	write_file(path, m->r.data, m->r.len);
	mk_free(m);
}

static struct profile *read_it(struct mk *m)
{
	struct profile *p = mk_profile(m);

	mk_free(m);
	assert_int_equal(p->state, PROFILE_WHOLE);
	return p;
}

static struct profile *read_timeline(struct mk *m)
{
	struct profile *p = profile_create();

	assert_non_null(p);
	profile_keep_timeline(p);
	assert_int_equal(profile_feed(p, m->r.data, m->r.len), 0);
	assert_int_equal(profile_finish(p), 0);
	mk_free(m);
	return p;
}

static int setup(void **state)
{
	struct mk m = { 0 }, alone = { 0 }, only = { 0 };

	*state = NULL;
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	make(&m);
	save(&m, "kflame.data");
	make_clock(&alone);
	save(&alone, "clock.data");
	make_faults(&only);
	save(&only, "faults.data");
	return 0;
}

static int teardown(void **state)
{
	char line[64];

	*state = NULL;
	snprintf(line, sizeof(line), "rm -rf %s", dir);
	return chdir("/") || system(line);
}

/* ------------------------------------------------------- reading and choosing */

static void assert_apart(uint32_t event)
{
	struct mk m = { 0 };
	struct profile *p;

	make_named(&m, event, KFLAME_UNIT_EVENTS, "page-faults");
	p = read_it(&m);
	assert_int_equal(p->damaged + p->unknown + p->lost_stacks, 0);
	assert_int_equal(p->samples, 10);
	assert_int_equal(p->weight_ns, 10 * STEP);
	assert_int_equal(p->nr_events, 2);
	assert_string_equal(p->events[1].name, "page-faults");
	assert_int_equal(p->events[1].samples, 7);
	assert_int_equal(p->events[1].weight, 7);
	assert_int_equal(p->events[1].nr_cpus, 1);
	/* The timer and page faults have the stack AB in common */
	assert_int_equal(p->nr_counts, 3);
	assert_null(profile_counted(p));
	profile_destroy(p);
}

static void sums_are_of_one_event(void **state)
{
	(void)state;
	assert_apart(FAULTS);
	/* Counts of these ids and of the timer have the same hash */
	assert_apart(1u << 24);
	assert_apart(UINT32_MAX << 24);
}

/* @event: a name of the timer, or NULL */
static void assert_clock(const char *event)
{
	struct mk m = { 0 }, alone = { 0 };
	struct profile *p, *want;

	make(&m);
	make_clock(&alone);
	p = read_it(&m);
	want = read_it(&alone);
	assert_int_equal(profile_use_event(p, "p", event), 0);
	assert_int_equal(profile_use_event(want, "want", event), 0);
	assert_int_equal(p->samples, want->samples);
	assert_int_equal(p->weight_ns, want->weight_ns);
	assert_int_equal(p->late_ns, want->late_ns);
	assert_int_equal(p->nr_counts, want->nr_counts);
	for (size_t i = 0; i < p->nr_counts; i++)
		assert_memory_equal(&p->counts[i], &want->counts[i], sizeof(p->counts[i]));
	assert_int_equal(p->nr_cpus, want->nr_cpus);
	assert_memory_equal(p->cpus, want->cpus, p->nr_cpus * sizeof(*p->cpus));
	assert_null(profile_counted(p));
	profile_destroy(p);
	profile_destroy(want);
}

static void timer_is_the_default(void **state)
{
	(void)state;
	assert_clock(NULL);
	assert_clock("cpu-clock");
	assert_clock("clock");
	assert_clock("timer");
}

/* Frees the profile */
static void assert_faults(struct profile *p, const char *event)
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

static void page_faults_are_counted(void **state)
{
	static const char *const names[] = { "page-faults", "faults" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct mk m = { 0 };

		make(&m);
		assert_faults(read_it(&m), names[i]);
	}
}

static void page_faults_alone_are_the_default(void **state)
{
	struct mk m = { 0 };

	(void)state;
	make_faults(&m);
	assert_faults(read_it(&m), NULL);
	assert_int_equal(run(cmd_fold, "-i faults.data -o out"), 0);
	assert_out("out", "task;a;b 3\ntask;a;c 4\n");
}

/* Bytes are shown in place of samples */
static void weights_become_samples(void **state)
{
	static const struct kflame_event_count bytes[] = { { .weight = 4096, .samples = 2, .kstack = AB } };
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	begin(&m);
	mk_event(&m, 3, KFLAME_UNIT_BYTES, "allocations");
	mk_event_counts(&m, 3, 0, bytes, 1);
	finish(&m, 0);
	p = read_it(&m);
	assert_int_equal(p->events[0].samples, 2);
	assert_int_equal(profile_use_event(p, "p", "allocations"), 0);
	assert_string_equal(profile_counted(p), "bytes");
	assert_int_equal(p->samples, 4096);
	assert_int_equal(p->counts[0].samples, 4096);
	assert_int_equal(p->weight_ns + p->counts[0].weight_ns, 0);
	profile_destroy(p);
}

static void other_names_are_refused(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "--event nonsense -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "kflame.data has no event 'nonsense'. It has: cpu-clock, page-faults\n"));
	assert_int_equal(run(cmd_fold, "--event page-faults -i clock.data -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "clock.data has no event 'page-faults'. It has: cpu-clock\n"));
	assert_int_equal(run(cmd_fold, "--event cpu-clock -i faults.data -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "It has: page-faults\n"));
}

/* Eight events with the longest names, and samples of the timer, which no EVENT record names */
static void the_list_has_all_names(void **state)
{
	struct mk m = { 0 };
	char name[32];

	(void)state;
	begin(&m);
	for (uint32_t i = 1; i <= KFLAME_MAX_EVENTS; i++) {
		memset(name, 'a' + (int)i, 31);
		name[31] = 0;
		mk_event(&m, i, KFLAME_UNIT_EVENTS, name);
	}
	put_clock(&m);
	finish(&m, 0);
	save(&m, "many.data");
	assert_int_equal(run(cmd_fold, "--event nonsense -i many.data -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, name));
	assert_non_null(strstr(said, ", cpu-clock\n"));
	assert_int_equal(run(cmd_convert, "-i many.data -o out.pb.gz"), 0);
}

/* A recorder that keeps addresses only, and reads the samples later */
static void a_recorder_counts_each_event(void **state)
{
	FILE *f = fopen("kflame.data", "r");
	struct mk m = { 0 };

	(void)state;
	assert_non_null(f);
	make(&m);
	for (int later = 0; later < 2; later++) {
		struct profile *p = profile_create();

		assert_non_null(p);
		assert_int_equal(profile_leave_out_stacks(p), 0);
		if (later)
			profile_put_off_samples(p);
		assert_int_equal(profile_feed(p, m.r.data, m.r.len), 0);
		assert_int_equal(p->nr_events, 2);
		assert_int_equal(p->events[1].samples, later ? 0 : 7);
		assert_int_equal(profile_take_samples(p, fileno(f), m.r.len), 0);
		assert_int_equal(profile_finish(p), 0);
		assert_int_equal(p->events[1].samples, 7);
		assert_int_equal(p->samples, 10);
		assert_int_equal(books_check(p, NULL), 0);
		/* b, c, and a, which calls both */
		assert_int_equal(p->addresses->nr_kernel, 3);
		profile_destroy(p);
	}
	fclose(f);
	mk_free(&m);
}

/* ---------------------------------------------------------------- malformed */

/* Good records before and after the malformed ones in @bad are read.  Frees @bad. */
static void assert_damaged(struct mk *bad, uint64_t nr)
{
	struct mk m = { 0 };
	struct profile *p;

	begin(&m);
	mk_event(&m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	mk_event_counts(&m, FAULTS, 0, faults, 1);
	for (size_t at = 0; at < bad->r.len;) {
		struct kflame_rec *rec = (void *)(bad->r.data + at);
		const uint32_t size = rec->size;

		records_add(&m.r, rec, size, NULL, 0);
		at += size;
	}
	mk_event_counts(&m, FAULTS, 0, faults + 1, 1);
	mk_event_cpu(&m, FAULTS, 0, 7, 2);
	mk_count(&m, 0, AB, 0, 10, 10 * STEP);
	finish(&m, 0);
	mk_free(bad);
	p = read_it(&m);
	assert_int_equal(p->damaged, nr);
	assert_int_equal(p->unknown, 0);
	assert_int_equal(p->nr_events, 2);
	assert_int_equal(p->samples, 10);
	assert_faults(p, "faults");
}

/* One byte less than KFLAME_EVENT_NAME */
#define LONGEST_NAME \
	"kprobe:f0123456789abcdef0123456789abcdef0123456789abcdef0123456" \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* A name that is longer than the field of older readers, from the stream to the views and into a sum */
static void long_names_are_whole(void **state)
{
	struct kflame_rec_event rec = {
		.rec.type = KFLAME_REC_EVENT, .id = FAULTS, .kind = KFLAME_EVENT_KPROBE, .unit = KFLAME_UNIT_EVENTS,
		.name = "kprobe:f0123456789abcdef01234~1",
	};
	struct mk m = { 0 };

	(void)state;
	assert_int_equal(sizeof(LONGEST_NAME), KFLAME_EVENT_NAME);
	strcpy((char *)rec.full_name, LONGEST_NAME);
	begin(&m);
	records_add(&m.r, &rec, sizeof(rec), NULL, 0);
	put_faults(&m, FAULTS);
	mk_event_cpu(&m, FAULTS, 0, 7, 2);
	finish(&m, 0);
	save(&m, "long.data");
	assert_int_equal(run(cmd_merge, "long.data kflame.data long.data -o sum"), 0);
	assert_int_equal(run(cmd_fold, "-i sum --event " LONGEST_NAME " -o out"), 0);
	assert_out("out", "task;a;b 6\ntask;a;c 8\n");
	assert_int_equal(run(cmd_report, "-i sum --event " LONGEST_NAME " -o out"), 0);
	assert_has("out", " 14 " LONGEST_NAME ", 4 lost\n", true);
	assert_int_equal(run(cmd_flame, "-i sum --event " LONGEST_NAME " -o out"), 0);
	assert_has("out", "8 " LONGEST_NAME "\n", true);
	assert_int_equal(run(cmd_diff, "--raw --event " LONGEST_NAME " sum long.data -o out"), 0);
	/* Its kind is no name, because several events may be of that kind */
	assert_int_equal(run(cmd_fold, "-i sum --event kprobe -o gone"), EXIT_FAILURE);
	assert_has("said", "has no event 'kprobe'. It has: cpu-clock, ", true);
}

static void bad_events_are_damage(void **state)
{
	static const struct kflame_rec_event bad[] = {
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "" },
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "two words" },
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "bell\a" },
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "del\x7f" },
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "\xc3\xa4" },
		/* No NUL */
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "0123456789abcdef0123456789abcdef" },
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_VALUE + 1, .name = "unit" },
		{ .id = 2, .kind = 1, .unit = UINT32_MAX, .name = "unit" },
		/* The same id or name again */
		{ .id = FAULTS, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "again" },
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "page-faults" },
		{ .id = TIMER, .kind = 0, .unit = KFLAME_UNIT_NS, .name = "again" },
		/* The timer has the id 0, and no other event has */
		{ .id = 2, .kind = 0, .unit = KFLAME_UNIT_NS, .name = "clock" },
		/* The whole name counts, not its beginning */
		{ .id = 2, .kind = KFLAME_EVENT_KPROBE, .unit = KFLAME_UNIT_EVENTS, .name = "kprobe:f",
		  .full_name = "kprobe:f\a" },
		{ .id = 2, .kind = KFLAME_EVENT_KPROBE, .unit = KFLAME_UNIT_EVENTS, .name = "kprobe:f",
		  .full_name = "page-faults" },
		{ .id = 2, .kind = KFLAME_EVENT_TRACEPOINT, .unit = KFLAME_UNIT_EVENTS, .name = "tracepoint:a:b",
		  .full_name = LONGEST_NAME "x" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kflame_rec_event rec = bad[i];
		struct mk m = { 0 };

		rec.rec.type = KFLAME_REC_EVENT;
		records_add(&m.r, &rec, sizeof(rec), NULL, 0);
		assert_damaged(&m, 1);
	}
}

static void bad_timers_are_damage(void **state)
{
	struct kflame_rec_event other_kind = {
		.rec.type = KFLAME_REC_EVENT, .kind = KFLAME_EVENT_FAULTS, .name = "cpu-clock",
	};
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	begin(&m);
	mk_event(&m, TIMER, KFLAME_UNIT_EVENTS, "cpu-clock");
	records_add(&m.r, &other_kind, sizeof(other_kind), NULL, 0);
	finish(&m, 0);
	p = read_it(&m);
	assert_int_equal(p->damaged, 2);
	assert_int_equal(p->nr_events, 1);
	profile_destroy(p);
}

static void a_ninth_event_is_damage(void **state)
{
	static const struct kflame_event_count count[] = { { .weight = 1, .samples = 1 } };
	struct mk m = { 0 };
	struct profile *p;
	char name[8];

	(void)state;
	begin(&m);
	for (uint32_t i = 0; i <= KFLAME_MAX_EVENTS; i++) {
		snprintf(name, sizeof(name), "event%u", i);
		mk_event(&m, i, i ? KFLAME_UNIT_EVENTS : KFLAME_UNIT_NS, name);
		if (i)
			mk_event_counts(&m, i, 0, count, 1);
	}
	finish(&m, 0);
	p = read_it(&m);
	assert_int_equal(p->nr_events, KFLAME_MAX_EVENTS);
	/* The event, and its counts */
	assert_int_equal(p->damaged, 2);
	assert_int_equal(p->nr_counts, KFLAME_MAX_EVENTS - 1);
	profile_destroy(p);
}

static void bad_counts_are_damage(void **state)
{
	static const struct kflame_rec_event_counts bad[] = {
		{ .event = TIMER, .nr = 1 }, { .event = 2, .nr = 1 }, { .event = UINT32_MAX, .nr = 1 },
		/* More counts than fit */
		{ .event = FAULTS, .nr = 3 }, { .event = FAULTS, .nr = UINT32_MAX },
		{ .event = FAULTS, .nr = 1, .context = KFLAME_CTX_PREEMPTED + 1 },
	};
	struct kflame_rec_event_counts rec;
	struct mk m = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		rec = bad[i];
		rec.rec.type = KFLAME_REC_EVENT_COUNTS;
		records_add(&m.r, &rec, sizeof(rec), faults, sizeof(faults));
	}
	/* Shorter than the structure */
	rec = (struct kflame_rec_event_counts){ .rec.type = KFLAME_REC_EVENT_COUNTS, .event = FAULTS };
	records_add(&m.r, &rec, sizeof(rec) - 8, NULL, 0);
	assert_damaged(&m, sizeof(bad) / sizeof(bad[0]) + 1);
}

static void counts_before_their_event_are_damage(void **state)
{
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	begin(&m);
	put_faults(&m, FAULTS);
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	finish(&m, 0);
	p = read_it(&m);
	assert_int_equal(p->damaged, 1);
	assert_int_equal(p->nr_counts, 0);
	profile_destroy(p);
}

static void overflow_is_damage(void **state)
{
	const struct kflame_event_count big[] = {
		{ .weight = UINT64_MAX, .samples = 1, .kstack = AB },
		{ .weight = 1, .samples = UINT64_MAX, .kstack = AC },
		{ .weight = UINT64_MAX - 2, .samples = 1 },
	};
	struct mk m = { 0 };

	(void)state;
	/* Two counts that are there, one that is new */
	mk_event_counts(&m, FAULTS, 0, big, 1);
	mk_event_counts(&m, FAULTS, 0, big + 1, 1);
	mk_event_counts(&m, FAULTS, 0, big + 2, 1);
	assert_damaged(&m, 3);
	/* The other counts of the record are read: together they are what assert_damaged() expects */
	m = (struct mk){ 0 };
	begin(&m);
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	mk_event_counts(&m, FAULTS, 0, (struct kflame_event_count[]){ faults[0], big[0], big[2], faults[1] }, 4);
	mk_event_cpu(&m, FAULTS, 0, 7, 2);
	finish(&m, 0);
	assert_faults(read_it(&m), "faults");
}

static void bad_accounting_is_damage(void **state)
{
	struct mk m = { 0 };

	(void)state;
	mk_event_cpu(&m, TIMER, 0, 1, 0);
	mk_event_cpu(&m, 2, 0, 1, 0);
	assert_damaged(&m, 2);
}

static void bad_samples_are_damage(void **state)
{
	static const struct kflame_sample clock[] = { { 1000 * MS, 1, 0, CLOCK_AB, 0 } },
		fault[] = { { 1000 * MS, 1, 0, FAULTS_AB, 0 } }, none[] = { { 1000 * MS, 1, 0, 9, 0 } },
		weightless[] = { { 1000 * MS, 0, 0, FAULTS_AB, 0 } };
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	begin(&m);
	mk_event(&m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	put_clock(&m);
	put_faults(&m, FAULTS);
	put_samples(&m, KFLAME_REC_EVENT_SAMPLE, UPPER, clock, 1);
	put_samples(&m, KFLAME_REC_SAMPLE, UPPER, fault, 1);
	put_samples(&m, KFLAME_REC_EVENT_SAMPLE, UPPER, none, 1);
	put_samples(&m, KFLAME_REC_EVENT_SAMPLE, UPPER, weightless, 1);
	finish(&m, 0);
	p = read_timeline(&m);
	assert_int_equal(p->damaged, 4);
	assert_int_equal(p->nr_timeline, 17);
	assert_int_equal(p->ordered, 10);
	assert_int_equal(p->event_ordered, 7);
	profile_destroy(p);
}

/* No EVENT record of the timer, but samples of it */
static void samples_of_an_unnamed_timer_are_there(void **state)
{
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	begin(&m);
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	put_clock(&m);
	put_faults(&m, FAULTS);
	finish(&m, 0);
	p = mk_profile(&m);
	save(&m, "unnamed.data");
	assert_int_equal(p->nr_events, 2);
	assert_int_equal(profile_use_event(p, "p", NULL), 0);
	assert_int_equal(p->samples, 10);
	assert_null(profile_counted(p));
	profile_destroy(p);
	assert_int_equal(run(cmd_merge, "unnamed.data clock.data -o sum"), 0);
	assert_int_equal(run(cmd_fold, "-i sum -o out"), 0);
	assert_out("out", "task;a;b 20\n");
}

/* Cut at each record and within records, and read in two pieces there */
static void cut_streams_are_read(void **state)
{
	struct mk m = { 0 };

	(void)state;
	make(&m);
	for (size_t len = 1; len < m.r.len; len += 4) {
		struct profile *p = mk_feed(m.r.data, len, m.r.len);

		if (p->state >= PROFILE_TRUNCATED && p->nr_events)
			assert_int_equal(profile_use_event(p, "p", NULL), 0);
		profile_destroy(p);
		p = mk_feed(m.r.data, m.r.len, len);
		assert_int_equal(p->state, PROFILE_WHOLE);
		assert_faults(p, "faults");
	}
	mk_free(&m);
}

/* ----------------------------------------------------------------- timeline */

static void samples_follow_their_counts(void **state)
{
	const struct profile_range all = { 0 };

	(void)state;
	for (int is_faults = 0; is_faults < 2; is_faults++) {
		uint64_t seen[3] = { 0 };
		struct mk m = { 0 };
		struct profile *p;

		make(&m);
		p = read_timeline(&m);
		assert_int_equal(p->nr_timeline, 17);
		assert_int_equal(profile_use_event(p, "p", is_faults ? "faults" : NULL), 0);
		assert_int_equal(p->nr_timeline, is_faults ? 7 : 10);
		assert_int_equal(profile_use_timeline(p, "p", &all), 0);
		for (size_t i = 0; i < p->nr_timeline; i++) {
			assert_true(p->timeline[i].count < p->nr_counts);
			seen[p->timeline[i].count]++;
		}
		for (size_t i = 0; i < p->nr_counts; i++)
			assert_int_equal(seen[i], p->counts[i].samples);
		assert_int_equal(p->span.start_ns, 1000 * MS);
		profile_destroy(p);
	}
}

static void a_range_of_an_event(void **state)
{
	(void)state;
	/* The third fault of AB, at 25 ms, and the first of AC, at 55 ms */
	assert_int_equal(run(cmd_fold, "--event faults --from 20ms --to 60ms -o out"), 0);
	assert_out("out", "task;a;b 1\ntask;a;c 1\n");
	assert_has("said", "have no time", false);
	assert_int_equal(run(cmd_fold, "--from 20ms --to 60ms -o out"), 0);
	assert_out("out", "task;a;b 4\n");
	assert_has("said", "have no time", false);
	/* Faults have no times, in a part as in the whole */
	assert_int_equal(run(cmd_report, "--event faults --from 20ms --to 60ms -o out"), 0);
	assert_has("out", " 2 page-faults", true);
	assert_int_equal(run(cmd_flame, "--event faults --from 20ms --to 60ms --time -o gone"), EXIT_FAILURE);
	assert_has("said", "holds no times", true);
}

/* A sample may weigh more than one */
static void a_range_of_bytes(void **state)
{
	static const struct kflame_event_count bytes[] = { { .weight = 300, .samples = 3, .kstack = AB } };
	static const struct kflame_sample s[] = { { 1010 * MS, 70, 0, 1, 0 }, { 1020 * MS, 30, 0, 1, 0 } };
	struct mk m = { 0 };

	(void)state;
	begin(&m);
	mk_event(&m, 3, KFLAME_UNIT_BYTES, "allocations");
	mk_event_counts(&m, 3, UPPER | 1, bytes, 1);
	put_samples(&m, KFLAME_REC_EVENT_SAMPLE, UPPER, s, 2);
	finish(&m, 0);
	save(&m, "bytes.data");
	assert_int_equal(run(cmd_fold, "-i bytes.data --from 0 -o out"), 0);
	assert_out("out", "task;a;b 100\n");
	assert_has("said", "200 samples have no time", true);
	assert_int_equal(run(cmd_fold, "-i bytes.data --from 0 --to 15ms -o out"), 0);
	assert_out("out", "task;a;b 70\n");
}

/* Sums of weights that wrap leave every index valid */
static void a_range_of_huge_weights(void **state)
{
	static const struct kflame_event_count bytes[] = { { .weight = 1, .samples = 1, .kstack = AB } };
	const struct profile_range from = { .from.is_set = true };
	struct kflame_sample s[4];
	struct mk m = { 0 };
	struct profile *p;
	int saved;

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		s[i] = (struct kflame_sample){ 1010 * MS, 1ull << 62, 0, 1, 0 };
	begin(&m);
	mk_event(&m, 3, KFLAME_UNIT_BYTES, "allocations");
	mk_event_counts(&m, 3, UPPER | 1, bytes, 1);
	put_samples(&m, KFLAME_REC_EVENT_SAMPLE, UPPER, s, 4);
	mk_end(&m);
	p = read_timeline(&m);
	assert_int_equal(profile_use_event(p, "p", NULL), 0);
	saved = hush();
	assert_int_equal(profile_use_timeline(p, "p", &from), 0);
	unhush(saved);
	/* Bytes are no nanoseconds, by which the last sample would extend the recording */
	assert_int_equal(p->span.end_ns, 1010 * MS + 1);
	for (size_t i = 0; i < p->nr_timeline; i++)
		assert_true(p->timeline[i].count < p->nr_counts);
	profile_destroy(p);
}

/* pprof and merge keep all events: a range is one of each */
static void a_range_of_all_events(void **state)
{
	const struct profile_range r = { .from = { true, false, 20 * MS }, .to = { true, false, 60 * MS } };
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	make(&m);
	p = read_timeline(&m);
	assert_int_equal(profile_use_timeline(p, "p", &r), 0);
	assert_int_equal(p->samples, 4);
	assert_int_equal(p->weight_ns, 4 * STEP);
	assert_int_equal(p->events[1].samples, 2);
	assert_int_equal(p->events[1].weight, 2);
	assert_int_equal(p->nr_counts, 3);
	profile_destroy(p);
	/* Page faults without times are left out */
	begin(&m);
	mk_event(&m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	put_clock(&m);
	mk_event_counts(&m, FAULTS, 0, faults, 2);
	finish(&m, 0);
	save(&m, "untimed.data");
	assert_int_equal(run(cmd_convert, "-i untimed.data --from 0 --to pprof -o out.pb.gz"), 0);
	assert_has("said", "7 samples have no time", true);
	assert_int_equal(run(cmd_fold, "-i untimed.data --from 0 -o out"), 0);
	assert_has("said", "have no time", false);
}

static void pictures_over_time_need_durations(void **state)
{
	static const char *const pictures[] = { "--chart", "--heatmap" };
	static const struct { const char *arguments, *message; } refused[] = {
		{ "--event page-faults", "kflame.data cannot be shown over time: page-faults have no duration. "
			"Choose --event cpu-clock, or leave out --chart, --heatmap or --latency\n" },
		{ "-i faults.data", "faults.data cannot be shown over time: page-faults have no duration. "
			"Leave out --chart, --heatmap or --latency\n" },
	};
	char line[128];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < 2; k++) {
			snprintf(line, sizeof(line), "%s %s -o gone", pictures[i], refused[k].arguments);
			assert_int_equal(run(cmd_flame, line), EXIT_FAILURE);
			assert_non_null(strstr(said, refused[k].message));
			assert_int_equal(access("gone", F_OK), -1);
		}
		snprintf(line, sizeof(line), "%s -o out", pictures[i]);
		assert_int_equal(run(cmd_flame, line), 0);
	}
}

/* --------------------------------------------------------------- accounting */

/* Reads make() after @change.  Return: what is wrong, to be freed */
static char *check_after(void (*change)(struct profile *p), unsigned int *wrong)
{
	struct mk m = { 0 };
	struct profile *p;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	make(&m);
	p = read_it(&m);
	if (change)
		change(p);
	*wrong = books_check(p, out);
	fclose(out);
	profile_destroy(p);
	return text;
}

static void cpu_samples(struct profile *p) { p->events[1].cpus[0].samples++; }
static void cpu_counted(struct profile *p) { p->events[1].cpus[0].counted--; }
static void cpu_lost(struct profile *p) { p->events[1].cpus[0].lost[KFLAME_LOST_RING]++; }
static void cpu_weight(struct profile *p) { p->events[1].cpus[0].weight_ns++; }
static void cpu_counted_weight(struct profile *p) { p->events[1].cpus[0].counted_ns--; }
static void cpu_lost_weight(struct profile *p) { p->events[1].cpus[0].lost_ns[KFLAME_LOST_RING]++; }
static void event_samples(struct profile *p) { p->events[1].samples++; }
static void event_weight(struct profile *p) { p->events[1].weight--; }
static void timed_samples(struct profile *p) { p->event_ordered--; }
static void timer_samples(struct profile *p) { p->samples++; }

static void accounting_names_what_is_wrong(void **state)
{
	static const struct {
		void (*change)(struct profile *p);
		const char *named;
	} wrongs[] = {
		{ cpu_samples, "  page-faults, CPU 0: samples 10 is not counted + lost 9 (+1)\n" },
		{ cpu_counted, "  page-faults, CPU 0: samples 9 is not counted + lost 8 (+1)\n" },
		{ cpu_counted, "  page-faults: samples in it 7 is not samples counted 6 (+1)\n" },
		{ cpu_lost, "  page-faults, CPU 0: samples 9 is not counted + lost 10 (-1)\n" },
		{ cpu_weight, "  page-faults, CPU 0: weight of the samples 10 is not counted + lost 9 (+1)\n" },
		{ cpu_counted_weight, "  page-faults: weight in it 7 is not weight counted 6 (+1)\n" },
		{ cpu_lost_weight, "  page-faults, CPU 0: weight of the samples 9 is not counted + lost 10 (-1)\n" },
		{ event_samples, "  page-faults: samples in it 8 is not samples counted 7 (+1)\n" },
		{ event_weight, "  page-faults: weight in it 6 is not weight counted 7 (-1)\n" },
		{ timed_samples, "  profile: samples with times in it 16 is not samples with times 17 (-1)\n" },
		{ timer_samples, "  profile: samples in it 11 is not samples counted 10 (+1)\n" },
	};
	unsigned int wrong;
	char *text;

	(void)state;
	text = check_after(NULL, &wrong);
	assert_string_equal(text, "");
	assert_int_equal(wrong, 0);
	free(text);
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		text = check_after(wrongs[i].change, &wrong);
		assert_true(wrong > 0);
		if (!strstr(text, wrongs[i].named))
			fail_msg("no '%s' in:\n%s", wrongs[i].named, text);
		/* Of the other event nothing is wrong */
		assert_null(strstr(text, wrongs[i].change == timer_samples ? "page-faults" : "  CPU 0"));
		free(text);
	}
}

/* ------------------------------------------------------------------ merging */

/* @faults: how many page faults the sum has; @samples: of the timer */
static void assert_sum(const char *parts, uint64_t samples, uint64_t nr_faults)
{
	static const struct naming every = { .every_event = true };
	char line[128];
	struct profile *p;
	uint64_t seen = 0;

	snprintf(line, sizeof(line), "%s -o sum", parts);
	assert_int_equal(run(cmd_merge, line), 0);
	p = open_profile("sum", &every);
	assert_non_null(p);
	assert_int_equal(p->state, PROFILE_WHOLE);
	assert_int_equal(p->damaged + p->unknown + p->lost_stacks, 0);
	assert_int_equal(p->samples, samples);
	assert_int_equal(p->weight_ns, samples * STEP);
	assert_int_equal(!profile_find_event(p, 0), !samples);
	for (size_t i = 0; i < p->nr_events; i++)
		if (!strcmp(p->events[i].name, "page-faults")) {
			assert_int_equal(p->events[i].samples, nr_faults);
			assert_int_equal(p->events[i].weight, nr_faults);
			assert_int_equal(p->events[i].unit, KFLAME_UNIT_EVENTS);
			seen++;
		}
	assert_int_equal(seen, nr_faults > 0);
	assert_int_equal(books_check(p, stderr), 0);
	profile_destroy(p);
}

/* In this profile page faults have the id 2, and another event has the id 1 */
static void make_other(struct mk *m)
{
	static const struct kflame_event_count other[] = { { .weight = 50, .samples = 5, .kstack = AB } };

	begin(m);
	mk_event(m, 2, KFLAME_UNIT_EVENTS, "page-faults");
	mk_event(m, 1, KFLAME_UNIT_BYTES, "allocations");
	mk_event(m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
	put_clock(m);
	put_faults(m, 2);
	mk_event_counts(m, 1, 0, other, 1);
	mk_cpu(m, 0, 10, 10 * STEP);
	mk_event_cpu(m, 2, 0, 3, 0);
	mk_event_cpu(m, 2, 5, 4, 1);
	mk_event_cpu(m, 1, 0, 5, 0);
	((struct kflame_rec_event_cpu *)(m->r.data + m->r.len))[-1].books.weight_ns = 50;
	((struct kflame_rec_event_cpu *)(m->r.data + m->r.len))[-1].books.counted_ns = 50;
	finish(m, 0);
}

static void events_are_merged_by_name(void **state)
{
	struct mk m = { 0 };

	(void)state;
	make_other(&m);
	save(&m, "other.data");
	assert_sum("kflame.data other.data", 20, 14);
	assert_int_equal(run(cmd_fold, "-i sum --event faults -o out"), 0);
	assert_out("out", "task;a;b 6\ntask;a;c 8\n");
	assert_int_equal(run(cmd_fold, "-i sum --event allocations -o out"), 0);
	assert_out("out", "task;a;b 50\n");
	assert_int_equal(run(cmd_fold, "-i sum -o out"), 0);
	assert_out("out", "task;a;b 20\n");
	assert_sum("other.data kflame.data other.data", 30, 21);
	/* A sum of sums */
	assert_int_equal(run(cmd_merge, "other.data kflame.data -o first"), 0);
	assert_sum("first kflame.data", 30, 21);
}

static void a_timer_alone_is_merged_with_events(void **state)
{
	(void)state;
	assert_sum("clock.data kflame.data", 20, 7);
	assert_sum("kflame.data clock.data", 20, 7);
	assert_sum("clock.data faults.data", 10, 7);
	assert_sum("faults.data clock.data", 10, 7);
	assert_sum("faults.data faults.data", 0, 14);
	assert_sum("clock.data clock.data", 20, 0);
}

/* A timer without samples is still the default: nothing ran */
static void an_idle_timer_stays_in_the_sum(void **state)
{
	struct mk m = { 0 };

	(void)state;
	begin(&m);
	mk_event(&m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	put_faults(&m, FAULTS);
	finish(&m, 0);
	save(&m, "idle.data");
	assert_int_equal(run(cmd_merge, "faults.data idle.data -o sum"), 0);
	assert_int_equal(run(cmd_fold, "-i sum -o out"), 0);
	assert_out("out", "");
	assert_int_equal(run(cmd_fold, "-i sum --event faults -o out"), 0);
	assert_out("out", "task;a;b 6\ntask;a;c 8\n");
}

static void sums_too_large_are_refused(void **state)
{
	const struct kflame_event_count big[] = { { .weight = UINT64_MAX - 5, .samples = 1, .kstack = AB } };
	struct mk m = { 0 };

	(void)state;
	begin(&m);
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	mk_event_counts(&m, FAULTS, 0, big, 1);
	finish(&m, 0);
	save(&m, "big.data");
	assert_int_equal(run(cmd_merge, "kflame.data big.data -o gone"), EXIT_FAILURE);
	assert_has("said", "with big.data, the counts do not fit in 64 bits", true);
	assert_int_equal(run(cmd_merge, "kflame.data many.data -o gone"), EXIT_FAILURE);
	assert_has("said", "with many.data, these are profiles of more than 8 events", true);
	/* Eight events, and the timer */
	assert_int_equal(run(cmd_merge, "many.data -o gone"), EXIT_FAILURE);
	assert_has("said", "with many.data, these are profiles of more than 8 events", true);
	assert_int_equal(access("gone", F_OK), -1);
}

/* Without the accounting of any input there is none in the sum */
static void missing_accounting_stays_missing(void **state)
{
	static const struct naming every = { .every_event = true };
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	begin(&m);
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	put_faults(&m, FAULTS);
	finish(&m, 0);
	save(&m, "without.data");
	assert_int_equal(run(cmd_merge, "without.data without.data -o sum"), 0);
	p = open_profile("sum", &every);
	assert_non_null(p);
	assert_false(books_are_there(p));
	profile_destroy(p);
}

/* ----------------------------------------------------- copies and recording */

static void add_copied(struct tally *t, uint32_t event, uint64_t time_ns, uint64_t ip)
{
	const struct tally_count c = { .rec = {
		.samples = 1, .weight_ns = event ? 1 : STEP, .tgid = 101, .comm = "task",
	}, .event = event };
	const struct tally_frames kernel = { .nr = 1, .ip = &ip }, none = { 0 };

	assert_int_equal(tally_add(t, &c, time_ns, &kernel, &none), 0);
}

static void copies_are_counted_by_event(void **state)
{
	(void)state;
	for (int timed = 0; timed < 2; timed++) {
		struct tally copies = { 0 };
		struct mk m = { 0 };
		struct profile *p;
		uint64_t nr;

		begin(&m);
		mk_event(&m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
		mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
		/* The same stack and task at both events */
		add_copied(&copies, FAULTS, timed ? 1030 * MS : 0, CODE + 4);
		add_copied(&copies, TIMER, timed ? 1025 * MS : 0, CODE + 4);
		add_copied(&copies, FAULTS, timed ? 1020 * MS : 0, CODE + 4);
		nr = m.r.nr;
		tally_tell(&copies, &m.r);
		/* A stack, two counts, and one record of samples for each event */
		assert_int_equal(m.r.nr - nr, timed ? 5 : 3);
		/* The next batch has ids of its own */
		add_copied(&copies, FAULTS, timed ? 1040 * MS : 0, CODE + 0x104);
		tally_tell(&copies, &m.r);
		tally_exit(&copies);
		finish(&m, 0);
		write_file("copied.data", m.r.data, m.r.len);
		p = read_timeline(&m);
		assert_int_equal(p->damaged + p->lost_stacks, 0);
		assert_int_equal(p->samples, 1);
		assert_int_equal(p->weight_ns, STEP);
		assert_int_equal(p->events[1].samples, 3);
		assert_int_equal(p->events[1].weight, 3);
		assert_int_equal(p->nr_counts, 3);
		assert_int_equal(p->ordered_by_tool, timed ? 1 : 0);
		assert_int_equal(p->event_ordered_by_tool, timed ? 3 : 0);
		assert_int_equal(p->ordered_ns, timed ? STEP : 0);
		assert_int_equal(p->nr_timeline, timed ? 4 : 0);
		profile_destroy(p);
		assert_int_equal(run(cmd_fold, "-i copied.data --event faults -o out"), 0);
		assert_out("out", "task;a 2\ntask;b 1\n");
		if (!timed)
			continue;
		assert_int_equal(run(cmd_fold, "-i copied.data --event faults --from 25ms -o out"), 0);
		assert_out("out", "task;a 1\ntask;b 1\n");
	}
}

static void lists_of_events(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint32_t nr, first;
	} lists[] = {
		{ "clock,faults", 0, 2, KFLAME_EVENT_TIMER }, { "page-faults,cpu-clock", 0, 2, KFLAME_EVENT_FAULTS },
		{ "faults", 0, 1, KFLAME_EVENT_FAULTS }, { "timer", 0, 1, KFLAME_EVENT_TIMER },
		{ "faults,faults", -EEXIST, 0, 0 }, { "clock,timer", -EEXIST, 0, 0 }, { "", -EINVAL, 0, 0 },
		{ "a", -EINVAL, 0, 0 }, { "faults,", -EINVAL, 0, 0 }, { ",faults", -EINVAL, 0, 0 },
		{ "kprobe:vfs_read,clock", 0, 2, KFLAME_EVENT_KPROBE }, { "kprobe:f+0x10", 0, 1, KFLAME_EVENT_KPROBE },
		{ "kprobe:f,kprobe:g,kprobe:f+1", 0, 3, KFLAME_EVENT_KPROBE },
		{ "tracepoint:sched:sched_switch", 0, 1, KFLAME_EVENT_TRACEPOINT },
		{ "kprobe:f,kprobe:f", -EEXIST, 0, 0 }, { "kprobe", -EINVAL, 0, 0 }, { "kprobe:", -EINVAL, 0, 0 },
		{ "kprobe:f+", -EINVAL, 0, 0 }, { "kprobe:f+x", -EINVAL, 0, 0 }, { "kprobe:f+1x", -EINVAL, 0, 0 },
		{ "kprobe:vfs_*,kprobe:f?", 0, 2, KFLAME_EVENT_KPROBE }, { "kprobe:*,kprobe:*", -EEXIST, 0, 0 },
		{ "kprobe:vfs_*+1", -EINVAL, 0, 0 }, { "kprobe:+1", -EINVAL, 0, 0 }, { "kprobe:f+-1", -EINVAL, 0, 0 },
		{ "kprobe:f+4294967295", 0, 1, KFLAME_EVENT_KPROBE }, { "kprobe:f+4294967296", -EINVAL, 0, 0 },
		{ "kprobe:f+99999999999999999999", -EINVAL, 0, 0 }, { "kprobe:f g", -EINVAL, 0, 0 },
		{ "kprobe:\xc3\xa4", -EINVAL, 0, 0 }, { "tracepoint", -EINVAL, 0, 0 },
		{ "tracepoint:sched", -EINVAL, 0, 0 }, { "tracepoint::f", -EINVAL, 0, 0 },
		{ "tracepoint:a:", -EINVAL, 0, 0 }, { "tracepoint:a:b:c", -EINVAL, 0, 0 },
		{ "tracepoint:../a:b", -EINVAL, 0, 0 }, { "tracepoint:a:../b", -EINVAL, 0, 0 },
		{ "kprobe:a,kprobe:b,kprobe:c,kprobe:d,kprobe:e,kprobe:f,kprobe:g,kprobe:h", 0, 8, KFLAME_EVENT_KPROBE },
		{ "clock,kprobe:a,kprobe:b,kprobe:c,kprobe:d,kprobe:e,kprobe:f,kprobe:g,kprobe:h", -E2BIG, 0, 0 },
		{ "clock,,faults", -EINVAL, 0, 0 }, { "Faults", -EINVAL, 0, 0 }, { "clock faults", -EINVAL, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct record_options o = { 0 };

		assert_int_equal(parse_events(lists[i].text, &o), lists[i].err);
		if (!lists[i].err) {
			assert_int_equal(o.nr_events, lists[i].nr);
			assert_int_equal(o.events[0].kind, lists[i].first);
		}
	}
	/* The longest name, and one byte more */
	for (size_t len = KFLAME_EVENT_NAME - 1; len <= KFLAME_EVENT_NAME; len++) {
		struct record_options o = { 0 };
		char text[KFLAME_EVENT_NAME + 1];

		memset(text, 'f', len);
		memcpy(text, "kprobe:", 7);
		text[len] = 0;
		assert_int_equal(parse_events(text, &o), len < KFLAME_EVENT_NAME ? 0 : -ENAMETOOLONG);
	}
	/* -e may come twice */
	struct record_options o = { 0 };

	assert_int_equal(parse_events("faults", &o), 0);
	assert_int_equal(parse_events("faults", &o), -EEXIST);
	assert_int_equal(parse_events("clock", &o), 0);
	assert_int_equal(o.nr_events, 2);
}

static void names_of_kinds(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < KFLAME_NR_EVENTS; i++)
		if (profile_event_name(i))
			assert_int_equal(profile_event_kind(profile_event_name(i)), i);
	assert_null(profile_event_name(KFLAME_NR_EVENTS));
	assert_int_equal(profile_event_kind("nonsense"), KFLAME_NR_EVENTS);
}

/* -------------------------------------------------------------------- views */

static void headers_say_what_is_counted(void **state)
{
	struct mk m = { 0 };
	struct tree *t = tree_create();
	struct summary sum;
	struct profile *p;
	char *line;

	(void)state;
	make(&m);
	p = read_it(&m);
	assert_non_null(t);
	assert_int_equal(profile_use_event(p, "p", "faults"), 0);
	summary_make(&sum, p, t);
	line = summary_line(&sum);
	assert_string_equal(line, "1.0 s, 1 CPU, 7 page-faults, 2 lost");
	free(line);
	profile_destroy(p);
	tree_destroy(t);
	assert_int_equal(run(cmd_report, "--event faults -o out"), 0);
	assert_has("out", "\nsampled  1.0 s, 1 CPU, 7 page-faults, 2 lost\n", true);
	assert_has("out", "7 page-faults are few: record for longer; ", true);
	assert_has("out", "\ntime ", false);
	assert_has("out", "\nlate ", false);
	assert_has("out", "\nidle ", false);
	assert_int_equal(run(cmd_report, "-o out"), 0);
	assert_has("out", " 10 samples\n", true);
	assert_has("out", "\ntime ", true);
	assert_has("out", "\nlate ", true);
}

static void commands_show_one_event(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-o out"), 0);
	assert_out("out", "task;a;b 10\n");
	assert_int_equal(run(cmd_fold, "--event page-faults -o out"), 0);
	assert_out("out", "task;a;b 3\ntask;a;c 4\n");
	assert_int_equal(run(cmd_convert, "--to collapsed --event page-faults -o out"), 0);
	assert_out("out", "task;a;b 3\ntask;a;c 4\n");
	assert_int_equal(run(cmd_flame, "--event page-faults -o out"), 0);
	assert_has("out", "4 page-faults\n", true);
	assert_has("out", " samples\n", false);
	assert_int_equal(run(cmd_report, "--json --event page-faults -o out"), 0);
	assert_has("out", "\"counted\":{\"samples\":7,\"ns\":0}", true);
	assert_int_equal(run(cmd_flame, "--event page-faults --time -o gone"), EXIT_FAILURE);
	assert_has("said", "holds no times", true);
	assert_int_equal(run(cmd_convert, "--to chrome --event page-faults --time -o gone"), EXIT_FAILURE);
	assert_has("said", "holds no times", true);
	assert_int_equal(run(cmd_fold, "--event page-faults --time -o gone"), EXIT_FAILURE);
	assert_has("said", "there are no times to show: page-faults have no duration. Leave out --time\n", true);
	assert_int_equal(run(cmd_report, "--event page-faults --time -o gone"), EXIT_FAILURE);
	assert_has("said", "page-faults have no duration", true);
	assert_int_equal(access("gone", F_OK), -1);
	assert_int_equal(run(cmd_fold, "--time -o out"), 0);
	assert_int_equal(run(cmd_report, "--time -o out"), 0);
}

/* A name may have any printable byte but a space */
static void names_are_quoted(void **state)
{
	struct mk m = { 0 };

	(void)state;
	make_named(&m, FAULTS, KFLAME_UNIT_EVENTS, "<b>&\"'\\</script>");
	save(&m, "names.data");
	assert_int_equal(run(cmd_flame, "-i names.data --event faults -o out.svg"), 0);
	assert_has("out.svg", "<b>", false);
	assert_has("out.svg", "4 &lt;b&gt;&amp;&quot;&#39;\\&lt;/script&gt;\n", true);
	assert_int_equal(system("python3 -c 'import xml.dom.minidom as x; x.parse(\"out.svg\")'"), 0);
	assert_int_equal(run(cmd_convert, "-i names.data -o out.pb.gz"), 0);
	assert_int_equal(run(cmd_diff, "names.data names.data --event faults --flame -o out.svg"), 0);
	assert_has("out.svg", "<b>", false);
	assert_int_equal(system("python3 -c 'import xml.dom.minidom as x; x.parse(\"out.svg\")'"), 0);
	assert_int_equal(run(cmd_diff, "names.data names.data --event faults --json -o out.json"), 0);
	assert_int_equal(system("python3 -m json.tool out.json >tool.json"), 0);
}

static void only_the_same_events_are_compared(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_diff, "kflame.data kflame.data --event page-faults -o out"), 0);
	assert_has("out", "7 page-faults", true);
	assert_int_equal(run(cmd_diff, "clock.data faults.data -o gone"), EXIT_FAILURE);
	assert_has("said", "clock.data has counts of cpu-clock, faults.data of page-faults: name one event that both have, with --event", true);
	assert_int_equal(run(cmd_diff, "kflame.data faults.data --event page-faults -o out"), 0);
	assert_int_equal(run(cmd_diff, "kflame.data clock.data -o out"), 0);
	assert_has("out", "10 samples", true);
	assert_int_equal(access("gone", F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_of_one_event),
		cmocka_unit_test(timer_is_the_default),
		cmocka_unit_test(page_faults_are_counted),
		cmocka_unit_test(page_faults_alone_are_the_default),
		cmocka_unit_test(weights_become_samples),
		cmocka_unit_test(other_names_are_refused),
		cmocka_unit_test(the_list_has_all_names),
		cmocka_unit_test(a_recorder_counts_each_event),
		cmocka_unit_test(bad_events_are_damage),
		cmocka_unit_test(long_names_are_whole),
		cmocka_unit_test(bad_timers_are_damage),
		cmocka_unit_test(a_ninth_event_is_damage),
		cmocka_unit_test(bad_counts_are_damage),
		cmocka_unit_test(counts_before_their_event_are_damage),
		cmocka_unit_test(overflow_is_damage),
		cmocka_unit_test(bad_accounting_is_damage),
		cmocka_unit_test(bad_samples_are_damage),
		cmocka_unit_test(samples_of_an_unnamed_timer_are_there),
		cmocka_unit_test(cut_streams_are_read),
		cmocka_unit_test(samples_follow_their_counts),
		cmocka_unit_test(a_range_of_an_event),
		cmocka_unit_test(a_range_of_bytes),
		cmocka_unit_test(a_range_of_huge_weights),
		cmocka_unit_test(a_range_of_all_events),
		cmocka_unit_test(pictures_over_time_need_durations),
		cmocka_unit_test(accounting_names_what_is_wrong),
		cmocka_unit_test(events_are_merged_by_name),
		cmocka_unit_test(a_timer_alone_is_merged_with_events),
		cmocka_unit_test(an_idle_timer_stays_in_the_sum),
		cmocka_unit_test(sums_too_large_are_refused),
		cmocka_unit_test(missing_accounting_stays_missing),
		cmocka_unit_test(copies_are_counted_by_event),
		cmocka_unit_test(lists_of_events),
		cmocka_unit_test(names_of_kinds),
		cmocka_unit_test(headers_say_what_is_counted),
		cmocka_unit_test(commands_show_one_event),
		cmocka_unit_test(names_are_quoted),
		cmocka_unit_test(only_the_same_events_are_compared),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
