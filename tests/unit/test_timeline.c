// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_timeline.c - samples in order of time: --from and --to, flame charts, heat maps
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/range_options.h"
#include "mkprofile.h"
#include "record/tally.h"
#include "run_command.h"

#define MS	1000000ull
#define CODE	0xffffffff81000000ull

static char dir[] = "/tmp/kflame-timeline-XXXXXX";

/* 20 turns of 50 ms on CPU 0, each of 5 samples: a calls b, c; on CPU 1 another thread, and idle */
#define TURNS	20u
#define TURN	5u
#define STEP	(10 * MS)

enum { AB = 1, AC, OTHER, IDLE, GAP };

static void put_count(struct mk *m, uint64_t id, struct kflame_rec_count c)
{
	c.rec.type = KFLAME_REC_COUNT;
	records_add(&m->r, &c, sizeof(c), &id, sizeof(id));
}

static void put_samples(struct mk *m, uint64_t counts, uint32_t cpu, const struct kflame_sample *s,
			uint32_t nr)
{
	struct kflame_rec_sample rec = {
		.rec.type = KFLAME_REC_SAMPLE, .counts = counts, .cpu = cpu, .nr = nr,
	};

	records_add(&m->r, &rec, sizeof(rec), s, nr * sizeof(*s));
}

static void begin(struct mk *m)
{
	mk_header(m);
	mk_session(m);
	mk_stack(m, 1, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE + 0x104, CODE + 4 }, 2);
	mk_stack(m, 2, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE + 0x204, CODE + 4 }, 2);
	mk_stack(m, 3, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE + 0x304 }, 1);
}

static void finish(struct mk *m, const char *path)
{
	mk_stats(m);
	mk_functions(m, CODE, (const char *const[]){ "a", "b", "c<&\"';>", "other_thread", NULL });
	mk_end(m);
	write_file(path, m->r.data, m->r.len);
	mk_free(m);
}

/* CPU 1: 300 ms of another thread, late now and then; a gap of 200 ms; idle */
static uint32_t second_cpu(struct kflame_sample *s)
{
	uint64_t at = 1005 * MS;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < 20; i++) {
		s[nr++] = (struct kflame_sample){ .time_ns = at, .count = OTHER,
			.weight_ns = i % 5 ? STEP : 3 * STEP, .late_ns = i % 5 ? 0 : 2 * STEP };
		at += s[nr - 1].weight_ns;
	}
	s[nr++] = (struct kflame_sample){ .time_ns = at, .weight_ns = 200 * MS,
		.late_ns = 190 * MS, .count = GAP };
	at += 200 * MS;
	for (uint32_t i = 0; i < 40; i++, at += STEP)
		s[nr++] = (struct kflame_sample){ .time_ns = at, .weight_ns = STEP, .count = IDLE };
	return nr;
}

static void put_turns(struct mk *m, uint64_t counts, uint32_t first, uint32_t nr)
{
	struct kflame_sample s[TURNS * TURN];

	for (uint32_t i = 0; i < nr * TURN; i++)
		s[i] = (struct kflame_sample){
			.time_ns = 1000 * MS + (first * TURN + i) * STEP, .weight_ns = STEP,
			.count = (first + i / TURN) % 2 ? AC : AB,
		};
	put_samples(m, counts, 0, s, nr * TURN);
}

static void put_task(struct mk *m, uint64_t id, uint64_t stack, uint64_t samples)
{
	put_count(m, id, (struct kflame_rec_count){ .kstack = stack, .samples = samples, .tgid = 7,
		  .tid = 8, .weight_ns = samples * STEP, .comm = "worker<&>" });
}

/* Both, of which the second one differs from the first only in where it is */
static void put_tasks_in_short(struct mk *m, uint64_t upper)
{
	static const struct kflame_counted counts[] = {
		{ 5 * TURN * STEP, AB, 0, 5 * TURN, 0 }, { 5 * TURN * STEP, AC, 0, 5 * TURN, 0 },
	};
	struct kflame_rec_counts r = {
		.rec.type = KFLAME_REC_COUNTS, .stacks = upper, .tgid = 7, .tid = 8,
		.comm = "worker<&>", .nr = 2, .first = AB,
	};

	mk_stack(m, upper | AB, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE + 0x104, CODE + 4 }, 2);
	mk_likes(m, upper, &(struct kflame_like){ CODE + 0x204, AC, AB }, 1);
	records_add(&m->r, &r, sizeof(r), counts, sizeof(counts));
}

static int setup(void **state)
{
	struct kflame_sample s[100];
	struct mk m = { 0 };
	uint32_t nr;

	*state = NULL;
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	begin(&m);
	nr = second_cpu(s);
	put_count(&m, 1ull << 32 | OTHER, (struct kflame_rec_count){ .kstack = 3, .samples = 20,
		  .tgid = 7, .tid = 9, .cpu = 1, .weight_ns = 28 * STEP, .late_ns = 8 * STEP,
		  .comm = "helper" });
	put_count(&m, 1ull << 32 | GAP, (struct kflame_rec_count){ .context = KFLAME_CTX_GAP,
		  .cpu = 1, .samples = 1, .weight_ns = 200 * MS, .late_ns = 190 * MS });
	put_count(&m, 1ull << 32 | IDLE, (struct kflame_rec_count){ .context = KFLAME_CTX_IDLE,
		  .cpu = 1, .samples = 40, .weight_ns = 40 * STEP, .comm = "swapper/1" });
	put_samples(&m, 1ull << 32, 1, s, nr);
	/* The same numbers mean something else in a later filling */
	put_task(&m, 2ull << 32 | AB, 1, 5 * TURN);
	put_task(&m, 2ull << 32 | AC, 2, 5 * TURN);
	put_turns(&m, 2ull << 32, 0, 10);
	put_tasks_in_short(&m, 3ull << 32);
	put_turns(&m, 3ull << 32, 10, 10);
	finish(&m, "kflame.data");
	return 0;
}

static int teardown(void **state)
{
	static const char *const files[] = { "kflame.data", "out", "all", "said", "other.data",
		"flame.svg", "again.svg", "out.perf", "out.firefox.json", "out.speedscope.json", "out.chrome.json",
		"out.folded", "want.folded" };

	*state = NULL;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(files[i]);
	return chdir("/") || rmdir(dir);
}

static void whole_range_is_everything(void **state)
{
	static const char *const ranges[] = { "--from 0", "--to 100%", "--from 0% --to 1h",
		"--from=0.000 --to 1000ms" };
	char line[100];
	char *all;

	(void)state;
	for (int time = 0; time < 2; time++) {
		assert_int_equal(run(cmd_fold, time ? "--time -o all" : "-o all"), 0);
		all = golden_read("all");
		for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
			snprintf(line, sizeof(line), "%s -o out %s", time ? "--time" : "", ranges[i]);
			assert_int_equal(run(cmd_fold, line), 0);
			assert_out("out", all);
		}
		free(all);
	}
}

static void a_range_is_what_was_then(void **state)
{
	(void)state;
	/* The first turn; CPU 1 is 5 ms behind */
	assert_int_equal(run(cmd_fold, "--to 50ms -o out"), 0);
	assert_out("out", "helper;other_thread 3\nworker<&>;a;b 5\n");
	assert_int_equal(run(cmd_fold, "--time --to 50ms -o out"), 0);
	assert_out("out", "helper;other_thread 30000000\n"
		   "helper;other_thread;[late: irqs off or stolen] 20000000\nworker<&>;a;b 50000000\n");
	assert_int_equal(run(cmd_fold, "--from 0.95 --to 0.999 -o out"), 0);
	assert_out("out", "worker<&>;a;c<&\"':> 5\n");
	assert_int_equal(run(cmd_fold, "--from 75% --to 80% -o out"), 0);
	assert_out("out", "swapper;[idle] 5\nworker<&>;a;c<&\"':> 5\n");
	/* Beyond the end, and from behind to before */
	assert_int_equal(run(cmd_fold, "--from 1m -o out"), 1);
	assert_has("said", "look at --from and --to", true);
	assert_int_equal(run(cmd_fold, "--from 0.5 --to 0.4 -o out"), 1);
	assert_has("said", "look at --from and --to", true);
}

static void every_view_takes_it(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--to 50ms -o out"), 0);
	assert_has("out", "other_thread", true);
	assert_has("out", "c<&", false);
	assert_int_equal(run(cmd_report, "--by cpu --to 50ms -o out"), 0);
	assert_has("out", "No table by cpu: it is of the whole recording", true);
	assert_int_equal(run(cmd_report, "--json --from 10ms --to 50ms -o out"), 0);
	assert_has("out", "\"from_ns\":10000000,\"to_ns\":50000000", true);
	assert_int_equal(run(cmd_flame, "--chart --include other_thread"), 0);
	assert_has("flame.svg", "; filtered (--include", true);
	assert_int_equal(run(cmd_flame, "--to 50ms"), 0);
	assert_has("flame.svg", "; filtered (--include", false);
	assert_has("flame.svg", "from 0.0 s to 0.1 s", true);
	assert_has("flame.svg", "data-whole=\"8\"", true);
	assert_int_equal(run(cmd_convert, "--to collapsed --from 0 --to 50ms -o out"), 0);
	assert_out("out", "helper;other_thread 3\nworker<&>;a;b 5\n");
	assert_int_equal(run(cmd_diff, "--to 50ms kflame.data kflame.data -o out"), 0);
	assert_has("out", "other_thread", true);
	assert_has("out", "c<&", false);
}

static void without_times_it_is_an_error(void **state)
{
	struct mk m = { 0 };

	(void)state;
	begin(&m);
	mk_count(&m, 0, 1, 0, 10, 10 * STEP);
	finish(&m, "other.data");
	assert_int_equal(run(cmd_fold, "-i other.data --from 0 -o out"), 1);
	assert_has("said", "record with --timeline", true);
	assert_int_equal(run(cmd_fold, "-i other.data -o out"), 0);
	/* Three more than are in order */
	begin(&m);
	put_task(&m, 1ull << 32 | AB, 1, 8);
	put_samples(&m, 1ull << 32, 0, (struct kflame_sample[]){ { 1000 * MS, STEP, 0, AB, 0 },
		    { 1010 * MS, STEP, 0, AB, 0 } }, 2);
	finish(&m, "other.data");
	assert_int_equal(run(cmd_fold, "-i other.data --from 0 -o out"), 0);
	assert_has("said", "6 samples have no time, and are left out", true);
	assert_out("out", "worker<&>;a;b 2\n");
}

/* What the picture shows, in a line each: class, name, lane or depth, from and length in ms */
static char *boxes_of(const char *path)
{
	char *svg = golden_read(path), *text, *at;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(svg);
	assert_non_null(out);
	for (at = strstr(svg, "<g class="); at; at = strstr(at + 1, "<g class=")) {
		unsigned long long x, w;
		char class, name[100];
		const char *title = strstr(at, "<title>"), *rect = strstr(at, " y=\"");

		assert_int_equal(sscanf(at, "<g class=\"%c\" data-x=\"%llu\" data-w=\"%llu\"", &class,
					&x, &w), 3);
		assert_int_equal(sscanf(title, "<title>%99[^\n]", name), 1);
		fprintf(out, "%u %c %s %llu+%llu\n", ((unsigned int)atoi(rect + 4) - 106) / 18, class,
			name, x / MS, w / MS);
	}
	fclose(out);
	free(svg);
	return text;
}

static void chart_shows_what_ran_when(void **state)
{
	char *boxes, *first, *again;

	(void)state;
	assert_int_equal(run(cmd_flame, "--chart --from 0 --to 200ms"), 0);
	boxes = boxes_of("flame.svg");
	assert_string_equal(boxes,
		"0 n all 0+200\n"
		"1 r worker&lt;&amp;&gt;, thread 8 of 7 0+200\n"
		"2 t worker&lt;&amp;&gt; 0+200\n3 k a 0+200\n4 k b 0+50\n4 k c&lt;&amp;&quot;&#39;;&gt; 50+50\n"
		"4 k b 100+50\n4 k c&lt;&amp;&quot;&#39;;&gt; 150+50\n"
		"5 r helper, thread 9 of 7 0+200\n"
		"6 t helper 5+195\n7 k other_thread 5+195\n8 l [late: irqs off or stolen] 5+20\n"
		"8 l [late: irqs off or stolen] 75+20\n8 l [late: irqs off or stolen] 145+20\n");
	free(boxes);
	assert_int_equal(run(cmd_flame, "--chart --root cpu --idle --exclude ^a$"), 0);
	boxes = boxes_of("flame.svg");
	assert_string_equal(boxes,
		"0 n all 0+1000\n1 r CPU 1 0+1000\n2 t helper 5+280\n3 k other_thread 5+280\n"
		"4 l [late: irqs off or stolen] 5+20\n4 l [late: irqs off or stolen] 75+20\n"
		"4 l [late: irqs off or stolen] 145+20\n4 l [late: irqs off or stolen] 215+20\n"
		"2 l [gap] 285+200\n2 t swapper 485+400\n3 n [idle] 485+400\n");
	free(boxes);
	first = golden_read("flame.svg");
	assert_int_equal(run(cmd_flame, "--chart --root=cpu --idle --exclude ^a$ -o again.svg"), 0);
	again = golden_read("again.svg");
	assert_string_equal(first, again);
	free(first);
	free(again);
}

static void check_picture(const char *arguments, const char *name)
{
	char *svg;

	assert_int_equal(run(cmd_flame, arguments), 0);
	svg = golden_read("flame.svg");
	cut_assets(svg);
	golden_check(name, svg);
	free(svg);
}

static void pictures_are_as_they_were(void **state)
{
	(void)state;
	check_picture("--chart --from 0 --to 300ms", "chart.svg");
	check_picture("--chart --root cpu --idle", "chart-cpu.svg");
	check_picture("--heatmap", "heatmap.svg");
}

/* Cells weigh what was then, to the nanosecond: all of them what the profile weighs */
static void heatmap_shows_when_how_much_ran(void **state)
{
	double sum = 0;
	char *svg;

	(void)state;
	assert_int_equal(run(cmd_flame, "--heatmap -i kflame.data"), 0);
	svg = golden_read("flame.svg");
	for (char *at = svg; (at = strstr(at, " ms of CPU time, ")); at++) {
		char *begin = at;

		while (begin[-1] != '\n')
			begin--;
		sum += atof(begin);
	}
	/* 1,000 ms of the worker, 280 of the helper; neither idle nor the gap */
	assert_int_equal(sum + 0.5, 1280);
	assert_non_null(strstr(svg, "data-command=\"kflame flame -i &#39;kflame.data&#39;\""));
	free(svg);
	assert_int_equal(run(cmd_flame, "--heatmap --include other_thread"), 0);
	assert_has("flame.svg", "class=\"h9\" data-cell=\"2\"", true);
	assert_has("flame.svg", "class=\"h0\" data-cell=\"20\"", true);
	assert_int_equal(run(cmd_flame, "--heatmap --include nothing_has_this_name -o none.svg"), 1);
	assert_has("said", "no stack is left to draw", true);
	assert_int_equal(run(cmd_flame, "--chart --include nothing_has_this_name -o none.svg"), 1);
	assert_has("said", "no stack is left to draw", true);
	assert_int_equal(access("none.svg", F_OK), -1);
	assert_int_equal(run(cmd_flame, "--heatmap --from 500ms --to 600ms"), 0);
	assert_has("flame.svg", "class=\"h0\" data-cell=\"24\"", true);
	assert_has("flame.svg", "class=\"h9\" data-cell=\"25\"", true);
	assert_has("flame.svg", "class=\"h9\" data-cell=\"29\"", true);
	assert_has("flame.svg", "data-cell=\"30\"", false);
}

static void chart_leaves_out_what_is_short_and_says_so(void **state)
{
	char *boxes;

	(void)state;
	/* 1,168 px for a second: 50 ms are 58.4 */
	assert_int_equal(run(cmd_flame, "--chart --min-width 60"), 0);
	boxes = boxes_of("flame.svg");
	assert_null(strstr(boxes, "k b "));
	assert_non_null(strstr(boxes, "k a 0+1000"));
	free(boxes);
	assert_has("flame.svg", ">24 frames narrower than 60.0 px are not drawn", true);
}

/*
 * A process that ran for 10 ms, one with two threads of 20 each, the first of which was a shell before,
 * one of 30, and idle for 50
 */
static void busiest_process_comes_first(void **state)
{
	static const struct { uint32_t tgid, tid, steps; const char *comm; } ran[] = {
		{ 3, 3, 1, "little" }, { 5, 6, 2, "most" }, { 5, 5, 1, "sh" }, { 5, 5, 1, "most" },
		{ 4, 4, 3, "more" },
		{ 0, 0, 5, "swapper" },
	};
	const size_t nr = sizeof(ran) / sizeof(ran[0]);
	struct mk m = { 0 };
	char *boxes, *lanes;

	(void)state;
	begin(&m);
	for (uint32_t i = 0, at = 0; i < nr; at += ran[i].steps, i++) {
		struct kflame_rec_count c = { .kstack = 3, .samples = 1, .tgid = ran[i].tgid,
			.tid = ran[i].tid, .weight_ns = ran[i].steps * STEP,
			.context = ran[i].tgid ? KFLAME_CTX_TASK : KFLAME_CTX_IDLE };
		struct kflame_sample s = { 1000 * MS + at * STEP, c.weight_ns, 0, 1, 0 };

		memcpy(c.comm, ran[i].comm, strlen(ran[i].comm));
		put_count(&m, (i + 1ull) << 32 | 1, c);
		put_samples(&m, (i + 1ull) << 32, 0, &s, 1);
	}
	finish(&m, "other.data");
	assert_int_equal(run(cmd_flame, "--chart --idle -i other.data"), 0);
	boxes = boxes_of("flame.svg");
	lanes = calloc(1, strlen(boxes) + 1);
	for (char *save, *l = strtok_r(boxes, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		if (strstr(l, " r "))
			strcat(strcat(lanes, strstr(l, " r ") + 3), "\n");
	assert_string_equal(lanes, "most, process 5 0+1000\nmost, thread 6 of 5 0+1000\n"
			    "more, process 4 0+1000\nlittle, process 3 0+1000\nCPU 0 0+1000\n");
	free(lanes);
	free(boxes);
}

/* More frames than a browser opens at once: the note names the limit */
static void charts_have_a_budget(void **state)
{
	enum { NR = 8000 };
	struct kflame_sample *s = calloc(NR, sizeof(*s));
	struct mk m = { 0 };

	(void)state;
	assert_non_null(s);
	begin(&m);
	for (uint32_t i = 0; i < NR; i++)
		s[i] = (struct kflame_sample){ .time_ns = 1000 * MS + i * (MS / 8), .weight_ns = MS / 8,
			.count = i % 2 ? AC : AB };
	for (uint64_t i = AB; i <= AC; i++)
		put_count(&m, 1ull << 32 | i, (struct kflame_rec_count){ .kstack = i, .samples = NR / 2, .tgid = 7,
			  .tid = 8, .weight_ns = NR / 2 * (MS / 8), .comm = "worker" });
	put_samples(&m, 1ull << 32, 0, s, NR);
	free(s);
	finish(&m, "other.data");
	assert_int_equal(run(cmd_flame, "--chart -i other.data"), 0);
	assert_has("flame.svg", ">8,000 frames narrower than 0.16 px are not drawn (the limit is 5,000 frames; "
		   "--min-width draws more)", true);
	assert_has("flame.svg", ">kernel 100.0%<", true);
	assert_int_equal(run(cmd_flame, "--chart -i other.data --min-width 0.1"), 0);
	assert_has("flame.svg", "not drawn", false);
}

/* The text of perf script has the times and CPUs of all samples, in order, and the same sums */
static void perf_script_has_times(void **state)
{
	static const char *const units[] = { "--samples", "--time" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char line[128], *text, *want;
		double last = 0;
		size_t nr = 0;

		snprintf(line, sizeof(line), "-o out.perf %s", units[i]);
		assert_int_equal(run(cmd_convert, line), 0);
		text = golden_read("out.perf");
		for (const char *at = text; (at = strstr(at, " [00")); at++, nr++) {
			assert_true(strtod(at + 6, NULL) >= last);
			last = strtod(at + 6, NULL);
		}
		/* Each fifth sample of the other thread has late time, too */
		assert_int_equal(nr, TURNS * TURN + 20 + 1 + 40 + (i ? 4 : 0));
		assert_non_null(strstr(text, "worker<&>       7/8       [000] 1.050000000: "));
		assert_non_null(strstr(text, " [001] 1.005000000: "));
		free(text);
		snprintf(line, sizeof(line), "-i out.perf -o out.folded %s", units[i]);
		assert_int_equal(run(cmd_convert, line), 0);
		snprintf(line, sizeof(line), "-o want.folded %s", units[i]);
		assert_int_equal(run(cmd_fold, line), 0);
		text = golden_read("out.folded");
		want = golden_read("want.folded");
		assert_string_equal(text, want);
		free(text);
		free(want);
	}
}

static void chart_needs_times(void **state)
{
	struct mk m = { 0 };

	(void)state;
	begin(&m);
	mk_count(&m, 0, 1, 0, 10, 10 * STEP);
	finish(&m, "other.data");
	assert_int_equal(run(cmd_flame, "--chart -i other.data -o out"), 1);
	assert_has("said", "record with --timeline", true);
	assert_int_equal(run(cmd_flame, "--chart --from 2 -o out"), 1);
	assert_has("said", "look at --from and --to", true);
}

/* Each is refused as a whole */
static void nonsense_is_damage(void **state)
{
	struct mk m = { 0 };

	(void)state;
	begin(&m);
	put_task(&m, 1ull << 32 | AB, 1, 2);
	put_samples(&m, 1ull << 32, 0, (struct kflame_sample[]){ { 1000 * MS, STEP, 0, AB, 0 },
		    { 1010 * MS, STEP, 0, AC, 0 } }, 2);
	put_samples(&m, 2ull << 32, 0, (struct kflame_sample[]){ { 1000 * MS, STEP, 0, AB, 0 } }, 1);
	put_samples(&m, 1ull << 32, 0,
		    (struct kflame_sample[]){ { 1000 * MS, STEP, STEP + 1, AB, 0 } }, 1);
	put_samples(&m, 1ull << 32, 0,
		    (struct kflame_sample[]){ { UINT64_MAX, STEP, 0, AB, 0 } }, 1);
	put_samples(&m, 1ull << 32, 0,
		    (struct kflame_sample[]){ { 1ull << 63, STEP, 0, AB, 0 } }, 1);
	put_samples(&m, 1ull << 32, 0, NULL, 0);
	put_samples(&m, 1ull << 32, 0, (struct kflame_sample[]){ { 1000 * MS, STEP, 0, AB, 0 } }, 1);
	finish(&m, "other.data");
	assert_int_equal(run(cmd_fold, "-i other.data --from 0 -o out"), 1);
	assert_has("said", "6 records made no sense", true);
	assert_out("out", "worker<&>;a;b 1\n");
}

static void bounds_are_times_or_shares(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
		bool share;
	} good[] = {
		{ "0", 0, false }, { "12.5", 12500 * MS, false }, { "12.5s", 12500 * MS, false },
		{ "300ms", 300 * MS, false }, { "1.5m", 90000 * MS, false },
		{ "2h", 7200000 * MS, false }, { "50%", 500000, true }, { "0.5%", 5000, true },
		{ "100%", PROFILE_SHARE_ALL, true }, { "1.123456789123", 1123456789, false },
		{ "10us", 10000, false },
	};
	static const char *const bad[] = { "", "-1", "x", "1x", "1.5.5", "101%", " 1", "1 s",
		".5", "99999999999999999999", "4000000000", "1e3", "2%%" };
	struct profile_bound b;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(range_bound_parse(good[i].text, &b));
		assert_true(b.is_set);
		assert_int_equal(b.ns, good[i].ns);
		assert_int_equal(b.is_share, good[i].share);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(range_bound_parse(bad[i], &b));
}

static void add_copied(struct tally *t, uint32_t cpu, uint64_t time_ns, uint64_t ip)
{
	const struct tally_count c = { .rec = {
		.samples = 1, .weight_ns = STEP, .cpu = cpu, .tgid = 7, .tid = 9, .comm = "copied",
	} };
	const struct tally_frames kernel = { .nr = 1, .ip = &ip }, none = { 0 };

	assert_int_equal(tally_add(t, &c, time_ns, &kernel, &none), 0);
}

/* The recorder writes its own whenever it has many: also between a table's counts and their samples */
static void copied_stacks_have_their_times(void **state)
{
	const struct kflame_sample s[] = {
		{ .time_ns = 1000 * MS, .weight_ns = STEP, .count = OTHER },
		{ .time_ns = 1000 * MS + 3 * STEP, .weight_ns = STEP, .count = OTHER },
	};
	struct tally copies = { 0 };
	struct mk m = { 0 };
	(void)state;

	begin(&m);
	put_count(&m, 1ull << 32 | OTHER, (struct kflame_rec_count){ .kstack = 3, .samples = 2,
		  .tgid = 7, .tid = 9, .weight_ns = 2 * STEP, .comm = "helper" });
	add_copied(&copies, 0, 1000 * MS + 2 * STEP, CODE + 4);
	add_copied(&copies, 1, 1000 * MS + 9 * STEP, CODE + 4);
	add_copied(&copies, 0, 1000 * MS + STEP, CODE + 0x104);
	tally_tell(&copies, &m.r);
	put_samples(&m, 1ull << 32, 0, s, 2);
	/* The same numbers again, in another telling */
	add_copied(&copies, 1, 1000 * MS + 8 * STEP, CODE + 0x204);
	tally_tell(&copies, &m.r);
	tally_exit(&copies);
	finish(&m, "other.data");
	assert_int_equal(run(cmd_fold, "-i other.data --from 0 --to 100% -o out"), 0);
	assert_out("out", "copied;a 2\ncopied;b 1\ncopied;c<&\"':> 1\nhelper;other_thread 2\n");
	assert_has("said", "left out", false);
	assert_int_equal(run(cmd_fold, "-i other.data --from 15ms --to 25ms -o out"), 0);
	assert_out("out", "copied;a 1\n");
	assert_int_equal(run(cmd_fold, "-i other.data --from 75ms --to 85ms -o out"), 0);
	assert_out("out", "copied;c<&\"':> 1\n");
}

/* Compare a converted profile with the folded stacks of the same one */
static void assert_sums_of(const char *format, const char *unit)
{
	char line[256];

	snprintf(line, sizeof(line), "-o want.folded %s", unit);
	assert_int_equal(run(cmd_fold, line), 0);
	snprintf(line, sizeof(line), "python3 %s/refold.py %s out.%s.json want.folded", TEST_DIR, format, format);
	assert_int_equal(system(line), 0);
}

/* The same of the Firefox Profiler's format: refold.py checks that times rise, and the sums */
static void firefox_has_times(void **state)
{
	static const char *const units[] = { "--samples", "--time" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char line[256], *text, *times;
		size_t nr = 1;

		snprintf(line, sizeof(line), "-o out.firefox.json %s", units[i]);
		assert_int_equal(run(cmd_convert, line), 0);
		text = golden_read("out.firefox.json");
		times = strstr(text, "\"time\":[");
		assert_non_null(times);
		*strchr(times, ']') = 0;
		for (const char *at = times; (at = strchr(at, ',')); at++)
			nr++;
		assert_int_equal(nr, TURNS * TURN + 20 + 1 + 40 + (i ? 4 : 0));
		assert_non_null(strstr(times, ",50.000000,"));
		free(text);
		assert_sums_of("firefox", units[i]);
	}
}

/* speedscope has no times, but an order: a stack that ran, and ran again after another one, is there twice */
static void speedscope_has_the_order_of_times(void **state)
{
	char *text, *samples, *end;
	size_t nr = 0;

	(void)state;
	assert_int_equal(run(cmd_convert, "-o out.speedscope.json --samples"), 0);
	text = golden_read("out.speedscope.json");
	samples = strstr(text, "\"samples\":[");
	assert_non_null(samples);
	end = strstr(samples, "\"weights\"");
	assert_non_null(end);
	for (const char *at = samples; (at = strstr(at, "\n[")) && at < end; at++)
		nr++;
	assert_in_range(nr, 2 * TURNS, TURNS * TURN + 20 + 1 + 40);
	free(text);
	assert_sums_of("speedscope", "--samples");
}

/* Chrome's events are the boxes of the chart: threads have tracks, and what each ran is there when it ran */
static void chrome_has_times(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_convert, "-o out.chrome.json"), 0);
	assert_has("out.chrome.json", "\"name\":\"thread_name\"", true);
	assert_has("out.chrome.json", "\"unit\":\"moments\"", true);
	assert_sums_of("chrome", "--time");
	assert_int_equal(run(cmd_convert, "-o out.chrome.json --no-idle"), 0);
	assert_has("out.chrome.json", "[idle]", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_range_is_everything),
		cmocka_unit_test(a_range_is_what_was_then),
		cmocka_unit_test(every_view_takes_it),
		cmocka_unit_test(without_times_it_is_an_error),
		cmocka_unit_test(nonsense_is_damage),
		cmocka_unit_test(chart_shows_what_ran_when),
		cmocka_unit_test(pictures_are_as_they_were),
		cmocka_unit_test(heatmap_shows_when_how_much_ran),
		cmocka_unit_test(chart_leaves_out_what_is_short_and_says_so),
		cmocka_unit_test(busiest_process_comes_first),
		cmocka_unit_test(charts_have_a_budget),
		cmocka_unit_test(perf_script_has_times),
		cmocka_unit_test(firefox_has_times),
		cmocka_unit_test(speedscope_has_the_order_of_times),
		cmocka_unit_test(chrome_has_times),
		cmocka_unit_test(chart_needs_times),
		cmocka_unit_test(bounds_are_times_or_shares),
		cmocka_unit_test(copied_stacks_have_their_times),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
