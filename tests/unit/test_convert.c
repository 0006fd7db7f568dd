// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_convert.c - kflame convert: every format holds the stacks and sums of kflame fold
 *
 * JSON is read back by refold.py, pprof by protobuf-c.
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

#include <zlib.h>

#include "cmd/commands.h"
#include "golden.h"
#include "hostile.h"
#include "pprof.pb-c.h"
#include "run_command.h"
#include "stacks/folded.h"

static char dir[] = "/tmp/kflame-convert-XXXXXX";

static int setup(void **state)
{
	struct mk m = { 0 };

	*state = NULL;
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	hostile_make(&m);
	write_file("kflame.data", m.r.data, m.r.len);
	mk_free(&m);
	return 0;
}

static int teardown(void **state)
{
	char line[64];

	*state = NULL;
	snprintf(line, sizeof(line), "rm -rf %s", dir);
	return chdir("/") || system(line);
}

/* Compares a file with folded stacks */
static void assert_same(const char *format, const char *path, const char *folded)
{
	char line[512];

	snprintf(line, sizeof(line), "python3 %s/refold.py %s %s %s >differs 2>&1", TEST_DIR, format,
		 path, folded);
	if (system(line)) {
		char *text = golden_read("differs");

		fail_msg("%s: %.1000s", path, text);
	}
}

static const char *const units[] = { "--samples", "--time", "--time --no-idle" };

/* A new format goes here, and refold.py learns to read it. */
static const char *const formats[] = { "speedscope", "chrome", "firefox", "collapsed" };
static const size_t nr_formats = sizeof(formats) / sizeof(formats[0]);

static void json_holds_every_stack(void **state)
{
	char line[128];

	(void)state;
	for (size_t u = 0; u < 3; u++) {
		snprintf(line, sizeof(line), "-o want.folded %s", units[u]);
		assert_int_equal(run(cmd_fold, line), 0);
		for (size_t i = 0; i < nr_formats; i++) {
			snprintf(line, sizeof(line), "--to %s -o out.%s %s", formats[i], formats[i],
				 units[u]);
			assert_int_equal(run(cmd_convert, line), 0);
			snprintf(line, sizeof(line), "out.%s", formats[i]);
			assert_same(formats[i], line, "want.folded");
		}
	}
}

/* ----------------------------------------------------------------- pprof */

static Pprof__Profile *read_pprof(const char *path)
{
	size_t cap = 16 << 20;
	uint8_t *bytes = malloc(cap);
	gzFile in = gzopen(path, "r");
	Pprof__Profile *p;
	int len;

	assert_non_null(in);
	len = gzread(in, bytes, (unsigned int)cap);
	assert_true(len > 0 && gzeof(in));
	assert_int_equal(gzclose(in), Z_OK);
	p = pprof__profile__unpack(NULL, (size_t)len, bytes);
	assert_non_null(p);
	free(bytes);
	return p;
}

static const char *text_of(const Pprof__Profile *p, int64_t i)
{
	assert_true(i >= 0 && (size_t)i < p->n_string_table);
	return p->string_table[i];
}

static const char *label_of(const Pprof__Profile *p, const Pprof__Sample *s, const char *key)
{
	for (size_t i = 0; i < s->n_label; i++)
		if (!strcmp(text_of(p, s->label[i]->key), key))
			return text_of(p, s->label[i]->str);
	return NULL;
}

/* Numbers are from 1, in the order of the file */
#define ENTRY(p, table, number) ({				\
	uint64_t number_ = (number);				\
	assert_true(number_ >= 1 && number_ <= (p)->n_##table);	\
	assert_int_equal((p)->table[number_ - 1]->id, number_);	\
	(p)->table[number_ - 1]; })

static void fold_sample(const Pprof__Profile *p, const Pprof__Sample *s, struct tree *t, int value)
{
	struct frame frames[4 * HOSTILE_DEPTH];
	const char *comm = label_of(p, s, "comm");
	size_t nr = 0;

	assert_int_equal(s->n_value, 2);
	if (comm)
		frames[nr++] = (struct frame){ .name = comm };
	for (size_t i = s->n_location_id; i-- > 0;) {
		const Pprof__Location *l = ENTRY(p, location, s->location_id[i]);

		for (size_t k = l->n_line; k-- > 0;) {
			const Pprof__Function *f = ENTRY(p, function, l->line[k]->function_id);

			assert_true(nr < 4 * HOSTILE_DEPTH);
			frames[nr++] = (struct frame){ .name = text_of(p, f->name) };
		}
		if (l->mapping_id) {
			const Pprof__Mapping *m = ENTRY(p, mapping, l->mapping_id);

			assert_true(!m->memory_limit ||
				    (l->address >= m->memory_start && l->address < m->memory_limit));
		}
	}
	/* A thread of which nothing else is known appears as two frames */
	if (nr == 2 && s->n_location_id == 1 && !strcmp(frames[0].name, frames[1].name))
		nr = 1;
	assert_int_equal(folded_add(t, FOLDED_NO_SUFFIX, frames, nr, (uint64_t)s->value[value], 0), 0);
}

static void fold_pprof(const char *path, int value)
{
	Pprof__Profile *p = read_pprof(path);
	struct tree *t = tree_create();
	FILE *out = fopen("out.folded", "w");

	assert_non_null(out);
	assert_string_equal(text_of(p, p->sample_type[value]->type), value ? "cpu" : "samples");
	assert_string_equal(text_of(p, p->sample_type[value]->unit), value ? "nanoseconds" : "count");
	for (size_t i = 0; i < p->n_sample; i++)
		fold_sample(p, p->sample[i], t, value);
	assert_int_equal(folded_write(out, t, TREE_SAMPLES), 0);
	assert_int_equal(fclose(out), 0);
	tree_destroy(t);
	pprof__profile__free_unpacked(p, NULL);
}

static void pprof_holds_every_stack(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_convert, "-o out.pb.gz"), 0);
	assert_int_equal(run(cmd_fold, "-o want.folded"), 0);
	fold_pprof("out.pb.gz", 0);
	assert_same("collapsed", "out.folded", "want.folded");
	assert_int_equal(run(cmd_fold, "-o want.folded --time"), 0);
	fold_pprof("out.pb.gz", 1);
	assert_same("collapsed", "out.folded", "want.folded");
}

static void pprof_has_what_only_it_can_hold(void **state)
{
	Pprof__Profile *p;
	size_t files = 0, cgroups = 0, mains = 0;

	(void)state;
	assert_int_equal(run(cmd_convert, "-o out.pb.gz --time"), 0);
	p = read_pprof("out.pb.gz");
	assert_string_equal(text_of(p, p->default_sample_type), "cpu");
	assert_int_equal(p->period, 1003009);
	assert_int_equal(p->duration_nanos, 1000000000);
	assert_true(p->time_nanos == 1700000000000000000);
	for (size_t i = 0; i < p->n_mapping; i++) {
		const Pprof__Mapping *m = p->mapping[i];

		if (m->file_offset != HOSTILE_CODE)
			continue;
		files++;
		assert_string_equal(text_of(p, m->build_id), "dead0001");
		assert_true(m->memory_start == 0x500000 && m->memory_limit == 0x510000);
	}
	/* Two processes have the file at different places: one mapping, and one location of its main */
	assert_int_equal(files, 1);
	for (size_t i = 0; i < p->n_location; i++) {
		const Pprof__Location *l = p->location[i];
		const Pprof__Function *f = ENTRY(p, function, l->line[l->n_line - 1]->function_id);

		mains += l->address == 0x500007 && !strcmp(text_of(p, f->name), "main");
		if (l->address != 0x500004)
			continue;
		assert_int_equal(l->n_line, 3);
		assert_int_equal(l->line[0]->line, 11);
		assert_int_equal(l->line[2]->line, 33);
	}
	assert_int_equal(mains, 1);
	for (size_t i = 0; i < p->n_sample; i++) {
		const char *cgroup = label_of(p, p->sample[i], "cgroup");

		cgroups += cgroup && !strcmp(cgroup, "/system.slice/\"<x>\"");
	}
	assert_int_equal(cgroups, 1);
	pprof__profile__free_unpacked(p, NULL);
}

/* The timer and page faults in one profile.  @timer: with samples of the timer */
static void write_events(const char *path, bool timer)
{
	static const struct kflame_event_count faults[] = {
		{ .weight = 3, .samples = 3, .kstack = 1 }, { .weight = 40, .samples = 4, .kstack = 2 },
	};
	struct mk m = { 0 };

	mk_header(&m);
	mk_session(&m);
	if (timer)
		mk_event(&m, 0, KFLAME_UNIT_NS, "cpu-clock");
	mk_event(&m, 1, KFLAME_UNIT_EVENTS, "page-faults");
	mk_stack(&m, 1, KFLAME_STACK_KERNEL, (uint64_t[]){ HOSTILE_KERNEL + 4 }, 1);
	mk_stack(&m, 2, KFLAME_STACK_KERNEL, (uint64_t[]){ HOSTILE_KERNEL + 0x104 }, 1);
	if (timer)
		mk_count(&m, 0, 1, 0, 10, 10030090);
	mk_event_counts(&m, 1, 0, faults, 2);
	mk_stats(&m);
	records_ksym(&m.r, HOSTILE_KERNEL, HOSTILE_KERNEL + 0x100, "one");
	records_ksym(&m.r, HOSTILE_KERNEL + 0x100, HOSTILE_KERNEL + 0x200, "two");
	mk_end(&m);
	write_file(path, m.r.data, m.r.len);
	mk_free(&m);
}

/* Compares types and samples: "type/unit,...; function value,...; ..." in the order of the file */
static void assert_values(const char *path, const char *want)
{
	Pprof__Profile *p = read_pprof(path);
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; i < p->n_sample_type; i++)
		fprintf(out, "%s%s/%s", i ? "," : "", text_of(p, p->sample_type[i]->type),
			text_of(p, p->sample_type[i]->unit));
	for (size_t i = 0; i < p->n_sample; i++) {
		const Pprof__Sample *s = p->sample[i];
		const Pprof__Location *l = ENTRY(p, location, s->location_id[0]);
		const Pprof__Function *f = ENTRY(p, function, l->line[0]->function_id);

		assert_int_equal(s->n_value, p->n_sample_type);
		fprintf(out, "; %s", text_of(p, f->name));
		for (size_t v = 0; v < s->n_value; v++)
			fprintf(out, "%c%lld", v ? ',' : ' ', (long long)s->value[v]);
	}
	fprintf(out, "; first %s, period %lld", text_of(p, p->default_sample_type), (long long)p->period);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
	pprof__profile__free_unpacked(p, NULL);
}

static void pprof_has_a_value_for_each_event(void **state)
{
	(void)state;
	write_events("both.data", true);
	write_events("faults.data", false);
	assert_int_equal(run(cmd_convert, "-i both.data -o out.pb.gz"), 0);
	assert_values("out.pb.gz", "samples/count,cpu/nanoseconds,page-faults/count; one 10,10030090,0; one 0,0,3; "
		      "two 0,0,40; first samples, period 1003009");
	assert_int_equal(run(cmd_convert, "-i both.data -o out.pb.gz --time"), 0);
	assert_values("out.pb.gz", "samples/count,cpu/nanoseconds,page-faults/count; one 10,10030090,0; one 0,0,3; "
		      "two 0,0,40; first cpu, period 1003009");
	assert_int_equal(run(cmd_convert, "-i both.data -o out.pb.gz --event page-faults"), 0);
	assert_values("out.pb.gz", "page-faults/count; one 3; two 40; first page-faults, period 0");
	assert_int_equal(run(cmd_convert, "-i both.data -o out.pb.gz --event cpu-clock"), 0);
	assert_values("out.pb.gz", "samples/count,cpu/nanoseconds; one 10,10030090; first samples, period 1003009");
	assert_int_equal(run(cmd_convert, "-i faults.data -o out.pb.gz"), 0);
	assert_values("out.pb.gz", "page-faults/count; one 3; two 40; first page-faults, period 0");
	/* Other formats have one event, the timer if there is one */
	assert_int_equal(run(cmd_convert, "-i both.data --to collapsed -o out"), 0);
	assert_out("out", "task;one 10\n");
	assert_int_equal(run(cmd_convert, "-i faults.data --to collapsed -o out"), 0);
	assert_out("out", "task;one 3\ntask;two 40\n");
	assert_int_equal(run(cmd_convert, "-i both.data --event nonsense -o gone.pb.gz"), EXIT_FAILURE);
	assert_has("said", "both.data has no event 'nonsense'", true);
	assert_int_equal(access("gone.pb.gz", F_OK), -1);
	/* Folded stacks do not say what they count.  Texts of perf script do: see what_fails_writes_nothing() */
	write_file("in.folded", "a;b 3\n", 6);
	assert_int_equal(system(KFLAME_TOOL " convert -i in.folded --event faults --to chrome -o gone 2>said"
				"; test $? = 2 && grep -q 'folded stacks do not say what they count' said"), 0);
}

/* ----------------------------------------------------------- perf script */

static void perf_script_comes_back(void **state)
{
	(void)state;
	for (size_t u = 0; u < 3; u++) {
		char line[128];

		snprintf(line, sizeof(line), "-o out.perf %s", units[u]);
		assert_int_equal(run(cmd_convert, line), 0);
		snprintf(line, sizeof(line), "-o want.folded %s", units[u]);
		assert_int_equal(run(cmd_fold, line), 0);
		snprintf(line, sizeof(line), "-i out.perf -o out.folded %s", units[u]);
		assert_int_equal(run(cmd_convert, line), 0);
		assert_same("collapsed", "out.folded", "want.folded");
	}
}

/* ---------------------------------------------------------- other inputs */

static void folded_stacks_are_read(void **state)
{
	static const char text[] = "a;b;c 3\na;b 4\nx_y;[note];f_[k] 5\nlonely 6\n";
	char line[128];

	(void)state;
	write_file("in.folded", text, strlen(text));
	write_file("want.folded", "a;b;c 3\na;b 4\nx_y;[note];f 5\nlonely 6\n", strlen(text) - 4);
	for (size_t i = 0; i < nr_formats; i++) {
		snprintf(line, sizeof(line), "-i in.folded --to %s -o out", formats[i]);
		assert_int_equal(run(cmd_convert, line), 0);
		assert_same(formats[i], "out", "want.folded");
	}
	assert_int_equal(run(cmd_convert, "-i in.folded -o out.pb.gz"), 0);
	fold_pprof("out.pb.gz", 0);
	assert_same("collapsed", "out.folded", "want.folded");
}

/* ----------------------------------------------------------------- views */

static void assert_view(int (*cmd)(int, char **), const char *format, const char *arguments)
{
	char line[256];

	snprintf(line, sizeof(line), "%s -o out", arguments);
	assert_int_equal(run(cmd, line), 0);
	assert_same(format, "out", "want.folded");
}

/* What is drawn and printed is exactly the same */
static void views_hold_every_stack(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-o want.folded"), 0);
	assert_view(cmd_flame, "svg", "--min-width 0 --idle");
	assert_view(cmd_flame, "svg", "--min-width 0 --idle --icicle --percent --colors hot");
	assert_view(cmd_diff, "svg", "--flame --raw --idle --min-width 0 kflame.data kflame.data");
	assert_view(cmd_report, "report_json", "--json --tree --idle --percent-limit 0 -n 0");
	assert_view(cmd_report, "report", "--idle --by function -n 0");
	assert_int_equal(run(cmd_fold, "--time -o want.folded"), 0);
	assert_view(cmd_flame, "svg", "--time --min-width 0 --idle");
	assert_view(cmd_diff, "svg", "--flame --raw --time --idle --min-width 0 kflame.data kflame.data");
	assert_view(cmd_report, "report_json", "--json --tree --time --idle --percent-limit 0 -n 0");
}

/* Of one time and name are what ends and what begins, a caller's callee and its sibling */
static void equal_names_side_by_side(void **state)
{
	static const char text[] = "t;a;x 3\nt;x 4\nt;x;x 5\nt;x;y;x 6\nt;z;x 1\nx;x 2\n";
	char line[128];

	(void)state;
	write_file("want.folded", text, strlen(text));
	for (size_t i = 0; i < nr_formats; i++) {
		snprintf(line, sizeof(line), "-i want.folded --from collapsed --to %s -o out", formats[i]);
		assert_int_equal(run(cmd_convert, line), 0);
		assert_same(formats[i], "out", "want.folded");
	}
	assert_view(cmd_flame, "svg", "--folded -i want.folded");
}

static void same_input_same_bytes(void **state)
{
	static const char *const others[] = { "pprof", "perf-script" };
	char line[128];

	(void)state;
	for (size_t i = 0; i < nr_formats + 2; i++) {
		const char *format = i < nr_formats ? formats[i] : others[i - nr_formats];

		snprintf(line, sizeof(line), "--to %s -o out", format);
		assert_int_equal(run(cmd_convert, line), 0);
		snprintf(line, sizeof(line), "--to %s -o again", format);
		assert_int_equal(run(cmd_convert, line), 0);
		assert_int_equal(system("cmp -s out again"), 0);
	}
}

static void assert_golden(const char *name, const char *arguments)
{
	char *text;

	assert_int_equal(run(cmd_convert, arguments), 0);
	text = golden_read("out");
	assert_non_null(text);
	golden_check(name, text);
	free(text);
}

/* Small ones, for those who want to see what a format looks like */
static void golden_files(void **state)
{
	static const char text[] = "a;b;c_[k] 3\na;b 4\nx;[idle] 5\n";

	(void)state;
	write_file("in.folded", text, strlen(text));
	assert_golden("convert.speedscope.json", "-i in.folded --to speedscope -o out");
	assert_golden("convert.trace.json", "-i in.folded --to chrome -o out");
	assert_golden("convert.firefox.json", "-i in.folded --to firefox -o out");
	assert_golden("convert.perf", "-i in.folded --to perf-script -o out");
}

static void assert_converts(const char *text, const char *options, int status, const char *folded)
{
	char line[128], *out;

	write_file("in", text, strlen(text));
	snprintf(line, sizeof(line), "-i in -o out --to collapsed %s", options);
	assert_int_equal(run(cmd_convert, line), status);
	out = golden_read("out");
	assert_string_equal(out, folded);
	free(out);
}

/* The lines that could be read are there; the exit status says, too, that some could not */
static void skipped_lines_fail(void **state)
{
	(void)state;
	assert_converts("a;b 1.5\na;c 2\n", "--from collapsed", EXIT_FAILURE, "a;c 2\n");
	assert_converts("a 1 1.0: 1 c:\n\t10 f (/a)\n\tno frame\n\n", "--from perf-script",
			EXIT_FAILURE, "a;f 1\n");
}

/* perf tells of no idle CPU, but of a task */
static void idle_tasks_of_perf(void **state)
{
	(void)state;
	assert_converts("swapper 0 1.0: 1 c:\n\t10 f (/a)\n\nswapper/1 0 1.0: 1 c:\n\t10 f (/a)\n\n"
			"swapper 7 1.0: 1 c:\n\t10 f (/a)\n\nswappers 0 1.0: 1 c:\n\t10 f (/a)\n\n",
			"--from perf-script --no-idle", 0, "swapper;f 1\nswappers;f 1\n");
}

/* A pipe gets all of it or nothing */
static void what_fails_writes_nothing(void **state)
{
	static const char text[] = "a 1 1.0: 5 cycles:\n\t1 f (/a)\n\na 1 1.0: 5 faults:\n\t1 g (/a)\n\n";

	(void)state;
	write_file("two.perf", text, strlen(text));
	write_file("piped", "", 0);
	for (size_t i = 0; i < 2; i++) {
		int saved = dup(STDOUT_FILENO), to = open("piped", O_WRONLY | O_TRUNC | O_CLOEXEC), status;

		assert_true(saved >= 0 && to >= 0);
		fflush(stdout);
		assert_true(dup2(to, STDOUT_FILENO) >= 0);
		status = run(cmd_convert, i ? "-i two.perf --event cycles --to perf-script" :
					      "-i two.perf --to perf-script");
		assert_true(dup2(saved, STDOUT_FILENO) >= 0);
		close(saved);
		close(to);
		assert_int_equal(status, i ? EXIT_SUCCESS : EXIT_FAILURE);
		assert_has("piped", "samples:", i);
	}
}

static void kinds_of_frames_in_folded_stacks(void **state)
{
	(void)state;
	assert_converts("a;b_[j];i_[i];c_[k] 3\n", "--from collapsed", 0, "a;b;i;c 3\n");
	assert_converts("a;b_[j];i_[i];c_[k] 3\n", "--from collapsed --kernel", 0, "a;b_[j];i_[i];c_[k] 3\n");
	assert_int_equal(run(cmd_convert, "-i in --from collapsed -o kinds.perf"), 0);
	assert_int_equal(run(cmd_convert, "-i kinds.perf -o kinds.folded --kernel"), 0);
	assert_has("kinds.folded", "a;b_[j];i_[i];c_[k] 3\n", true);
	/* A kernel function without a name */
	assert_converts("a;[kernel 0x1]_[k] 3\n", "--from collapsed", 0, "a;[kernel 0x1] 3\n");
}

static void errors_are_told(void **state)
{
	(void)state;
	write_file("none.folded", "a;b 0\n", 6);
	write_file("text", "hello\n", 6);
	/* No times in it; no samples in it; no perf script's text; no such file */
	assert_int_equal(run(cmd_convert, "-i none.folded --to chrome -o gone --time"), EXIT_FAILURE);
	assert_int_equal(run(cmd_convert, "-i none.folded --to pprof -o gone"), EXIT_FAILURE);
	assert_int_equal(run(cmd_convert, "-i text --from perf-script --to chrome -o gone"), EXIT_FAILURE);
	assert_int_equal(run(cmd_convert, "-i text --to chrome -o gone"), EXIT_FAILURE);
	assert_int_equal(run(cmd_convert, "-i missing.perf --to chrome -o gone"), EXIT_FAILURE);
	assert_int_equal(run(cmd_convert, "--to chrome -o nowhere/gone"), EXIT_FAILURE);
	assert_int_equal(access("gone", F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_holds_every_stack),
		cmocka_unit_test(views_hold_every_stack),
		cmocka_unit_test(equal_names_side_by_side),
		cmocka_unit_test(pprof_holds_every_stack),
		cmocka_unit_test(pprof_has_what_only_it_can_hold),
		cmocka_unit_test(pprof_has_a_value_for_each_event),
		cmocka_unit_test(perf_script_comes_back),
		cmocka_unit_test(folded_stacks_are_read),
		cmocka_unit_test(same_input_same_bytes),
		cmocka_unit_test(golden_files),
		cmocka_unit_test(skipped_lines_fail),
		cmocka_unit_test(idle_tasks_of_perf),
		cmocka_unit_test(what_fails_writes_nothing),
		cmocka_unit_test(kinds_of_frames_in_folded_stacks),
		cmocka_unit_test(errors_are_told),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
