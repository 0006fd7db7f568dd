// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_session.c - sets the kernel's tracer up, gives its text, and restores all settings
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/message.h"
#include "trace/other_tracers.h"
#include "trace/trace_functions.h"
#include "trace/trace_session.h"
#include "trace/trace_files.h"

#define INSTEAD	"'kflame record -e kprobe:FUNC' records stacks without it"

/* Settings that make lines as graph_lines.h and stack_lines.h read them.  Kernels lack some of them */
static const struct {
	const char *file;
	const char *value;
} options[] = {
	{ "options/bin", "0" },
	{ "options/hex", "0" },
	{ "options/raw", "0" },
	{ "options/block", "0" },
	{ "options/verbose", "0" },
	{ "options/latency-format", "0" },
	{ "options/context-info", "1" },
	{ "options/print-parent", "1" },
	{ "options/sym-addr", "0" },
	{ "options/sym-offset", "0" },
	{ "options/stacktrace", "0" },
	{ "options/userstacktrace", "0" },
	{ "options/record-tgid", "0" },
	{ "options/event-fork", "0" },
	{ "options/pause-on-trace", "0" },
	{ "options/overwrite", "1" },
	{ "options/function-trace", "1" },
	{ "options/display-graph", "0" },
	{ "options/fields", "0" },
};

/* Options of a tracer.  All instances share them, but not on every kernel */
static const struct {
	const char *file;
	const char *value;
} shared_options[] = {
	{ "options/func-args", "0" },
	{ "options/func-no-repeats", "0" },
	{ "options/funcgraph-abstime", "1" },
	{ "options/funcgraph-cpu", "1" },
	{ "options/funcgraph-proc", "1" },
	{ "options/funcgraph-duration", "1" },
	{ "options/funcgraph-overhead", "0" },
	{ "options/funcgraph-overrun", "0" },
	{ "options/funcgraph-tail", "1" },
	{ "options/funcgraph-irqs", "1" },
	{ "options/funcgraph-args", "0" },
	{ "options/funcgraph-retval", "0" },
	{ "options/funcgraph-retaddr", "0" },
	{ "options/sleep-time", "1" },
};

#define STACKS	"options/func_stack_trace"
#define CHILDREN "options/function-fork"

/*
 * All other files that are changed, in the order in which they are set. They are restored in the reverse order: the tracer
 * first, and tracing_on last.
 */
static const struct {
	const char *file;
	enum setting_kind kind;
} files[] = {
	{ "trace_clock", SETTING_CHOICE },
	{ "set_ftrace_filter", SETTING_LIST },
	{ "set_ftrace_notrace", SETTING_LIST },
	{ "set_graph_function", SETTING_LIST },
	{ "set_graph_notrace", SETTING_LIST },
	{ "set_ftrace_pid", SETTING_LIST },
	{ "set_ftrace_notrace_pid", SETTING_LIST },
	{ "max_graph_depth", SETTING_VALUE },
	{ "current_tracer", SETTING_VALUE },
};

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

static const char *tracer_of(const struct trace_request *r)
{
	return r->stacks ? "function" : "function_graph";
}

static bool is_top(const struct trace_session *s)
{
	return s->dir == s->top;
}

/* ------------------------------------------------------------------- before */

static int check_tracer(const struct trace_session *s)
{
	const char *tracer = tracer_of(s->r);

	if (trace_file_has_word("/proc/sys/kernel", "ftrace_enabled", "0")) {
		complain("the kernel's tracer is switched off. Run 'sysctl kernel.ftrace_enabled=1' as root");
		return -1;
	}
	if (trace_file_has_word(s->top, "available_tracers", tracer))
		return 0;
	complain("this kernel has no tracer '%s': it was built without %s. " INSTEAD, tracer,
		 s->r->stacks ? "CONFIG_FUNCTION_TRACER" : "CONFIG_FUNCTION_GRAPH_TRACER");
	return -1;
}

static int take_lock(struct trace_session *s)
{
	s->lock = open(s->top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->lock >= 0 && !flock(s->lock, LOCK_EX | LOCK_NB))
		return 0;
	if (s->lock >= 0 && errno == EWOULDBLOCK)
		complain("another kflame trace uses the tracer of this machine. Wait until it has ended");
	else
		complain("cannot lock %s: %s", s->top, strerror(errno));
	return -1;
}

/* Refuse to take the tracer of the machine, or its filters, away from somebody else */
static int check_unused(const struct trace_session *s, const char *file, const char *unused)
{
	char *now = trace_file_read(s->top, file), *others;
	bool is_used = now && strncmp(now, unused, strlen(unused));

	if (is_used) {
		now[strcspn(now, "\n")] = 0;
		others = other_tracers(s->top);
		complain("somebody else uses the tracer of this machine: %s/%s is '%s'.%s kflame does not take it away. "
			 "Ask who uses it, or run 'echo %s > %s/%s' if nobody does", s->top, file, now,
			 others ? others : "", unused, s->top, file);
		free(others);
	}
	free(now);
	return is_used ? -1 : 0;
}

/* Before 5.11, only the tracer of the whole machine records stacks */
static bool needs_top(const struct trace_session *s)
{
	struct utsname u;
	unsigned int major, minor;

	if (!trace_file_exists(s->top, "instances"))
		return true;
	return s->r->stacks && !uname(&u) && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major < 5 || (major == 5 && minor < 11));
}

static int save(struct trace_session *s)
{
	struct trace_settings *t = &s->settings;
	int err = settings_init(t, s->top);

	if (!err && asprintf(&t->instance, "%s/instances/kflame-%d", s->top, getpid()) < 0) {
		t->instance = NULL;
		err = -ENOMEM;
	}
	if (!err)
		err = settings_save(t, "tracing_on", SETTING_VALUE);
	for (size_t i = 0; !err && i < NR(options); i++)
		err = settings_save(t, options[i].file, SETTING_VALUE);
	for (size_t i = 0; !err && i < NR(shared_options); i++)
		err = settings_save(t, shared_options[i].file, SETTING_VALUE);
	if (!err)
		err = settings_save(t, CHILDREN, SETTING_VALUE);
	if (!err)
		err = settings_save(t, STACKS, SETTING_VALUE);
	for (size_t i = 0; !err && i < NR(files); i++)
		err = settings_save(t, files[i].file, files[i].kind);
	if (err)
		complain("cannot save the settings in %s: %s", s->top, strerror(-err));
	return err;
}

/* The guardian's work */
static int restore(void *settings)
{
	return !!settings_restore(settings);
}

int trace_session_open(struct trace_session *s, const struct trace_request *r)
{
	int err;

	*s = (struct trace_session){ .r = r, .fd = -1, .lock = -1 };
	s->top = trace_files_open();
	if (!s->top || check_tracer(s) || trace_functions_check(s->top, r->functions, r->nr) ||
	    trace_functions_check(s->top, r->without, r->nr_without) || take_lock(s))
		return -1;
	if ((needs_top(s) || !r->stacks) && check_unused(s, "current_tracer", "nop"))
		return -1;
	if (save(s))
		return -1;
	err = guardian_start(&s->guardian, restore, &s->settings, s->lock);
	if (err)
		complain("the process that restores the settings cannot be started: %s", strerror(-err));
	return err ? -1 : 0;
}

/* -------------------------------------------------------------------- start */

/* Settings of the whole machine, also if an instance is used */
static bool is_global(const char *file)
{
	return !strncmp(file, "set_graph_", 10) || !strcmp(file, "max_graph_depth");
}

/* Return: 0 or a negative errno, after an error message */
static int set(struct trace_session *s, const char *file, const char *text)
{
	int err;

	if (is_top(s) || is_global(file))
		err = settings_set(&s->settings, file, text);
	else
		err = trace_file_write(s->dir, file, text);
	if (err)
		complain("cannot set %s/%s to '%.200s': %s%s", s->dir, file, text, strerror(-err),
			 err == -EBUSY ? ". Somebody else reads trace_pipe there" : "");
	return err;
}

/* Kernels lack some options */
static int set_option(struct trace_session *s, const char *file, const char *value)
{
	const char *now = is_top(s) ? settings_value(&s->settings, file) : NULL;

	if (is_top(s) ? !now || !strcmp(now, value) : !trace_file_exists(s->dir, file))
		return 0;
	return set(s, file, value);
}

/* An option of a tracer may change for all instances */
static int set_shared_option(struct trace_session *s, const char *file, const char *value)
{
	if (!is_top(s) && trace_file_exists(s->dir, file))
		settings_mark(&s->settings, file);
	return set_option(s, file, value);
}

static int set_options(struct trace_session *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < NR(options); i++)
		err = set_option(s, options[i].file, options[i].value);
	for (size_t i = 0; !err && i < NR(shared_options); i++)
		err = set_shared_option(s, shared_options[i].file, shared_options[i].value);
	if (!err)
		err = set_option(s, CHILDREN, s->r->some_tasks ? "1" : "0");
	return err ? err : set_shared_option(s, STACKS, s->r->stacks ? "1" : "0");
}

/* Write a list of names, one a line */
static int set_names(struct trace_session *s, const char *file, const char **names, size_t nr)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int err = -ENOMEM;

	for (size_t i = 0; f && i < nr; i++)
		fprintf(f, "%s\n", names[i]);
	if (f && !fclose(f))
		err = set(s, file, text);
	free(text);
	return err;
}

static int set_pids(struct trace_session *s, const char *file, const pid_t *pids, size_t nr)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int err = -ENOMEM;

	for (size_t i = 0; f && i < nr; i++)
		fprintf(f, "%d\n", pids[i]);
	if (f && !fclose(f))
		err = set(s, file, text);
	free(text);
	return err;
}

/* The tool's own calls would be traced while it reads, and never end */
static int set_tasks(struct trace_session *s, const pid_t *pids, size_t nr)
{
	const pid_t own = getpid();
	int err = set_pids(s, "set_ftrace_pid", pids, nr);

	/* Only 5.8 and newer have it */
	if (err || !trace_file_exists(s->dir, "set_ftrace_notrace_pid"))
		return err;
	return set_pids(s, "set_ftrace_notrace_pid", &own, !s->r->some_tasks);
}

static int set_filters(struct trace_session *s)
{
	const struct trace_request *r = s->r;
	char depth[16];
	int err;

	if (r->stacks) {
		err = set_names(s, "set_ftrace_filter", r->functions, r->nr);
		return err ? err : set_names(s, "set_ftrace_notrace", r->without, r->nr_without);
	}
	snprintf(depth, sizeof(depth), "%u", r->depth);
	/* To trace all functions takes a second, and slows all of them: leave them alone if no callees are wanted */
	if (r->depth == 1)
		err = set_names(s, "set_ftrace_filter", r->functions, r->nr);
	else
		err = is_top(s) ? set(s, "set_ftrace_filter", "") : 0;
	if (!err)
		err = set_names(s, "set_graph_function", r->functions, r->nr);
	if (!err)
		err = set_names(s, "set_graph_notrace", r->without, r->nr_without);
	return err ? err : set(s, "max_graph_depth", depth);
}

/* Make an instance, if the tracer works in it; else trace in .top.  Return: 0; -1 after an error message */
static int choose_dir(struct trace_session *s)
{
	int err = -ENOENT;

	s->dir = s->top;
	if (!needs_top(s)) {
		err = settings_make_instance(&s->settings);
		/* It is left of a process that had this id */
		if (err == -EEXIST && !rmdir(s->settings.instance))
			err = settings_make_instance(&s->settings);
		if (err) {
			complain("cannot make %s: %s", s->settings.instance, strerror(-err));
			return -1;
		}
		if (trace_file_has_word(s->settings.instance, "available_tracers", tracer_of(s->r))) {
			s->dir = s->settings.instance;
			return 0;
		}
		settings_remove_instance(&s->settings);
	}
	return check_unused(s, "events/enable", "0");
}

/* Timestamps of all CPUs must be of one clock */
static int set_clock(struct trace_session *s)
{
	return trace_file_has_word(s->dir, "trace_clock", "mono") ? set(s, "trace_clock", "mono") : 0;
}

static int open_pipe(struct trace_session *s)
{
	char *path;

	if (asprintf(&path, "%s/trace_pipe", s->dir) < 0)
		return -1;
	s->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (s->fd < 0)
		complain("cannot read %s: %s", path, strerror(errno));
	free(path);
	return s->fd < 0 ? -1 : 0;
}

int trace_session_start(struct trace_session *s, const pid_t *pids, size_t nr)
{
	if (choose_dir(s) || set(s, "tracing_on", "0") || set_options(s) || set_clock(s) || set_filters(s) ||
	    set_tasks(s, pids, nr) || set(s, "current_tracer", tracer_of(s->r)) || open_pipe(s))
		return -1;
	return set(s, "tracing_on", "1") ? -1 : 0;
}

void trace_session_stop(struct trace_session *s)
{
	set(s, "tracing_on", "0");
}

int trace_session_close(struct trace_session *s)
{
	int status;

	if (s->fd >= 0)
		close(s->fd);
	status = guardian_finish(&s->guardian);
	/* Somebody killed it, or a file was busy */
	if (status)
		status = settings_restore(&s->settings);
	if (status)
		complain("not all settings in %s could be restored. Run 'echo nop > %s/current_tracer'", s->top, s->top);
	settings_exit(&s->settings);
	if (s->lock >= 0)
		close(s->lock);
	free(s->top);
	*s = (struct trace_session){ .fd = -1, .lock = -1 };
	return status ? -1 : 0;
}
