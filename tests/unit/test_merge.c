// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge.c - kflame merge: the fold of a sum is the sum of the folds
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

#include "cmd/commands.h"
#include "golden.h"
#include "hostile.h"
#include "run_command.h"
#include "stacks/open.h"

static char dir[] = "/tmp/kflame-merge-XXXXXX";

/* Another machine: the same numbers and addresses mean other things there */
static void other_make(struct mk *m, uint64_t period)
{
	struct kflame_rec_aspace as = {
		.rec.type = KFLAME_REC_ASPACE, .id = 2, .tgid = 102, .cgroup_id = 77, .comm = "two",
	};
	static const char host[] = "host=other\0tool=test";
	static const struct kflame_source_level level[] = {
		{ .function = 1 }, { .function = 2 },
	};
	struct kflame_rec_session s;

	mk_header(m);
	mk_session(m);
	memcpy(&s, m->r.data + sizeof(struct kflame_file_header), sizeof(s));
	s.period_ns = period;
	memcpy(m->r.data + sizeof(struct kflame_file_header), &s, sizeof(s));
	records_host(&m->r, host, sizeof(host));
	records_add(&m->r, &as, sizeof(as), NULL, 0);
	mk_file(m, 1, "/usr/bin/b");
	mk_mapping(m, 2, 0x500000, 0x501000, 1, HOSTILE_CODE);
	mk_mapping(m, 2, 0x600000, 0x601000, 0, 0);
	mk_stack(m, 1, KFLAME_STACK_USER, (uint64_t[]){ 0x500008, 0x500108, 0x600010 }, 3);
	/* Named, with no name, in what is a function's elsewhere; one that no kernel has */
	mk_stack(m, 2, KFLAME_STACK_KERNEL,
		 (uint64_t[]){ HOSTILE_KERNEL + 0x104, HOSTILE_KERNEL + 4, HOSTILE_KERNEL + 5, 0x77 }, 4);
	mk_stack(m, 3, KFLAME_STACK_KERNEL, (uint64_t[]){ HOSTILE_KERNEL + 4 }, 1);
	mk_count(m, 2, 2, 1, 100, 100000000);
	mk_count(m, 0, 3, 0, 200, 200000000);
	mk_count_rec(m, (struct kflame_rec_count){ .context = KFLAME_CTX_IDLE, .samples = 300,
		     .weight_ns = 300000000, .comm = "swapper/0" });
	mk_cpu(m, 0, 600, 600000000);
	mk_cpu(m, 3, 6, 6000000);
	mk_stats(m);
	records_usym(&m->r, 1, HOSTILE_CODE, HOSTILE_CODE + 0x200, "other_main");
	records_named(&m->r, 1, KFLAME_NAMED_SYMTAB, 0);
	records_jsym(&m->r, 2, 0x600000, 0x600100, "jitted");
	records_text(&m->r, 1, "other_inlined");
	records_text(&m->r, 2, "other_outer");
	records_source(&m->r, 1, HOSTILE_CODE + 8, level, 2);
	records_source(&m->r, 0, HOSTILE_KERNEL + 0x104, level, 2);
	records_ksym(&m->r, HOSTILE_KERNEL + 0x100, HOSTILE_KERNEL + 0x180, "other_fn");
	records_cgroup(&m->r, 77, "/other.slice");
	mk_end(m);
}

static int setup(void **state)
{
	struct mk m = { 0 };

	*state = NULL;
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	hostile_make(&m);
	write_file("a", m.r.data, m.r.len);
	mk_free(&m);
	m = (struct mk){ 0 };
	other_make(&m, 1003009);
	write_file("b", m.r.data, m.r.len);
	mk_free(&m);
	m = (struct mk){ 0 };
	other_make(&m, 500000);
	write_file("fast", m.r.data, m.r.len);
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

/* The fold of @sum is those of @parts, with @options, added up */
static void assert_sum(const char *sum, const char *parts, const char *options)
{
	char line[512], copy[64], *save;

	snprintf(line, sizeof(line), "-i %s -o sum.folded %s", sum, options);
	assert_int_equal(run(cmd_fold, line), 0);
	unlink("parts.folded");
	snprintf(copy, sizeof(copy), "%s", parts);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		snprintf(line, sizeof(line), "-i %s -o part.folded %s", w, options);
		assert_int_equal(run(cmd_fold, line), 0);
		assert_int_equal(system("cat part.folded >>parts.folded"), 0);
	}
	snprintf(line, sizeof(line), "python3 %s/refold.py collapsed sum.folded parts.folded >differs",
		 TEST_DIR);
	if (system(line)) {
		char *text = golden_read("differs");

		fail_msg("%s: %.1000s", sum, text);
	}
}

static void assert_merges(const char *parts)
{
	static const char *const options[] = { "--samples", "--time", "--lines --kernel", "--no-inline",
		"--root cgroup", "--root host" };
	char line[128];

	snprintf(line, sizeof(line), "%s -o sum", parts);
	assert_int_equal(run(cmd_merge, line), 0);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		assert_sum("sum", parts, options[i]);
}

static void sums_are_exact(void **state)
{
	(void)state;
	assert_merges("a b");
	assert_merges("b a");
	assert_merges("a a a");
	assert_merges("a");
}

/* What was merged is merged with others, and with itself */
static void sums_of_sums(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_merge, "a b -o ab"), 0);
	assert_int_equal(run(cmd_merge, "b b -o bb"), 0);
	assert_merges("ab b a bb ab");
	assert_merges("bb ab");
}

/* What the command writes has each of @parts */
static void assert_shows(int (*command)(int argc, char **argv), const char *options,
			 const char *const parts[], size_t nr)
{
	char line[128], *text;

	snprintf(line, sizeof(line), "-o out --no-idle %s", options);
	assert_int_equal(run(command, line), 0);
	text = golden_read("out");
	for (size_t i = 0; i < nr; i++)
		if (!strstr(text, parts[i]))
			fail_msg("%s: no '%s' in:\n%s", options, parts[i], text);
	free(text);
}

static void host_and_run_are_kept(void **state)
{
	static const char *const runs[] = { "\nb;task;", "\nab: b;task;", "\nab: a;task;" };
	static const char *const hosts[] = { "\nh<&>\";task;", "\nother;task;" };
	static const char *const by_run[] = { "  Recording\n", "  ab: a\n", "  b\n" };
	static const char *const by_host[] = { "  Host\n", "  h<&>\"\n", "  other\n" };

	(void)state;
	assert_int_equal(run(cmd_merge, "a b -o ab"), 0);
	assert_int_equal(run(cmd_merge, "ab b -o abb"), 0);
	assert_shows(cmd_fold, "-i abb --root run", runs, 3);
	assert_shows(cmd_fold, "-i abb --root host", hosts, 2);
	assert_shows(cmd_report, "-i abb --root run", by_run, 3);
	assert_shows(cmd_report, "-i abb --by host", by_host, 3);
	assert_shows(cmd_report, "-i a --by run", (const char *const[]){ "No table by run: " }, 1);
	/* A gap belongs to no process; pprof's labels have both for all others */
	assert_int_equal(run(cmd_convert, "-i abb -o out.pb.gz"), 0);
}

/* The same number is of another process there; by the host, where that is enough */
static void processes_are_told_apart(void **state)
{
	static const char *const hosts[] = { " of other;task;", " of h<&>\";task;" };
	static const char *const runs[] = { " of b;task;", " of ab: b;task;" };

	(void)state;
	assert_int_equal(run(cmd_merge, "a b -o ab"), 0);
	assert_shows(cmd_fold, "-i ab --root pid", hosts, 2);
	assert_int_equal(run(cmd_merge, "ab b -o abb"), 0);
	assert_shows(cmd_fold, "-i abb --root pid", runs, 2);
}

static void books_are_added_up(void **state)
{
	struct profile *p;

	(void)state;
	assert_int_equal(run(cmd_merge, "a b -o sum"), 0);
	p = open_profile("sum", NULL);
	assert_non_null(p);
	assert_int_equal(p->state, PROFILE_WHOLE);
	assert_int_equal(p->damaged, 0);
	assert_int_equal(p->nr_cpus, 2);
	assert_int_equal(p->cpus[0].samples, 1600);
	assert_int_equal(p->cpus[0].head_ns + p->cpus[0].weight_ns + p->cpus[0].tail_ns,
			 p->cpus[0].active_ns);
	assert_int_equal(p->cpus[1].cpu, 3);
	assert_int_equal(p->cpus[1].samples, 6);
	assert_int_equal(p->stats.stop_ns - p->session.start_ns, 1000000000);
	assert_string_equal(profile_host(p, "host"), "2 hosts");
	profile_destroy(p);
}

/* The same program on two hosts: at another address, with another kernel address, and more of its functions */
static void fleet_make(struct mk *m, const char *host, uint64_t slide, uint64_t realtime, bool second)
{
	struct kflame_rec_file file = { .id = 1, .inode = slide, .bytes = 9, .build_id_len = 4, .build_id = { 1, 2, 3, 4 } };
	struct kflame_rec_session s;
	char text[96];

	mk_header(m);
	mk_session(m);
	memcpy(&s, m->r.data + sizeof(struct kflame_file_header), sizeof(s));
	s.start_realtime_ns = realtime;
	memcpy(m->r.data + sizeof(struct kflame_file_header), &s, sizeof(s));
	records_host(&m->r, text,
		     (size_t)snprintf(text, sizeof(text), "host=%s%ctool=test%clabel.service=web", host, 0, 0) + 1);
	mk_aspace(m, 1, "one");
	records_file(&m->r, &file, "/usr/bin/web");
	mk_mapping(m, 1, 0x500000 + slide, 0x510000 + slide, 1, 0x1000);
	mk_mapping(m, 1, 0x700000 + slide, 0x710000 + slide, 0, 0);
	mk_stack(m, 1, KFLAME_STACK_USER,
		 (uint64_t[]){ 0x500010 + slide, 0x700018 + slide, 0x500118 + slide, 0x900000 }, 4);
	mk_stack(m, 2, KFLAME_STACK_KERNEL, (uint64_t[]){ HOSTILE_KERNEL + slide + 8, HOSTILE_KERNEL + slide + 0x104 }, 2);
	mk_count(m, 1, 2, 1, 10, 10000000);
	mk_count_rec(m, (struct kflame_rec_count){ .context = KFLAME_CTX_IDLE, .samples = 3, .weight_ns = 3,
		     .comm = "swapper/0" });
	mk_count_rec(m, (struct kflame_rec_count){ .context = KFLAME_CTX_IDLE, .samples = 4, .weight_ns = 4,
		     .comm = "swapper/1" });
	mk_cpu(m, 0, 17, 10000007);
	mk_stats(m);
	records_usym(&m->r, 1, 0x1000, 0x1100, "inner");
	records_usym(&m->r, 1, 0x1100, 0x1200, "outer");
	if (second) {
		mk_stack(m, 3, KFLAME_STACK_USER, (uint64_t[]){ 0x500210 + slide }, 1);
		mk_count(m, 1, 0, 3, 5, 5);
		records_usym(&m->r, 1, 0x1200, 0x1300, "third");
	}
	records_named(&m->r, 1, KFLAME_NAMED_SYMTAB, 0);
	records_jsym(&m->r, 1, 0x700000 + slide, 0x700100 + slide, "jitted");
	records_ksym(&m->r, HOSTILE_KERNEL + slide, HOSTILE_KERNEL + slide + 0x100, "in_kernel");
	records_ksym(&m->r, HOSTILE_KERNEL + slide + 0x100, HOSTILE_KERNEL + slide + 0x200, "called_it");
	mk_end(m);
}

#define MINUTE	60000000000ull

static void write_fleet(const char *path, const char *host, uint64_t slide, uint64_t realtime, bool second)
{
	struct mk m = { 0 };

	fleet_make(&m, host, slide, realtime, second);
	write_file(path, m.r.data, m.r.len);
	mk_free(&m);
}

static void make_fleet(void)
{
	write_fleet("h1", "h1", 0, 1700000040 * 1000000000ull, false);
	write_fleet("h2", "h2", 0x1000000, 1700000041 * 1000000000ull, true);
	write_fleet("h1later", "h1", 0, 1700000041 * 1000000000ull, false);
	write_fleet("h1next", "h1", 0, 1700000040 * 1000000000ull + MINUTE, true);
}

static struct profile *merged(const char *line)
{
	static const struct naming every = { .every_event = true };
	struct profile *p;

	assert_int_equal(run(cmd_merge, line), 0);
	p = open_profile("sum", &every);
	assert_non_null(p);
	assert_int_equal(p->state, PROFILE_WHOLE);
	assert_int_equal(p->damaged + p->lost_stacks, 0);
	return p;
}

static void what_is_equal_is_shared(void **state)
{
	struct profile *p;

	(void)state;
	make_fleet();
	p = merged("h1 h2 -o sum");
	assert_int_equal(p->nr_files, 1);
	assert_int_equal(p->files[0].syms.nr, 3);
	assert_int_equal(p->ksyms.nr, 2);
	assert_int_equal(p->nr_stacks, 3);
	/* Processes of two hosts are two. Idle CPUs of a host are one. */
	assert_int_equal(p->nr_aspaces, 2);
	assert_int_equal(p->nr_counts, 5);
	assert_int_equal(p->samples, 17 + 22);
	profile_destroy(p);
	assert_merges("h1 h2");
	assert_merges("h2 h1 h1later h1next");
	assert_merges("a h2 b h1 a");
	/* The process is the same one in each run of its host. */
	p = merged("h1 h1later h1next -o sum");
	assert_int_equal(p->nr_aspaces, 1);
	assert_int_equal(p->nr_origins, 3);
	assert_string_equal(profile_count_key(p, &p->counts[0], "label.service"), "web");
	assert_null(profile_count_key(p, &p->counts[0], "label.serv"));
	profile_destroy(p);
}

/* A host that names a function of a file otherwise does not name those of other hosts */
static void names_are_not_mixed(void **state)
{
	struct profile *p;
	struct mk m = { 0 };

	(void)state;
	make_fleet();
	fleet_make(&m, "liar", 0x2000000, 1, false);
	for (size_t i = 0; i + 5 < m.r.len; i++)
		if (!memcmp(m.r.data + i, "inner", 5))
			memcpy(m.r.data + i, "wrong", 5);
	write_file("liar", m.r.data, m.r.len);
	mk_free(&m);
	p = merged("liar h1 h2 -o sum");
	assert_int_equal(p->nr_files, 2);
	profile_destroy(p);
	assert_merges("liar h1 h2");
}

static void runs_are_added_up(void **state)
{
	static const char *const windows[] = { "\n2023-11-14T22:14:00Z;task;", "\n2023-11-14T22:15:00Z;task;" };
	struct profile *p;

	(void)state;
	make_fleet();
	p = merged("--by-time 1m h1 h2 h1later h1next -o sum");
	assert_int_equal(p->nr_origins, 3);
	assert_int_equal(p->samples, 17 + 22 + 17 + 22);
	profile_destroy(p);
	assert_shows(cmd_fold, "-i sum --root run", windows, 2);
	assert_sum("sum", "h1 h2 h1later h1next", "--root host");
	p = merged("--no-runs h1 h2 h1later h1next -o sum");
	assert_int_equal(p->nr_origins, 2);
	profile_destroy(p);
	assert_sum("sum", "h1 h2 h1later h1next", "--root host");
	/* Windows are kept when they are merged again. */
	assert_int_equal(run(cmd_merge, "--by-time 1m h1 h1next -o windows"), 0);
	p = merged("--by-time 1m windows h1later -o sum");
	assert_int_equal(p->nr_origins, 2);
	profile_destroy(p);
}

static void inputs_are_listed(void **state)
{
	(void)state;
	make_fleet();
	write_file("list", "h1\nh2\n\nh1next", 13);
	assert_int_equal(run(cmd_merge, "--files-from list -o sum"), 0);
	assert_sum("sum", "h1 h2 h1next", "--samples");
	assert_int_equal(run(cmd_merge, "--files-from nothere -o sum"), EXIT_FAILURE);
	assert_non_null(strstr(said, "nothere cannot be opened"));
	write_file("list", "\n", 1);
	assert_int_equal(run(cmd_merge, "--files-from list -o sum"), EXIT_FAILURE);
	assert_non_null(strstr(said, "names no profiles"));
}

static void periods_are_not_mixed(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_merge, "a fast -o gone"), EXIT_FAILURE);
	assert_non_null(strstr(said, "--any-period"));
	assert_int_equal(access("gone", F_OK), -1);
	assert_int_equal(run(cmd_merge, "a fast -o sum --any-period"), 0);
	assert_sum("sum", "a fast", "--time");
}

static void errors_are_told(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_merge, "a missing -o gone"), EXIT_FAILURE);
	assert_non_null(strstr(said, "missing"));
	assert_int_equal(run(cmd_merge, "a b -o no/where"), EXIT_FAILURE);
	/* Truncated: what is there is added, and the status tells */
	assert_int_equal(system("head -c -200 b >cut"), 0);
	assert_int_equal(run(cmd_merge, "a cut -o sum"), EXIT_FAILURE);
	assert_int_equal(access("sum", F_OK), 0);
	/* One of the inputs is the output */
	assert_int_equal(system("cp a into"), 0);
	assert_int_equal(run(cmd_merge, "into b -o into"), 0);
	assert_sum("into", "a b", "--samples");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_exact),
		cmocka_unit_test(sums_of_sums),
		cmocka_unit_test(host_and_run_are_kept),
		cmocka_unit_test(processes_are_told_apart),
		cmocka_unit_test(books_are_added_up),
		cmocka_unit_test(what_is_equal_is_shared),
		cmocka_unit_test(names_are_not_mixed),
		cmocka_unit_test(runs_are_added_up),
		cmocka_unit_test(inputs_are_listed),
		cmocka_unit_test(periods_are_not_mixed),
		cmocka_unit_test(errors_are_told),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
