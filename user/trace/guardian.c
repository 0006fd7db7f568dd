// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guardian.c - a process that does one thing when the tool ends, however the tool ends
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/guardian.h"

/* close_range(2) came with Linux 5.9, and glibc has it only since 2.34 */
static void close_others(int first, int second)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		int fd = atoi(e->d_name);

		if (fd > STDERR_FILENO && fd != first && fd != second && fd != dirfd(d))
			close(fd);
	}
	if (d)
		closedir(d);
}

static void leave_terminal(void)
{
	static const int deadly[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGUSR1, SIGUSR2 };
	int nowhere = open("/dev/null", O_RDWR);

	setsid();
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		signal(deadly[i], SIG_IGN);
	for (int fd = STDIN_FILENO; nowhere >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(nowhere, fd);
	if (nowhere < 0)
		for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
			close(fd);
	prctl(PR_SET_NAME, "kflame-guardian");
	/* No directory is kept busy */
	if (chdir("/"))
		return;
}

static void wait_for_end(int fd)
{
	char word;
	ssize_t n;

	do
		n = read(fd, &word, 1);
	while (n > 0 || (n < 0 && errno == EINTR));
}

static void close_both(const int *ends)
{
	close(ends[0]);
	close(ends[1]);
}

int guardian_start(struct guardian *g, int (*end)(void *ctx), void *ctx, int keep)
{
	int ends[2], ready[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	if (pipe2(ready, O_CLOEXEC)) {
		err = -errno;
		close_both(ends);
		return err;
	}
	g->pid = fork();
	if (g->pid < 0) {
		err = -errno;
		g->pid = 0;
		close_both(ends);
		close_both(ready);
		return err;
	}
	if (!g->pid) {
		close(ends[1]);
		close(ready[0]);
		leave_terminal();
		/* The tool waits for it, so it is not left to close_others(), which needs /proc. */
		close(ready[1]);
		close_others(ends[0], keep);
		wait_for_end(ends[0]);
		_exit(end(ctx));
	}
	close(ends[0]);
	close(ready[1]);
	g->pipe = ends[1];
	/* Until the guardian has left it, a signal to the tool's process group would end the guardian, too. */
	wait_for_end(ready[0]);
	close(ready[0]);
	return 0;
}

int guardian_finish(struct guardian *g)
{
	int status = 0;
	pid_t pid;

	if (!g->pid)
		return 0;
	close(g->pipe);
	do
		pid = waitpid(g->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	g->pid = 0;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
