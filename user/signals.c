// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signals.c - signals that are read like a file, see signals.h
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "signals.h"

/* Where the handler writes to: it has no argument of ours */
static int to_pipe = -1;

static void tell(int number, siginfo_t *info, void *context)
{
	struct signal_word word = { .number = number, .from_kernel = info->si_code == SI_KERNEL };
	int saved = errno;
	ssize_t n = write(to_pipe, &word, sizeof(word));

	/* A full pipe says already that there is something; less than PIPE_BUF is never cut */
	(void)n;
	(void)context;
	errno = saved;
}

int signals_open(void)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	struct sigaction action = { .sa_sigaction = tell,
				    .sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDSTOP };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return -1;
	to_pipe = ends[1];
	/* A reader of our output that goes is an error of writing, and told as one */
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&action.sa_mask);
	for (unsigned int i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (sigaction(wanted[i], &action, NULL))
			return -1;
	return ends[0];
}

bool signals_take(int fd, struct signal_word *word)
{
	ssize_t n;

	do
		n = read(fd, word, sizeof(*word));
	while (n < 0 && errno == EINTR);
	return n == sizeof(*word);
}
