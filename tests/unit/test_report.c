// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "golden.h"
#include "views/report_text.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

static const struct frame recursive[] = {
	{ "demo", NULL, FRAME_COMM }, { "main", "demo", FRAME_USER },
	{ "walk", "demo", FRAME_USER }, { "walk", "demo", FRAME_USER },
	{ "visit", "a-library-with-a-very-long-name.so.6.0.30", FRAME_USER },
	{ "walk", "demo", FRAME_USER },
};

static const struct frame others[][4] = {
	{ { "demo", NULL, FRAME_COMM }, { "main", "demo", FRAME_USER },
	  { "do_syscall_64", NULL, FRAME_KERNEL }, { "ext4_read", "ext4", FRAME_KERNEL } },
	{ { "demo", NULL, FRAME_COMM }, { "main", "demo", FRAME_USER },
	  { "net_rx_action", NULL, FRAME_SOFTIRQ }, { "\x1b[2J;evil\n", NULL, FRAME_SOFTIRQ } },
	{ { "other;\x07", NULL, FRAME_COMM }, { "[unmapped]", NULL, FRAME_NOTE },
	  { "main", "demo", FRAME_USER }, { "[late: irqs off or stolen]", NULL, FRAME_NOTE } },
};

static struct tree *sample_tree(void)
{
	const struct frame gap[] = { { "[gap]", NULL, FRAME_NOTE } };
	struct tree *t = tree_create();

	assert_non_null(t);
	assert_int_equal(tree_add(t, recursive, NR(recursive), 5000, 5000000000), 0);
	assert_int_equal(tree_add(t, recursive, 3, 1234, 1234000000), 0);
	assert_int_equal(tree_add(t, others[0], 4, 700, 700000000), 0);
	assert_int_equal(tree_add(t, others[1], 4, 66, 66000000), 0);
	assert_int_equal(tree_add(t, others[2], 3, 10, 10000000), 0);
	assert_int_equal(tree_add(t, others[2], 4, 0, 3000000), 0);
	assert_int_equal(tree_add(t, gap, 1, 1, 2000000000), 0);
	return t;
}

static const struct function *find(const struct functions *f, const char *name)
{
	for (size_t i = 0; i < f->nr; i++)
		if (!strcmp(f->rows[i].frame->name, name))
			return &f->rows[i];
	fail_msg("there is no %s", name);
	return NULL;
}

static void recursion_counts_once(void **state)
{
	struct tree *t = sample_tree();
	struct functions f;
	uint64_t self = 0;

	(void)state;
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(functions_collect(&f, t, TREE_SAMPLES, SORT_SELF), 0);
	assert_int_equal(find(&f, "walk")->total.samples, 6234);
	assert_int_equal(find(&f, "walk")->self.samples, 6234);
	assert_int_equal(find(&f, "visit")->total.samples, 5000);
	assert_int_equal(find(&f, "visit")->self.samples, 0);
	assert_int_equal(find(&f, "main")->total.samples, 7010);
	assert_int_equal(find(&f, "main")->total.ns, 7013000000);
	for (size_t i = 0; i < f.nr; i++) {
		self += f.rows[i].self.samples;
		assert_true(f.rows[i].total.samples >= f.rows[i].self.samples);
		assert_true(f.rows[i].frame->kind != FRAME_COMM);
		if (i)
			assert_true(f.rows[i].self.samples <= f.rows[i - 1].self.samples);
	}
	assert_int_equal(self, 7011);
	functions_exit(&f);
	tree_destroy(t);
}

static void totals_sort(void **state)
{
	struct tree *t = sample_tree();
	struct functions f;

	(void)state;
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(functions_collect(&f, t, TREE_SAMPLES, SORT_TOTAL), 0);
	assert_string_equal(f.rows[0].frame->name, "main");
	for (size_t i = 1; i < f.nr; i++)
		assert_true(f.rows[i].total.samples <= f.rows[i - 1].total.samples);
	functions_exit(&f);
	/* What has no samples is there in time only */
	assert_int_equal(functions_collect(&f, t, TREE_NS, SORT_TOTAL), 0);
	assert_int_equal(find(&f, "[late: irqs off or stolen]")->self.ns, 3000000);
	functions_exit(&f);
	assert_int_equal(functions_comms(&f, t, TREE_SAMPLES), 0);
	assert_int_equal(f.nr, 3);
	assert_string_equal(f.rows[0].frame->name, "demo");
	assert_int_equal(f.rows[0].total.samples, 7000);
	functions_exit(&f);
	tree_destroy(t);
}

/* What report_text() prints after the header */
static char *parts(struct report_options o)
{
	struct tree *t = sample_tree();
	struct report r = { .p = &(struct profile){ 0 }, .t = t, .o = o };
	size_t size;
	char *text, *after;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(report_text(out, &r), 0);
	assert_int_equal(fclose(out), 0);
	tree_destroy(t);
	after = strstr(text, "\n\n");
	assert_non_null(after);
	after = strdup(after + 2);
	free(text);
	return after;
}

static void check_parts(const char *golden, struct report_options o)
{
	char *text = parts(o);

	assert_null(strchr(text, '\x07'));
	if (!o.color)
		assert_null(strchr(text, '\x1b'));
	golden_check(golden, text);
	free(text);
}

#define USUAL	(1u << REPORT_FUNCTION | 1u << REPORT_COMM)
#define WINGS	(1u << REPORT_CALLERS | 1u << REPORT_CALLEES)

static void tables_are_as_they_were(void **state)
{
	(void)state;
	check_parts("report-samples.txt", (struct report_options){
		.unit = TREE_SAMPLES, .sort = SORT_SELF, .rows = 20, .tables = USUAL });
	check_parts("report-time.txt", (struct report_options){
		.unit = TREE_NS, .sort = SORT_TOTAL, .rows = 3, .tables = USUAL });
	check_parts("report-color.txt", (struct report_options){
		.unit = TREE_SAMPLES, .color = true, .tables = USUAL, .trees = 1u << REPORT_TREE });
	check_parts("report-all.txt", (struct report_options){
		.unit = TREE_SAMPLES, .tables = (1u << NR_REPORT_TABLES) - 1, .limit = 100 });
}

static void trees_are_as_they_were(void **state)
{
	(void)state;
	check_parts("report-tree.txt", (struct report_options){
		.trees = 1u << REPORT_TREE, .limit = 50 });
	check_parts("report-tree-time.txt", (struct report_options){
		.unit = TREE_NS, .trees = 1u << REPORT_TREE });
	check_parts("report-wings.txt", (struct report_options){
		.trees = WINGS, .function = "walk" });
	check_parts("report-each.txt", (struct report_options){
		.trees = WINGS, .rows = 2, .sort = SORT_TOTAL, .limit = 1000 });
}

static void header_is_as_it_was(void **state)
{
	char host[] = "host=box", command[] = "command=sleep \x1b[31m10";
	char *strings[] = { host, command };
	struct kflame_cpu cpus[2] = {
		{ .cpu = 0, .lost = { [KFLAME_LOST_TABLE] = 1200, [KFLAME_LOST_NESTED] = 2 } },
		{ .cpu = 1, .lost = { [KFLAME_LOST_TABLE] = 34, [KFLAME_LOST_FILTER] = 5 } },
	};
	struct profile_count gap = { .context = KFLAME_CTX_GAP, .samples = 1,
				     .weight_ns = 2000000000 };
	struct profile p = {
		.samples = 19940, .weight_ns = 20000000000, .late_ns = 60000000,
		.has_session = true, .has_stats = true,
		.session = { .period_ns = 1003009, .start_ns = 5, .nr_cpus = 2,
			     .start_realtime_ns = 1700000000000000000,
			     .release = "6.1.0-56-amd64", .machine = "x86_64" },
		.stats = { .stop_ns = 10000000005 },
		.cpus = cpus, .nr_cpus = 2, .counts = &gap, .nr_counts = 1,
		.host = strings, .nr_host = 2,
	};
	const struct frame idle[] = {
		{ "swapper", NULL, FRAME_COMM }, { "[idle]", NULL, FRAME_NOTE },
	};
	struct tree *t = sample_tree();
	struct report r = { .p = &p, .t = t };
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	assert_int_equal(tree_add(t, idle, 2, 12600, 12640000000), 0);
	summary_make(&r.summary, &p, t);
	assert_int_equal(r.summary.rate_hz, 997);
	assert_int_equal(summary_lost(&r.summary), 1236);
	report_header(out, &r);
	r.without_idle = true;
	report_header(out, &r);
	assert_int_equal(fclose(out), 0);
	golden_check("report-header.txt", text);
	free(text);
	tree_destroy(t);
}

static void numbers_are_rounded_and_grouped(void **state)
{
	char buf[TEXT_NUMBER];

	(void)state;
	assert_string_equal(text_count(buf, 0), "0");
	assert_string_equal(text_count(buf, 999), "999");
	assert_string_equal(text_count(buf, 1000), "1,000");
	assert_string_equal(text_count(buf, UINT64_MAX), "18,446,744,073,709,551,615");
	assert_string_equal(text_percent(buf, 1, 3, 2), "33.33%");
	assert_string_equal(text_percent(buf, 2, 3, 1), "66.7%");
	assert_string_equal(text_percent(buf, 5, 0, 2), "0.00%");
	assert_string_equal(text_percent(buf, UINT64_MAX, UINT64_MAX, 2), "100.00%");
	assert_string_equal(text_ms(buf, 1237949999), "1,237.9 ms");
	assert_string_equal(text_ms(buf, 1237950000), "1,238.0 ms");
	assert_string_equal(text_ms(buf, UINT64_MAX), "18,446,744,073,709.6 ms");
	assert_string_equal(text_seconds(buf, 10000000000), "10.0 s");
	assert_int_equal(scale(UINT64_MAX, UINT64_MAX, 1), UINT64_MAX);
}

/* The first line says whether to believe the rest; the recorder's own samples are separate */
static void header_says_what_to_trust(void **state)
{
	struct profile_stack cut = { .kind = KFLAME_STACK_USER, .end = KFLAME_END_BAD_FP, .nr = 1, .pc = 1 };
	struct profile_count counts[] = {
		{ .ustack = 0, .kstack = PROFILE_NONE, .comm = "kflame", .samples = 300, .weight_ns = 300 },
		{ .ustack = PROFILE_NONE, .kstack = PROFILE_NONE, .comm = "kflamed", .samples = 700, .weight_ns = 700 },
	};
	struct profile p = {
		.has_session = true, .samples = 1000, .weight_ns = 1000, .counts = counts, .nr_counts = 2,
		.stacks = &cut, .nr_stacks = 1,
	};
	const char *const wanted[] = {
		"trust    with care: 100.0% of the user stacks end early",
		"trust    yes: 0.0% of the samples lost",
		"trust    with care: 40 samples of work are few",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct tree *t = sample_tree();
		struct report r = { .p = &p, .t = t };
		size_t size;
		char *text;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		cut.end = i ? KFLAME_END_COMPLETE : KFLAME_END_BAD_FP;
		if (i == 2) {
			counts[0].samples = 0;
			counts[1].samples = p.samples = 40;
		}
		summary_make(&r.summary, &p, t);
		r.summary.idle.samples = 0;
		report_header(out, &r);
		assert_int_equal(fclose(out), 0);
		assert_int_equal(strncmp(text, wanted[i], strlen(wanted[i])), 0);
		assert_true(!strstr(text, "itself   30.0% of the samples") == (i == 2));
		free(text);
		tree_destroy(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_says_what_to_trust),
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(totals_sort),
		cmocka_unit_test(tables_are_as_they_were),
		cmocka_unit_test(trees_are_as_they_were),
		cmocka_unit_test(header_is_as_it_was),
		cmocka_unit_test(numbers_are_rounded_and_grouped),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
