// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_trace.c - kflame trace: calls of kernel functions as they happen
 *
 * One loop waits for the text of the kernel's tracer, for signals and for the clock.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/message.h"
#include "base/signals.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/picture_options.h"
#include "cmd/trace_chart.h"
#include "cmd/trace_options.h"
#include "cmd/trace_text.h"
#include "record/child_command.h"

#define BUFFER		(64u << 10)
/* Signals and the clock are looked at in between: a busy kernel may write as fast as this reads */
#define READS		64
/* The kernel may wake nobody for the last few lines */
#define LOOK_MS		200

struct trace {
	const struct trace_options *o;
	struct trace_session session;
	struct command_run command;
	int signals;
	uint64_t end_ns;		/* 0: no end */
	char *buffer;
	struct call_trees trees;
	struct stack_reader stacks;
	struct trace_chart chart;
	struct output picture;
	bool has_picture;		/* .picture is open */
	uint64_t nr_trees, nr_calls;
	int err;
};

/* Call it right after something was written.  Return: 0 or a negative errno */
static int output_error(void)
{
	if (!ferror(stdout))
		return 0;
	return errno ? -errno : -EIO;
}

/* A call_tree_fn */
static int take_tree(void *ctx, const struct call_trees *all, const struct call_tree *tree)
{
	struct trace *t = ctx;
	int err;

	t->nr_trees++;
	t->nr_calls += tree->nr;
	trace_put_tree(stdout, all, tree);
	err = output_error();
	return err || !t->has_picture ? err : trace_chart_add(&t->chart, all, tree);
}

/* A stack_hit_fn */
static int take_hit(void *ctx, const struct stack_hit *hit)
{
	(void)ctx;
	trace_put_hit(stdout, hit);
	return output_error();
}

/* ------------------------------------------------------------------ reading */

static int feed(struct trace *t, size_t len)
{
	return t->o->request.stacks ? stack_reader_feed(&t->stacks, t->buffer, len) :
				      call_trees_feed(&t->trees, t->buffer, len);
}

/* Read what is there, or a part of it.  Return: whether there may be more */
static bool drain(struct trace *t, int reads)
{
	while (!t->err && reads-- > 0) {
		ssize_t n = read(t->session.fd, t->buffer, BUFFER);

		if (n > 0) {
			t->err = feed(t, (size_t)n);
		} else if (!n || errno == EAGAIN) {
			fflush(stdout);
			t->err = output_error();
			return false;
		} else if (errno != EINTR) {
			t->err = -errno;
			complain("what was traced cannot be read: %s", strerror(errno));
		}
	}
	return !t->err;
}

/* Return: whether a signal, or the end of the command, ends the trace */
static bool take_signals(struct trace *t)
{
	struct signal_word word;
	bool over = false;

	while (signals_take(t->signals, &word)) {
		if (word.number == SIGCHLD) {
			if (t->command.pid && command_reap(&t->command))
				over = true;
			continue;
		}
		over = true;
		/* The terminal sends its signals to the command, too */
		if (!word.from_kernel)
			command_signal(&t->command, word.number);
	}
	return over;
}

/* Return: how long to wait at most; 0: the time is up */
static int time_left(const struct trace *t)
{
	uint64_t now = now_ns(), ms;

	if (!t->end_ns)
		return LOOK_MS;
	if (now >= t->end_ns)
		return 0;
	ms = (t->end_ns - now) / 1000000 + 1;
	return ms < LOOK_MS ? (int)ms : LOOK_MS;
}

static void follow(struct trace *t)
{
	struct pollfd fds[] = {
		{ .fd = t->session.fd, .events = POLLIN },
		{ .fd = t->signals, .events = POLLIN },
	};
	bool more = false;
	int left;

	while (!t->err && (left = time_left(t))) {
		if (poll(fds, 2, more ? 0 : left) < 0 && errno != EINTR)
			break;
		if (fds[1].revents && take_signals(t))
			break;
		more = drain(t, READS);
	}
}

/* Wait for the command to end; a second signal stops the wait */
static void wait_for_command(struct trace *t)
{
	struct pollfd fd = { .fd = t->signals, .events = POLLIN };

	while (t->command.pid && !command_reap(&t->command)) {
		if (poll(&fd, 1, -1) < 0 && errno != EINTR)
			break;
		if (take_signals(t) && !t->command.ended)
			break;
	}
}

/* ------------------------------------------------------------------- begin */

/* The ids of all threads of a process.  Return: 0; -1 after an error message */
static int add_threads(struct id_list *to, uint32_t pid)
{
	char path[64];
	struct dirent *e;
	int err = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	d = opendir(path);
	if (!d) {
		complain("there is no process %" PRIu32 ": %s", pid, strerror(errno));
		return -1;
	}
	while (!err && (e = readdir(d)))
		if (*e->d_name != '.') {
			err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));
			if (!err)
				to->all[to->nr++] = (uint32_t)atoi(e->d_name);
		}
	closedir(d);
	if (err)
		complain("there is not enough memory to trace");
	return err;
}

static int start_session(struct trace *t)
{
	struct id_list ids = { NULL, 0, 0 };
	int err = 0;

	for (size_t i = 0; !err && i < t->o->pids.nr; i++)
		err = add_threads(&ids, t->o->pids.all[i]);
	if (!err && t->command.pid) {
		err = grow(&ids.all, 0, &ids.cap, sizeof(*ids.all));
		if (!err)
			ids.all[ids.nr++] = (uint32_t)t->command.pid;
	}
	if (!err)
		err = trace_session_start(&t->session, (pid_t *)ids.all, ids.nr);
	free(ids.all);
	return err;
}

/* Return: 0; -1 after an error message */
static int prepare(struct trace *t)
{
	t->buffer = malloc(BUFFER);
	if (!t->buffer) {
		complain("there is not enough memory to trace");
		return -1;
	}
	call_trees_init(&t->trees, take_tree, t);
	stack_reader_init(&t->stacks, take_hit, t);
	t->trees.own_pid = t->stacks.own_pid = getpid();
	if (t->o->output) {
		if (output_open(&t->picture, t->o->output, NULL))
			return -1;
		t->has_picture = true;
	}
	if (trace_session_open(&t->session, &t->o->request))
		return -1;
	if (t->o->command && command_fork(&t->command, t->o->command))
		return -1;
	t->signals = signals_open();
	if (t->signals < 0)
		complain("signals cannot be waited for: %s", strerror(errno));
	return t->signals < 0 ? -1 : start_session(t);
}

/* --------------------------------------------------------------------- end */

static void put_picture(struct trace *t)
{
	const struct trace_request *r = &t->o->request;
	struct flame_result result;
	char buf[TEXT_NUMBER], *title = NULL;
	struct flame_options o = { PICTURE_DEFAULTS, .subtitle = "Time goes from left to right, callees are below their callers" };

	t->has_picture = false;
	if (!t->chart.calls) {
		complain("there is nothing to draw, so %s is not written", t->o->output);
		output_abandon(&t->picture);
		return;
	}
	if (asprintf(&title, "Calls of %s", r->functions[0]) < 0)
		title = NULL;
	o.title = title ? title : "Calls";
	t->err = trace_chart_write(t->picture.file, &t->chart, &o, &result);
	free(title);
	if (t->err) {
		output_abandon(&t->picture);
		complain("there is not enough memory to draw %s", t->o->output);
		return;
	}
	if (output_close(&t->picture))
		t->err = -EIO;
	else if (strcmp(t->o->output, "-"))
		complain("drew %s calls into %s", text_count(buf, result.drawn), t->o->output);
	if (t->chart.left_out)
		complain("%s calls had no room in %s", text_count(buf, t->chart.left_out), t->o->output);
}

static void tell_lost(uint64_t events, uint64_t times)
{
	char buf[TEXT_NUMBER], often[TEXT_NUMBER];

	if (times)
		complain("the kernel lost %s events at %s places: calls are missing, or have no begin or no end. Trace less: "
			 "-p, -n, --depth", text_count(buf, events), text_count(often, times));
}

static void tell(struct trace *t)
{
	char buf[TEXT_NUMBER], all[TEXT_NUMBER];

	if (t->o->request.stacks) {
		complain("traced %s calls", text_count(buf, t->stacks.hits));
		tell_lost(t->stacks.lost, t->stacks.losses);
		if (t->stacks.without_stack)
			complain("%s of them have no stack", text_count(buf, t->stacks.without_stack));
		return;
	}
	complain("traced %s calls, %s with those below them", text_count(buf, t->nr_trees), text_count(all, t->nr_calls));
	tell_lost(t->trees.lost, t->trees.losses);
	if (t->trees.left_out)
		complain("%s calls were left out: there was no room for them", text_count(buf, t->trees.left_out));
	if (t->trees.unreadable)
		complain("%s lines of the kernel's tracer were not understood", text_count(buf, t->trees.unreadable));
}

/* Read the rest, and report what is not complete */
static void finish(struct trace *t)
{
	trace_session_stop(&t->session);
	while (drain(t, READS))
		;
	if (!t->err)
		t->err = t->o->request.stacks ? stack_reader_finish(&t->stacks) : call_trees_finish(&t->trees);
	if (t->err == -ENOMEM)
		complain("there is not enough memory to trace further");
}

/* Return: the exit status */
static int run(struct trace *t)
{
	int status = 0;

	if (prepare(t))
		return 1;
	if (t->o->duration_ns)
		t->end_ns = now_ns() + t->o->duration_ns;
	if (t->command.pid)
		status = command_go(&t->command);
	if (status)
		return status;
	follow(t);
	finish(t);
	/* The command may run for long after the trace */
	if (trace_session_close(&t->session) && !t->err)
		t->err = -EIO;
	wait_for_command(t);
	if (t->has_picture && !t->err)
		put_picture(t);
	/* A reader that has seen enough is no reason for messages */
	if (t->err != -EPIPE)
		tell(t);
	return t->err ? 1 : command_status(&t->command);
}

int cmd_trace(int argc, char **argv)
{
	struct trace_options o;
	struct trace t = { .o = &o, .signals = -1, .command = { .go = -1, .failed = -1 },
			   .session = { .fd = -1, .lock = -1 } };
	int status = 1;

	if (!trace_options_parse(&o, argc, argv))
		status = run(&t);
	command_drop(&t.command);
	if (trace_session_close(&t.session))
		status = 1;
	if (t.has_picture)
		output_abandon(&t.picture);
	call_trees_exit(&t.trees);
	stack_reader_exit(&t.stacks);
	trace_chart_exit(&t.chart);
	free(t.buffer);
	if (t.signals >= 0)
		close(t.signals);
	trace_options_exit(&o);
	/* close_stdout() reports errno if writing failed before */
	errno = -t.err;
	return close_stdout() && !status ? 1 : status;
}
