// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_trace.c - text of the kernel's tracer becomes calls and stacks; settings are restored, by a guardian, too
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/trace_chart.h"
#include "cmd/trace_text.h"
#include "run_command.h"
#include "trace/call_trees.h"
#include "trace/guardian.h"
#include "trace/other_tracers.h"
#include "trace/stack_lines.h"
#include "trace/trace_functions.h"
#include "trace/trace_settings.h"

/* ------------------------------------------------------------------- calls */

static char *shown;
static size_t shown_len;
static FILE *to_shown;

static void begin_showing(void)
{
	free(shown);
	to_shown = open_memstream(&shown, &shown_len);
	assert_non_null(to_shown);
}

/* Write a tree as "comm-pid: a(b(c)d)" with ? for a lost return and ! for a lost begin */
static int show_tree(void *ctx, const struct call_trees *all, const struct call_tree *tree)
{
	(void)ctx;
	fprintf(to_shown, "%s-%d:", tree->comm, tree->pid);
	for (size_t i = 0; i < tree->nr; i++) {
		const struct call *c = &tree->calls[i];

		fprintf(to_shown, " %u%s%s%s=%" PRIu64, c->depth, all->names.all[c->name].bytes, c->begin_lost ? "!" : "",
			c->end_lost ? "?" : "", c->duration_ns);
	}
	putc('\n', to_shown);
	return 0;
}

static struct call_trees trees;

/* Feed in pieces of all sizes.  Return: the trees, as show_tree() writes them */
static const char *trees_of(const char *text)
{
	size_t len = strlen(text);

	for (size_t piece = 1; piece <= 64; piece *= 4) {
		begin_showing();
		call_trees_exit(&trees);
		call_trees_init(&trees, show_tree, NULL);
		trees.own_pid = 4242;
		for (size_t at = 0; at < len; at += piece)
			assert_int_equal(call_trees_feed(&trees, text + at, len - at < piece ? len - at : piece), 0);
		assert_int_equal(call_trees_finish(&trees), 0);
		fclose(to_shown);
	}
	return shown;
}

static void calls_of_each_kernel(void **state)
{
	(void)state;
	/* 5.10 */
	assert_string_equal(trees_of(
		"  121.278000 |   0)    cat-150     |               |  vfs_read() {\n"
		"  121.278001 |   0)    cat-150     |               |    rw_verify_area() {\n"
		"  121.278842 |   0)    cat-150     |   46.118 us   |    } /* rw_verify_area */\n"
		"  121.278850 |   0)    cat-150     |   1.5 us      |    ext4_read [ext4]();\n"
		"  121.278853 |   0)    cat-150     |   74.703 us   |  } /* vfs_read */\n"),
		"cat-150: 0vfs_read=74703 1rw_verify_area=46118 1ext4_read [ext4]=1500\n");
	/* 6.1 has marks of long calls if somebody wants them; times of many digits lose those behind the point */
	assert_string_equal(trees_of(
		"   34.903027 |   1)    cat-165     | + 44.233 us   |  a();\n"
		"   34.903028 |   1)    cat-165     | $ 1234567 us  |  b();\n"
		"   34.903029 |   1)    cat-165     | # 12345.67 us |  c();\n"),
		"cat-165: 0a=44233\ncat-165: 0b=1234567000\ncat-165: 0c=12345670\n");
	/* Without a name behind the return, and with lines that say nothing */
	assert_string_equal(trees_of(
		"# tracer: function_graph\n"
		"   28.649713 |   1)   sh-1   |               |  a() {\n"
		"   28.649714 |   1)   sh-1   |   ==========> |\n"
		"   28.649715 |   1)   sh-1   |   2.936 us    |    irq();\n"
		"   28.649716 |   1)   sh-1   |   <========== |\n"
		"   28.649717 |   1)   sh-1   |               |    /* a comment */\n"
		"   28.649718 |   1)   sh-1   |   5.000 us    |  }\n"),
		"sh-1: 0a=5000 1irq=2936\n");
	assert_int_equal(trees.unreadable, 0);
}

static void calls_of_tasks_are_mixed(void **state)
{
	(void)state;
	assert_string_equal(trees_of(
		"    1.000000 |   0)   one-1   |               |  a() {\n"
		"    1.000001 |   1)   two-2   |               |  a() {\n"
		" ------------------------------------------\n"
		" 0)   one-1     =>    <idle>-0    \n"
		" ------------------------------------------\n"
		"\n"
		"    1.000002 |   0)  <idle>-0   |   1.000 us    |  z();\n"
		"    1.000003 |   1)   one-1   |   2.000 us    |    b();\n"
		"    1.000004 |   1)  <idle>-0   |   3.000 us    |  z();\n"
		"    1.000005 |   0)  kflame-4242   |   3.000 us    |  own();\n"
		"    1.000006 |   1)   two-2   |   4.000 us    |  } /* a */\n"
		"    1.000007 |   1)   one-1   |   5.000 us    |  } /* a */\n"),
		"<idle>-0: 0z=1000\n<idle>-0: 0z=3000\ntwo-2: 0a=4000\none-1: 0a=5000 1b=2000\n");
}

static void calls_that_are_not_complete(void **state)
{
	(void)state;
	/* Its begin was before the trace; another one is not over at the end */
	assert_string_equal(trees_of(
		"    1.000009 |   0)   one-1   |   5.000 us    |  } /* a */\n"
		"    1.000010 |   0)   one-1   |               |  b() {\n"
		"    1.000011 |   0)   one-1   |               |    c() {\n"),
		"one-1: 0a!=5000\none-1: 0b?=0 1c?=0\n");
	/* The returns of c and b were lost: d shows it */
	assert_string_equal(trees_of(
		"    1.000010 |   0)   one-1   |               |  b() {\n"
		"    1.000011 |   0)   one-1   |               |    c() {\n"
		"CPU:0 [LOST 123 EVENTS]\n"
		"CPU:1 [LOST EVENTS]\n"
		"    1.000012 |   0)   one-1   |   1.000 us    |  d();\n"
		"    1.000013 |   0)   one-1   |   1.000 us    |    } /* e */\n"),
		"one-1: 0b?=0 1c?=0\none-1: 0d=1000\none-1: 0e!=1000\n");
	assert_int_equal(trees.lost, 123);
	assert_int_equal(trees.losses, 2);
	/* A return of another function at this depth belongs to a call whose begin was lost, below one that is known */
	assert_string_equal(trees_of(
		"    1.000010 |   0)   one-1   |               |  b() {\n"
		"    1.000012 |   0)   one-1   |   1.000 us    |    } /* e */\n"
		"    1.000013 |   0)   one-1   |   9.000 us    |  } /* b */\n"),
		"one-1: 0b=9000\n");
}

static void names_of_tasks_imitate_nothing(void **state)
{
	(void)state;
	assert_string_equal(trees_of(
		"   29.330666 |   0)  a\n1 | 0-164   |               |  vfs_read() {\n"
		"   29.331138 |   0)  a\n1 | 0-164   |   84.278 us   |    irq_enter_rcu();\n"
		"   29.331139 |   0)  \n\n\n\n\n\n\n-164   |   2.000 us    |    x();\n"
		"   29.331140 |   0)  a\n1 | 0-164   |   99.000 us   |  } /* vfs_read */\n"),
		"a\n1 | 0-164: 0vfs_read=99000 1irq_enter_rcu=84278 1x=2000\n");
	/* The first line would be complete, and this call be lost, if the width of the duration did not matter */
	assert_string_equal(trees_of(
		"    1.000000 |   0)   x-1   |               |  a() {\n"
		"    1.000001 |   1)  -1| |}\n-7   |   1.000 us    |  f();\n"
		"    1.000002 |   0)   x-1   |   2.000 us    |  } /* a */\n"),
		"-1| |}\n-7: 0f=1000\nx-1: 0a=2000\n");
	/* A line whose rest never comes is dropped, and counted */
	assert_string_equal(trees_of(
		"    1.000000 |   0)   x\n"
		"    1.000002 |   0)   x-1   |   2.000 us    |  a();\n"),
		"x-1: 0a=2000\n");
	assert_int_equal(trees.unreadable, 1);
}

static void text_is_clean(void **state)
{
	static const struct interned name = { (char *)"vfs_read", 8 };
	struct call calls[] = { { .duration_ns = 1234567, .from_ns = 1 }, { .depth = 1, .end_lost = true } };
	const struct call_trees all = { .names.all = (struct interned *)&name, .names.nr = 1 };
	const struct call_tree tree = { .pid = 7, .comm = "\033[2J\nx", .calls = calls, .nr = 2 };

	(void)state;
	begin_showing();
	trace_put_tree(to_shown, &all, &tree);
	fclose(to_shown);
	assert_null(strchr(shown, '\033'));
	assert_non_null(strstr(shown, "x (7), at 0.000000 s\nCPU       DURATION  CALL\n"
			       "  0    1234.567 us  vfs_read\n  0              ?    vfs_read  [its return was not seen]\n\n"));
}

static int add_to_chart(void *chart, const struct call_trees *all, const struct call_tree *tree)
{
	return trace_chart_add(chart, all, tree);
}

static void chart_has_a_lane_for_each_task(void **state)
{
	static const char text[] =
		"    1.000000 |   0)   one-1   |               |  a() {\n"
		"    1.000001 |   1)   two-2   |   9.000 us    |  a();\n"
		"    1.000002 |   0)   one-1   |   9.000 us    |    b();\n"
		"    1.000005 |   0)   one-1   |   5.000 us    |  } /* a */\n";
	const struct flame_options o = { .title = "t", .subtitle = "s", .width = 1200, .min_width = 10, .row = 18 };
	struct trace_chart c = { .calls = 0 };
	struct flame_result result;

	(void)state;
	call_trees_exit(&trees);
	call_trees_init(&trees, add_to_chart, &c);
	assert_int_equal(call_trees_feed(&trees, text, sizeof(text) - 1), 0);
	begin_showing();
	trace_chart_write(to_shown, &c, &o, &result);
	fclose(to_shown);
	assert_int_equal(result.drawn, 6);
	assert_int_equal(c.chart.nr_lanes, 2);
	assert_string_equal(c.chart.lanes[0].name, "two, task 2");
	/* The callee ends with its caller */
	assert_int_equal(c.chart.lanes[1].boxes[1].to_ns, 5000);
	assert_non_null(strstr(shown, "5.000 us, from 0.000000 s to 0.000005 s"));
	trace_chart_exit(&c);
}

/* ------------------------------------------------------------------- stacks */

static int show_hit(void *ctx, const struct stack_hit *h)
{
	(void)ctx;
	fprintf(to_shown, "%s-%d@%u%s:", h->comm, h->pid, h->cpu, h->has_stack ? "" : "?");
	for (size_t i = 0; i < h->nr; i++)
		fprintf(to_shown, " %s", h->frames[i]);
	putc('\n', to_shown);
	return 0;
}

static struct stack_reader stacks;

static const char *hits_of(const char *text)
{
	size_t len = strlen(text);

	for (size_t piece = 1; piece <= 64; piece *= 4) {
		begin_showing();
		stack_reader_exit(&stacks);
		stack_reader_init(&stacks, show_hit, NULL);
		stacks.own_pid = 4242;
		for (size_t at = 0; at < len; at += piece)
			assert_int_equal(stack_reader_feed(&stacks, text + at, len - at < piece ? len - at : piece), 0);
		assert_int_equal(stack_reader_finish(&stacks), 0);
		fclose(to_shown);
	}
	return shown;
}

static void hits_have_their_stacks(void **state)
{
	(void)state;
	assert_string_equal(hits_of(
		"             cat-181     [001] .....    63.452590: vfs_read <-ksys_read\n"
		"              sh-90      [000] d..1     63.452600: vfs_read <-kernel_read\n"
		"             cat-181     [001] .....    63.452690: <stack trace>\n"
		" => 0xffffffffc0556083\n => [FTRACE TRAMPOLINE]\n => vfs_read\n => ksys_read\n => f [ext4]\n"
		"              sh-90      [000]    63.452700: <stack trace>\n"
		" => vfs_read\n => kernel_read\n"
		"             own-4242    [000] .....    63.452710: vfs_read <-ksys_read\n"
		"             own-4242    [000] .....    63.452720: <stack trace>\n => vfs_read\n"
		"CPU:0 [LOST 3 EVENTS]\n"
		"             a-b-90      [000] .....    63.452800: vfs_read <-kernel_read\n"),
		"cat-181@1: vfs_read ksys_read f [ext4]\nsh-90@0: vfs_read kernel_read\na-b-90@0?: vfs_read kernel_read\n");
	assert_int_equal(stacks.lost, 3);
	assert_int_equal(stacks.hits, 3);
	assert_int_equal(stacks.without_stack, 1);
}

static void names_of_tasks_add_no_frame(void **state)
{
	(void)state;
	assert_string_equal(hits_of(
		"             cat-181     [001] .....    63.452590: f <-g\n"
		"             cat-181     [001] .....    63.452690: <stack trace>\n => f\n => g\n"
		"     \n => evil\nx-7       [001] .....    63.452700: f <-g\n"
		"     \n => evil\nx-7       [001] .....    63.452710: <stack trace>\n => f\n => h\n"
		"\n => evil\nevil\nx-8       [001] .....    63.452700: f <-g\n"),
		"cat-181@1: f g\n\n => evil\nx-7@1: f h\n\n => evil\nevil\nx-8@1?: f g\n");
}

/* Whatever the bytes, nothing breaks */
static void random_bytes_do_no_harm(void **state)
{
	static const char *const words[] = { "    1.000000 |   0)  ", "a-1", "   |   1.000 us   |", "  ", "f() {\n", "f();\n",
		"} /* f */\n", "}\n", "\n", " => f\n", "     a-1   [000] ..... 1.000000: f <-g\n", "<stack trace>\n", "\xff\x01", "|",
		"               |  ", "-1   [001] . 2.000000: <stack trace>\n", "CPU:1 [LOST 1 EVENTS]\n", "CPU:", "-", " <-" };
	uint64_t seed = 34;

	(void)state;
	begin_showing();
	call_trees_exit(&trees);
	stack_reader_exit(&stacks);
	call_trees_init(&trees, show_tree, NULL);
	stack_reader_init(&stacks, show_hit, NULL);
	for (int i = 0; i < 200000; i++) {
		const char *word;
		char byte[2] = "";

		seed = hash_u64(seed, (uint64_t)i);
		byte[0] = (char)(seed >> 40);
		word = seed % 5 ? words[(seed >> 8) % (sizeof(words) / sizeof(words[0]))] : byte;
		assert_int_equal(call_trees_feed(&trees, word, seed % 5 ? strlen(word) : 1), 0);
		assert_int_equal(stack_reader_feed(&stacks, word, seed % 5 ? strlen(word) : 1), 0);
	}
	assert_int_equal(call_trees_finish(&trees), 0);
	assert_int_equal(stack_reader_finish(&stacks), 0);
	fclose(to_shown);
	assert_true(stacks.hits > 100);
	assert_int_equal(trees.held, 0);
}

/* ----------------------------------------------------------------- settings */

static void put(const char *path, const char *text)
{
	write_file(path, text, strlen(text));
}

static void save_some(struct trace_settings *s)
{
	put("tracing_on", "1\n");
	put("trace_clock", "local [global] mono\n");
	put("filter", "vfs_read\next4_read [ext4]\nvfs_open:traceoff:unlimited\n");
	put("pids", "no pid\n");
	put("untouched", "7\n");
	assert_int_equal(settings_init(s, scratch), 0);
	assert_true(asprintf(&s->instance, "%s/instance", scratch) > 0);
	assert_int_equal(settings_save(s, "tracing_on", SETTING_VALUE), 0);
	assert_int_equal(settings_save(s, "missing", SETTING_VALUE), 0);
	assert_int_equal(settings_save(s, "trace_clock", SETTING_CHOICE), 0);
	assert_int_equal(settings_save(s, "filter", SETTING_LIST), 0);
	assert_int_equal(settings_save(s, "pids", SETTING_LIST), 0);
	assert_int_equal(settings_save(s, "untouched", SETTING_VALUE), 0);
}

static void change_some(struct trace_settings *s)
{
	assert_int_equal(settings_set(s, "missing", "1"), -ENOENT);
	assert_int_equal(settings_set(s, "tracing_on", "0"), 0);
	assert_int_equal(settings_set(s, "trace_clock", "mono"), 0);
	assert_int_equal(settings_set(s, "filter", "other\n"), 0);
	assert_int_equal(settings_set(s, "pids", "12\n"), 0);
	assert_int_equal(settings_make_instance(s), 0);
	assert_out("filter", "other\n");
	/* Somebody else changes this one meanwhile */
	put("untouched", "8\n");
}

static void assert_restored(void)
{
	assert_out("tracing_on", "1");
	assert_out("trace_clock", "global");
	assert_out("filter", "vfs_read\next4_read\n");
	assert_out("pids", "");
	assert_out("untouched", "8\n");
	assert_int_not_equal(access("instance", F_OK), 0);
	assert_int_not_equal(access("missing", F_OK), 0);
}

static void settings_are_restored(void **state)
{
	struct trace_settings s;

	(void)state;
	save_some(&s);
	change_some(&s);
	assert_int_equal(settings_restore(&s), 0);
	assert_restored();
	settings_exit(&s);
}

static int restore(void *s)
{
	return !!settings_restore(s);
}

/* A process with a guardian: it changes the settings, and kills itself and its group */
static void be_killed(int output, int until_restored)
{
	struct trace_settings s;
	struct guardian g;

	setpgid(0, 0);
	dup2(output, STDOUT_FILENO);
	close(output);
	save_some(&s);
	assert_int_equal(guardian_start(&g, restore, &s, until_restored), 0);
	change_some(&s);
	signal(SIGINT, SIG_IGN);
	kill(0, SIGINT);
	kill(0, SIGKILL);
	_exit(1);
}

/* Return: whether the pipe has ended; it has no bytes */
static bool has_ended(int fd)
{
	char byte;

	return !read(fd, &byte, 1);
}

static void guardian_restores_after_sigkill(void **state)
{
	int output[2], until_restored[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(output) | pipe(until_restored), 0);
	fflush(NULL);
	pid = fork();
	if (!pid)
		be_killed(output[1], until_restored[1]);
	close(output[1]);
	close(until_restored[1]);
	/* The output ends with the process: the guardian does not keep it open */
	assert_true(has_ended(output[0]));
	assert_int_equal(killed_by(pid), SIGKILL);
	assert_true(has_ended(until_restored[0]));
	assert_restored();
	close(output[0]);
	close(until_restored[0]);
}

/* With all descriptors in use, the guardian cannot look for those to close, and is ready all the same. */
static void guardian_needs_no_descriptor(void **state)
{
	struct rlimit before, few;
	struct guardian g;
	struct trace_settings s;
	int ends[4], err;

	(void)state;
	save_some(&s);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	assert_int_equal(pipe(ends) | pipe(ends + 2), 0);
	few.rlim_cur = (rlim_t)ends[3] + 1;
	for (size_t i = 0; i < 4; i++)
		close(ends[i]);
	/* The guardian that is not ready keeps this process waiting. */
	alarm(20);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	err = guardian_start(&g, restore, &s, -1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	alarm(0);
	assert_int_equal(err, 0);
	change_some(&s);
	guardian_finish(&g);
	assert_int_equal(settings_restore(&s), 0);
	assert_restored();
	settings_exit(&s);
}

static void guardian_reports_what_it_could_not_restore(void **state)
{
	struct trace_settings s;
	struct guardian g;

	(void)state;
	save_some(&s);
	assert_int_equal(guardian_start(&g, restore, &s, -1), 0);
	change_some(&s);
	/* A file in the instance's directory: it cannot be removed */
	put("instance/file", "");
	assert_int_equal(guardian_finish(&g), 1);
	assert_out("filter", "vfs_read\next4_read\n");
	assert_int_equal(unlink("instance/file"), 0);
	assert_int_equal(settings_restore(&s), 0);
	assert_restored();
	settings_exit(&s);
}

/* ---------------------------------------------------------------- functions */

static int check_functions(const char *name)
{
	int saved = hush(), fd = open("said", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), err;

	dup2(fd, STDERR_FILENO);
	err = trace_functions_check(".", &name, 1);
	unhush(saved);
	close(fd);
	return err;
}

static void functions_that_are_missing_have_neighbours(void **state)
{
	(void)state;
	put("available_filter_functions", "vfs_write\nvfs_read\nvfs_readv\next4_read [ext4]\nvfs_read\n");
	assert_int_equal(check_functions("vfs_read"), 0);
	assert_int_equal(check_functions("ext4_read"), 0);
	assert_int_equal(check_functions("ext4_*"), 0);
	assert_int_equal(check_functions("vfs_raed"), -ENOENT);
	assert_has("said", "Similar ones are: vfs_read, vfs_readv", true);
	assert_has("said", "ext4_read", false);
	assert_int_equal(check_functions("xfs_*"), -ENOENT);
	assert_int_equal(check_functions("vfs_read:traceoff"), -ENOENT);
	assert_int_equal(check_functions(""), -ENOENT);
	unlink("available_filter_functions");
	assert_true(check_functions("vfs_read") < 0);
	assert_has("said", "CONFIG_DYNAMIC_FTRACE", true);
}

static void users_of_tracefs_are_named(void **state)
{
	char *text, want[64];
	int fd, ends[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		fd = open("trace_pipe", O_RDWR | O_CREAT, 0600);
		_exit(fd < 0 || has_ended(ends[0]) != 1);
	}
	close(ends[0]);
	snprintf(want, sizeof(want), "(process %d) has trace_pipe open.", pid);
	for (text = NULL; !text || !strstr(text, want); text = other_tracers(scratch))
		free(text);
	free(text);
	close(ends[1]);
	assert_int_equal(exit_status(pid), 0);
	text = other_tracers(scratch);
	assert_string_equal(text, "");
	free(text);
}

static void wrong_command_lines_are_refused(void **state)
{
	(void)state;
	assert_refused(cmd_trace, "", "name a kernel function");
	assert_refused(cmd_trace, "-g a --stack b", "give one of them");
	assert_refused(cmd_trace, "-g a -p 1 -- true", "give one of them");
	assert_refused(cmd_trace, "--stack a -o x.svg", "-o is for calls with times");
	assert_refused(cmd_trace, "--stack a --depth 3", "--depth is for calls with times");
	assert_refused(cmd_trace, "-g a -o -", "name a file for the picture");
	assert_refused(cmd_trace, "-g a --depth 0", "a depth is 1 to 1000");
	assert_refused(cmd_trace, "-g a -d x", "a duration is a number");
	assert_refused(cmd_trace, "-g a -p x", "this is no list of process ids");
}

static int setup(void **state)
{
	*state = NULL;
	enter_scratch();
	return 0;
}

static int teardown(void **state)
{
	call_trees_exit(&trees);
	stack_reader_exit(&stacks);
	free(shown);
	return leave_scratch(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_each_kernel),
		cmocka_unit_test(calls_of_tasks_are_mixed),
		cmocka_unit_test(calls_that_are_not_complete),
		cmocka_unit_test(names_of_tasks_imitate_nothing),
		cmocka_unit_test(text_is_clean),
		cmocka_unit_test(chart_has_a_lane_for_each_task),
		cmocka_unit_test(hits_have_their_stacks),
		cmocka_unit_test(names_of_tasks_add_no_frame),
		cmocka_unit_test(random_bytes_do_no_harm),
		cmocka_unit_test(settings_are_restored),
		cmocka_unit_test(guardian_restores_after_sigkill),
		cmocka_unit_test(guardian_needs_no_descriptor),
		cmocka_unit_test(guardian_reports_what_it_could_not_restore),
		cmocka_unit_test(functions_that_are_missing_have_neighbours),
		cmocka_unit_test(users_of_tracefs_are_named),
		cmocka_unit_test(wrong_command_lines_are_refused),
	};

	cmocka_set_test_filter(getenv("KFLAME_CASE"));
	return cmocka_run_group_tests(tests, setup, teardown);
}
