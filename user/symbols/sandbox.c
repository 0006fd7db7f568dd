// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sandbox.c - a process that reads what may be made to harm who reads it
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "symbols/confinement.h"
#include "symbols/sandbox.h"

/* The sanitizer takes terabytes of addresses that it never uses */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#endif

/* ---------------------------------------------------------------- the child */

static bool is_wanted(int fd, const int *fds, size_t nr_fds)
{
	for (size_t i = 0; i < nr_fds; i++)
		if (fds[i] == fd)
			return true;
	return false;
}

/* Among the others is the device, whose session must end when the recorder ends */
static bool close_others(const int *fds, size_t nr_fds, int out)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!all)
		return false;
	while ((entry = readdir(all))) {
		int fd = atoi(entry->d_name);

		if (fd > 2 && fd != out && fd != dirfd(all) && !is_wanted(fd, fds, nr_fds))
			close(fd);
	}
	closedir(all);
	return true;
}

/* What libraries may print is nothing for the terminal */
static bool silence(void)
{
	int nowhere = open("/dev/null", O_RDWR);

	if (nowhere < 0)
		return false;
	for (int fd = 0; fd <= 2; fd++)
		if (dup2(nowhere, fd) < 0)
			return false;
	return nowhere <= 2 || !close(nowhere);
}

/* The parent decides when it ends: what the terminal sends is for the parent */
static void set_signals(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		sigaction(i, &action, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool set_limit(int what, uint64_t most)
{
	struct rlimit limit;

	if (getrlimit(what, &limit))
		return false;
	if (most < limit.rlim_max)
		limit.rlim_max = most;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(what, &limit);
}

static bool set_limits(const struct sandbox_limits *l)
{
#ifndef SANITIZED
	unsigned long pages = 0;
	FILE *in = fopen("/proc/self/statm", "re");
	bool known = in && fscanf(in, "%lu", &pages) == 1;

	if (in)
		fclose(in);
	if (!known || !set_limit(RLIMIT_AS, pages * (uint64_t)sysconf(_SC_PAGESIZE) + l->memory))
		return false;
#endif
	return set_limit(RLIMIT_CPU, l->time_ns / 1000000000 + 1) && set_limit(RLIMIT_CORE, 0) &&
	       set_limit(RLIMIT_FSIZE, 0) && set_limit(RLIMIT_NOFILE, l->files);
}

/* Where memory is short this process goes, and no other */
static void go_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY);
	ssize_t n = fd < 0 ? 0 : write(fd, "1000", 4);

	/* It helps others only: if it cannot be had, then not */
	(void)n;
	if (fd >= 0)
		close(fd);
}

/* Return: false if the process may have kept privileges */
static bool drop_rights(int owner, unsigned int may)
{
	struct rights as = rights_nobody();

	return (owner < 0 || !rights_of_file(owner, &as)) && confinement_rights(as, may);
}

/* The parent holds the other end of @out.  Once it is gone, no parent will end this process. */
static bool has_reader(int out)
{
	struct pollfd fd = { .fd = out };

	return poll(&fd, 1, 0) >= 0 && !(fd.revents & POLLERR);
}

static bool confine(const struct sandbox_limits *l, const int *fds, size_t nr_fds, int out,
		    int owner)
{
	set_signals();
	go_first();
	if (!close_others(fds, nr_fds, out) || !silence() || !set_limits(l) ||
	    !drop_rights(owner, l->may))
		return false;
	/* A change of user resets the parent death signal, so set it afterwards */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || !has_reader(out))
		return false;
	confinement_calls(l->may);
	return true;
}

/* --------------------------------------------------------------- the parent */

/* Where who started us ignores them, a child that ended would leave its number to others */
static void heed_children(void)
{
	struct sigaction now;

	if (!sigaction(SIGCHLD, NULL, &now) && now.sa_handler == SIG_IGN)
		signal(SIGCHLD, SIG_DFL);
}

int sandbox_start(struct sandbox *s, const struct sandbox_limits *limits, const int *fds,
		  size_t nr_fds, int owner, void (*run)(void *ctx, int out), void *ctx)
{
	sigset_t all, old;
	int ends[2], err = 0;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	heed_children();
	/* A handler of ours must not run in the child, which has our descriptors yet */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	s->pid = fork();
	if (!s->pid) {
		if (confine(limits, fds, nr_fds, ends[1], owner))
			run(ctx, ends[1]);
		_exit(0);
	}
	if (s->pid < 0)
		err = -errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[1]);
	if (err)
		close(ends[0]);
	s->fd = ends[0];
	s->deadline_ns = now_ns() + limits->time_ns;
	return err;
}

uint64_t sandbox_left(const struct sandbox *s)
{
	uint64_t now = now_ns();

	return now < s->deadline_ns ? s->deadline_ns - now : 0;
}

/* Waits for bytes.  Return: false once it took too long. */
static bool wait_for(const struct sandbox *s)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLIN };
	uint64_t left;

	while ((left = sandbox_left(s))) {
		int n = poll(&fd, 1, (int)(left / 1000000 + 1));

		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
	}
	return false;
}

ssize_t sandbox_read(struct sandbox *s, void *to, size_t least, size_t most)
{
	size_t have = 0;

	while (have < least) {
		ssize_t n;

		if (!wait_for(s))
			return -1;
		n = read(s->fd, (char *)to + have, most - have);
		if (n < 0 && errno != EINTR)
			return -1;
		if (!n)
			break;
		if (n > 0)
			have += (size_t)n;
	}
	return (ssize_t)have;
}

void sandbox_end(struct sandbox *s)
{
	close(s->fd);
	kill(s->pid, SIGKILL);
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
