/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_session.h - sets the kernel's tracer up, gives its text, and restores all settings
 *
 * A tracer that works in an instance of its own is used there, and the instance is removed at the end. Else the tracer of
 * the whole machine is used, if nobody else uses it.  The filters of function_graph are settings of the whole machine in
 * both cases.  They are saved, and a guardian restores them, see guardian.h.
 */
#ifndef KFLAME_TRACE_TRACE_SESSION_H
#define KFLAME_TRACE_TRACE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "trace/guardian.h"
#include "trace/trace_settings.h"

/**
 * struct trace_request - what to trace
 * @functions:	names, or patterns with *
 * @without:	names or patterns of functions that are left out
 * @depth:	most calls below each other; 0: all
 * @stacks:	each call of .functions with its stack; else all that they call
 * @some_tasks:	only tasks that trace_session_start() gets, and their children
 */
struct trace_request {
	const char **functions;
	size_t nr;
	const char **without;
	size_t nr_without;
	unsigned int depth;
	bool stacks;
	bool some_tasks;
};

/**
 * struct trace_session - the tracer
 * @top:	where tracefs is
 * @dir:	the directory that is traced in: .top, or that of the instance
 * @fd:		text comes here; reading does not block
 * @lock:	keeps two of these from changing settings of the whole machine at once; -1: not needed
 */
struct trace_session {
	const struct trace_request *r;
	char *top;
	const char *dir;
	int fd;
	int lock;
	struct trace_settings settings;
	struct guardian guardian;
};

/**
 * trace_session_open() - checks what is needed, saves the settings and starts the guardian
 *
 * Call it before a command is forked and before signals are caught.
 *
 * Return: 0; -1 after an error message.  Call trace_session_close() in both cases.
 */
int trace_session_open(struct trace_session *s, const struct trace_request *r);

/**
 * trace_session_start() - changes the settings, and begins to trace
 * @pids:	ids of threads, for .some_tasks
 *
 * Return: 0; -1 after an error message.
 */
int trace_session_start(struct trace_session *s, const pid_t *pids, size_t nr);

/** trace_session_stop() - stops tracing.  What was traced can still be read. */
void trace_session_stop(struct trace_session *s);

/** trace_session_close() - restores all settings; may be called twice.  Return: 0; -1 after an error message. */
int trace_session_close(struct trace_session *s);

#endif
