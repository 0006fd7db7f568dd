// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signals.c - signals that are read like a file, see signals.h
 *
 * What came is in a flag a signal, since a pipe may be full; the pipe only wakes.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/signals.h"

static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };

#define NR_WANTED	(sizeof(wanted) / sizeof(wanted[0]))

enum { NOTHING, FROM_KERNEL, FROM_PROCESS };

/* For the handler, which has no argument of ours */
static volatile sig_atomic_t came[NR_WANTED];
static int to_pipe = -1;

static void tell(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	ssize_t n;

	for (unsigned int i = 0; i < NR_WANTED; i++)
		if (wanted[i] == number)
			came[i] = info->si_code == SI_KERNEL ? FROM_KERNEL : FROM_PROCESS;
	/* A full one wakes as well */
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
	/* A reader of our output that goes is an error of writing, and reported as one */
	signal(SIGPIPE, SIG_IGN);
	/* And so is a limit of file sizes that is reached */
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&action.sa_mask);
	sigemptyset(&all);
	for (unsigned int i = 0; i < NR_WANTED; i++) {
		sigaddset(&all, wanted[i]);
		if (sigaction(wanted[i], &action, NULL))
			return -1;
	}
	/* Who started us may have blocked them */
	if (sigprocmask(SIG_UNBLOCK, &all, NULL))
		return -1;
	/* What came before and was not taken */
	for (unsigned int i = 0; i < NR_WANTED; i++)
		if (came[i] != NOTHING && write(to_pipe, "", 1) < 0)
			return -1;
	return ends[0];
}

bool signals_take(int fd, struct signal_word *word)
{
	char some[64];

	/* First empty, then ask: what comes in between wakes again */
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
