// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_histogram.c - histograms of weights: buckets, records, percentiles, report and merge
 *
 * The module's own arithmetic is in kmod/source/weights.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linux/compiler.h"

#include "../../kmod/source/weights.h"
#include "mkwaits.h"
#include "profile/histogram.h"
#include "stacks/open.h"

#define ID	MKWAITS_ID

static void buckets_agree_with_the_module(void **state)
{
	(void)state;
	assert_int_equal(histogram_first(0), 0);
	assert_int_equal(histogram_last(KFLAME_BUCKETS - 1), UINT64_MAX);
	assert_int_equal(kf_weight_bucket(UINT64_MAX), KFLAME_BUCKETS - 1);
	for (uint32_t b = 0; b < KFLAME_BUCKETS; b++) {
		const uint64_t first = histogram_first(b), last = histogram_last(b);

		assert_int_equal(kf_weight_bucket(first), b);
		assert_int_equal(kf_weight_bucket(last), b);
		assert_int_equal(kf_weight_bucket(first + (last - first) / 2), b);
		assert_true(last >= first && (b < 16 ? last == first : (last - first) / 8 < first));
		if (b)
			assert_int_equal(first, histogram_last(b - 1) + 1);
	}
}

static void waits_for_a_cpu_are_a_group(void **state)
{
	struct kf_weights groups[KFLAME_NR_GROUPS] = { 0 };

	(void)state;
	kf_weights_add(groups, KFLAME_CTX_RUNNABLE, 5);
	kf_weights_add(groups, KFLAME_CTX_PREEMPTED | KFLAME_CTX_STILL, 9);
	kf_weights_add(groups, KFLAME_CTX_IOWAIT | KFLAME_CTX_STILL, 7);
	kf_weights_add(groups, KFLAME_CTX_TASK, 7);
	assert_int_equal(groups[KFLAME_GROUP_CPU].sum, 14);
	assert_int_equal(groups[KFLAME_GROUP_CPU].longest, 9);
	assert_int_equal(groups[KFLAME_GROUP_CPU].count[5], 1);
	assert_int_equal(groups[KFLAME_GROUP_EVENT].sum, 14);
	assert_int_equal(groups[KFLAME_GROUP_EVENT].count[7], 2);
}

/* struct part - so many samples of one weight */
struct part {
	uint64_t ns, count;
};

/* @part: in rising order of ns, each in another bucket */
static void put(struct mk *m, uint32_t group, uint32_t cpu, const struct part *part, uint32_t nr)
{
	struct kflame_rec_event_histogram rec = {
		.rec.type = KFLAME_REC_EVENT_HISTOGRAM, .event = ID, .group = group, .cpu = cpu, .nr = nr,
	};
	struct kflame_bucket bucket[8];

	for (uint32_t i = 0; i < nr; i++) {
		bucket[i] = (struct kflame_bucket){ .count = part[i].count, .bucket = kf_weight_bucket(part[i].ns) };
		rec.weight += part[i].ns * part[i].count;
		rec.longest = part[i].ns;
	}
	records_add(&m->r, &rec, sizeof(rec), bucket, nr * sizeof(*bucket));
}

static const struct part sleeps[] = { { MS, 90 }, { 100 * MS, 10 } };
static const struct part cpus[] = { { 3, 4 }, { 2000, 1 } };

static void begin(struct mk *m)
{
	*m = (struct mk){ 0 };
	mkwaits_begin(m, MKWAITS_TIMER | MKWAITS_WAITS);
	mk_stack(m, 1, KFLAME_STACK_KERNEL, (uint64_t[]){ mkwaits_code(0) }, 1);
	mkwaits_put(m, (const struct mkwaits[]){
		{ .waits = true, .context = KFLAME_CTX_INTERRUPTIBLE, .tid = 7, .ns = MS, .samples = 90, .time = 1000 },
		{ .context = KFLAME_CTX_TASK, .tid = 7, .ns = MS, .samples = 3, .time = 1000 },
	}, 2, false);
}

static void end(struct mk *m, const char *path)
{
	mkwaits_end(m, path, (const char *[]){ "sleeps" }, 1);
}

static int setup(void **state)
{
	struct mk m;

	(void)state;
	enter_scratch();
	begin(&m);
	/* An earlier one of the same CPU does not count. */
	put(&m, KFLAME_GROUP_EVENT, 1, cpus, 2);
	put(&m, KFLAME_GROUP_EVENT, 3, &sleeps[1], 1);
	put(&m, KFLAME_GROUP_CPU, 1, cpus, 2);
	put(&m, KFLAME_GROUP_EVENT, 1, &sleeps[0], 1);
	end(&m, "kflame.data");
	begin(&m);
	end(&m, "old.data");
	return 0;
}

static void percentiles_are_in_the_right_bucket(void **state)
{
	static const struct naming every = { .every_event = true };
	struct profile *p = open_profile("kflame.data", &every);
	struct histogram h = { 0 };

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->damaged, 0);
	histogram_add(&h, profile_find_event(p, ID), KFLAME_GROUP_EVENT);
	assert_int_equal(h.samples, 100);
	assert_int_equal(h.weight, 90 * MS + 1000 * MS);
	assert_int_equal(h.longest, 100 * MS);
	assert_int_equal(kf_weight_bucket(histogram_percentile(&h, 50)), kf_weight_bucket(MS));
	assert_int_equal(kf_weight_bucket(histogram_percentile(&h, 90)), kf_weight_bucket(MS));
	assert_int_equal(kf_weight_bucket(histogram_percentile(&h, 91)), kf_weight_bucket(100 * MS));
	assert_int_equal(kf_weight_bucket(histogram_percentile(&h, 99)), kf_weight_bucket(100 * MS));
	assert_true(histogram_percentile(&h, 99) <= h.longest);
	profile_destroy(p);
}

static void report_has_a_table(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "-o out"), 0);
	assert_has("out", "\nEvents in the whole recording; p50 and p99 are exact to within 6.25%\n"
		   "       Hits            Total           Mean            p50            p99        Longest  Event\n"
		   "        100     1,090.000 ms        10.9 ms        1.02 ms        96.1 ms         100 ms  off-cpu, waits for an event\n"
		   "          5         0.002 ms         402 ns           3 ns        1.96 us        2.00 us  off-cpu, waits for a CPU\n",
		   true);
	assert_int_equal(run(cmd_report, "--json -o out"), 0);
	assert_has("out", "\"lengths\": [", true);
	assert_int_equal(system("python3 -c 'import json; a, b = json.load(open(\"out\"))[\"lengths\"]; "
				"assert a[\"hits\"] == 100 and a[\"longest_ns\"] == 100000000 and b[\"hits\"] == 5; "
				"assert sum(x[\"count\"] for x in a[\"buckets\"]) == 100'"), 0);
	assert_int_equal(run(cmd_report, "--exclude sleeps -o out"), 0);
	assert_has("out", "Lengths in", false);
}

static void histograms_are_drawn(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--histogram --event off-cpu -o out"), 0);
	assert_has("out", "\noff-cpu, waits for an event: 100\n"
		   "[524 us, 1.05 ms)              90 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		   "[1.05 ms, 2.10 ms)              0 |                                                    |\n", true);
	assert_has("out", "[67.1 ms, 134 ms)              10 |@@@@@@                                              |\n"
		   "\noff-cpu, waits for a CPU: 5\n"
		   "[2 ns, 4 ns)                    4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n", true);
	assert_int_equal(run(cmd_report, "--histogram --event cpu-clock -o out"), 0);
	assert_has("out", "cpu-clock has no histogram: only waits (record --off-cpu) and what --weight weighs have one.", true);
	assert_has("out", "|@", false);
	assert_int_equal(run(cmd_report, "--histogram -o out"), 0);
	assert_has("out", "off-cpu, waits for a CPU: 5\n", true);
	assert_has("out", "has no histogram", false);
	assert_refused(cmd_report, "--histogram --from 1s", "--histogram is of the whole recording");
}

static void older_profiles_say_so(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "-i old.data --histogram --event off-cpu -o out"), 0);
	assert_has("out", "off-cpu has no histogram: the profile was recorded by a kflame that is older than histograms, or was cut short.", true);
	assert_has("out", "Lengths in", false);
	assert_int_equal(run(cmd_report, "-i old.data --json -o out"), 0);
	assert_has("out", "\"lengths\"", false);
}

static void merging_adds_up(void **state)
{
	static const struct naming every = { .every_event = true };
	struct histogram h = { 0 };
	struct profile *p;

	(void)state;
	assert_int_equal(run(cmd_merge, "kflame.data old.data kflame.data -o sum"), 0);
	p = open_profile("sum", &every);
	assert_non_null(p);
	assert_int_equal(p->damaged, 0);
	histogram_add(&h, profile_find_event(p, 1), KFLAME_GROUP_EVENT);
	assert_int_equal(h.samples, 200);
	assert_int_equal(h.weight, 2 * 1090 * MS);
	assert_int_equal(h.longest, 100 * MS);
	assert_int_equal(h.count[kf_weight_bucket(MS)], 180);
	profile_destroy(p);
}

static void bad_histograms_are_damage(void **state)
{
	static const struct naming every = { .every_event = true };
	struct kflame_rec_event_histogram *rec;

	(void)state;
	for (int bad = 0; bad < 9; bad++) {
		struct kflame_bucket *bucket;
		struct profile *p;
		struct mk m;

		begin(&m);
		put(&m, KFLAME_GROUP_EVENT, 1, sleeps, 2);
		rec = (void *)(m.r.data + m.r.len - sizeof(*rec) - 2 * sizeof(*bucket));
		bucket = rec->bucket;
		switch (bad) {
		case 0: rec->event = 0; break;
		case 1: rec->event = 5; break;
		case 2: rec->group = KFLAME_NR_GROUPS; break;
		case 3: rec->nr = 0; break;
		case 4: rec->nr = 3; break;
		case 5: bucket[1].bucket = KFLAME_BUCKETS; break;
		case 6: bucket[1].bucket = bucket[0].bucket; break;
		case 7: bucket[0].count = 0; break;
		case 8: bucket[0].pad = 1; break;
		}
		end(&m, "bad.data");
		p = open_profile("bad.data", &every);
		assert_non_null(p);
		assert_int_equal(p->damaged, 1);
		assert_false(histogram_is_there(profile_find_event(p, ID)));
		profile_destroy(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_agree_with_the_module),
		cmocka_unit_test(waits_for_a_cpu_are_a_group),
		cmocka_unit_test(percentiles_are_in_the_right_bucket),
		cmocka_unit_test(report_has_a_table),
		cmocka_unit_test(histograms_are_drawn),
		cmocka_unit_test(older_profiles_say_so),
		cmocka_unit_test(merging_adds_up),
		cmocka_unit_test(bad_histograms_are_damage),
	};

	return cmocka_run_group_tests_name("histogram", tests, setup, leave_scratch);
}
