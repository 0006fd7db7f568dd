// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * child_command.c - starts the command that is recorded
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/message.h"
#include "record/child_command.h"

static ssize_t read_some(int fd, void *to, size_t len)
{
	ssize_t n;

	do
		n = read(fd, to, len);
	while (n < 0 && errno == EINTR);
	return n;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* In the child: wait for a byte from the recorder, then run the program */
static void become(char **argv, int go, int failed)
{
	char word;
	int err;

	/* The recorder gave up or died: end the child, too */
	if (read_some(go, &word, 1) != 1)
		_exit(0);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

/* Reports errno as the reason.  Return: -1 */
static int cannot_start(struct command_run *c, int go[2], int failed[2])
{
	complain("'%s' cannot be started: %s", c->name, strerror(errno));
	for (int i = 0; i < 2; i++) {
		close_fd(&go[i]);
		close_fd(&failed[i]);
	}
	c->pid = 0;
	return -1;
}

int command_fork(struct command_run *c, char **argv)
{
	int go[2] = { -1, -1 }, failed[2] = { -1, -1 };

	*c = (struct command_run){ .go = -1, .failed = -1, .name = argv[0] };
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
		complain("orphans of '%s' will not be sampled: %s", argv[0], strerror(errno));
	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return cannot_start(c, go, failed);
	c->pid = fork();
	if (c->pid < 0)
		return cannot_start(c, go, failed);
	if (!c->pid) {
		close(go[1]);
		close(failed[0]);
		become(argv, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	c->go = go[1];
	c->failed = failed[0];
	return 0;
}

int command_go(struct command_run *c)
{
	ssize_t n;
	int err = 0;

	do
		n = write(c->go, "", 1);
	while (n < 0 && errno == EINTR);
	close_fd(&c->go);
	/* A successful exec closes the pipe, so the read returns nothing */
	n = read_some(c->failed, &err, sizeof(err));
	close_fd(&c->failed);
	if (n != sizeof(err))
		return 0;
	complain("'%s' cannot be run: %s", c->name, strerror(err));
	return err == ENOENT ? 127 : 126;
}

bool command_reap(struct command_run *c)
{
	int status;
	pid_t pid;

	/* A subreaper must also collect orphans that end */
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != c->pid)
			continue;
		c->ended = true;
		c->status = status;
	}
	return c->ended;
}

void command_signal(const struct command_run *c, int signal)
{
	if (c->pid > 0 && !c->ended)
		kill(c->pid, signal);
}

int command_status(const struct command_run *c)
{
	if (!c->ended)
		return 0;
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

void command_drop(struct command_run *c)
{
	bool waits = c->pid > 0 && c->go >= 0;

	close_fd(&c->go);
	close_fd(&c->failed);
	/* The recorder's end of the pipe is closed, so the child exits by itself */
	if (waits)
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
}
