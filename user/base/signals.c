// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signals.c - read signals from a descriptor, see signals.h
 *
 * Each signal has a flag, which the handler sets.  The pipe only wakes the reader: it may be full.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/signals.h"

static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };

#define NR_WANTED	(sizeof(wanted) / sizeof(wanted[0]))

enum { NOTHING, FROM_KERNEL, FROM_PROCESS };

/* For the signal handler, which gets no argument from us */
static volatile sig_atomic_t came[NR_WANTED];
static int to_pipe = -1;

static void tell(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	ssize_t n;

	for (unsigned int i = 0; i < NR_WANTED; i++)
		if (wanted[i] == number)
			came[i] = info->si_code == SI_KERNEL ? FROM_KERNEL : FROM_PROCESS;
	/* If the pipe is full, it wakes the reader anyway */
	n = write(to_pipe, "", 1);
	(void)n;
	(void)context;
	errno = saved;
}

int signals_open(void)
{
	struct sigaction action = { .sa_sigaction = tell,
				    .sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDSTOP };
	sigset_t all;
	int ends[2], old = to_pipe;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return -1;
	to_pipe = ends[1];
	if (old >= 0)
		close(old);
	/* If the reader of our output exits, a write shall fail: kflame reports that error */
	signal(SIGPIPE, SIG_IGN);
	/* A write past the file size limit shall fail, too */
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&action.sa_mask);
	sigemptyset(&all);
	for (unsigned int i = 0; i < NR_WANTED; i++) {
		sigaddset(&all, wanted[i]);
		if (sigaction(wanted[i], &action, NULL))
			return -1;
	}
	/* The process that started kflame may have blocked these signals */
	if (sigprocmask(SIG_UNBLOCK, &all, NULL))
		return -1;
	/* Signals that arrived before, and were not taken, must wake the reader of the new pipe */
	for (unsigned int i = 0; i < NR_WANTED; i++)
		if (came[i] != NOTHING && write(to_pipe, "", 1) < 0)
			return -1;
	return ends[0];
}

bool signals_take(int fd, struct signal_word *word)
{
	char some[64];

	/* Empty the pipe first, then check the flags: a signal in between wakes the reader again */
	while (read(fd, some, sizeof(some)) > 0 || errno == EINTR)
		;
	for (unsigned int i = 0; i < NR_WANTED; i++) {
		sig_atomic_t how = came[i];

		if (how == NOTHING)
			continue;
		came[i] = NOTHING;
		*word = (struct signal_word){ wanted[i], how == FROM_KERNEL };
		return true;
	}
	return false;
}

bool signals_end(void)
{
	for (unsigned int i = 0; i < NR_WANTED; i++)
		if (wanted[i] != SIGCHLD && came[i] != NOTHING)
			return true;
	return false;
}
