// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * server.c - unprivileged processes that parse untrusted input: the fork server, and the code in a sandbox
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "sandbox/fd_passing.h"
#include "sandbox/request.h"

/* The address sanitizer reserves terabytes of addresses */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#endif

struct job {
	uint32_t id;
	pid_t pid;
};

struct jobs {
	struct job *all;
	size_t nr, cap;
};

/* --------------------------------------------------------------- in a sandbox */

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

/* If memory is short, the kernel shall kill this process and no other one */
static void go_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY);
	ssize_t n = fd < 0 ? 0 : write(fd, "1000", 4);

	/* This protects other processes only, so ignore a failure */
	(void)n;
	if (fd >= 0)
		close(fd);
}

/* Report to the tool that this process runs, and confine it.  Return: false if it may have privileges. */
static bool confine(const struct sandbox_request *r, pid_t parent)
{
	const int started = 0;
	bool sent, changed;

	sent = send(SANDBOX_CONTROL, &started, sizeof(started), MSG_NOSIGNAL) == sizeof(started);
	close(SANDBOX_CONTROL);
	go_first();
	if (!sent || !set_limits(&r->limits) || !confinement_rights(r->as, r->limits.may, &changed))
		return false;
	/* A change of user resets the parent death signal, so set it afterwards */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != parent)
		return false;
	/* Root can read root's files without capabilities.  So a process that is still root needs a filter */
	if (!confinement_calls(r->limits.may))
		return changed;
	return changed || !(r->limits.may & CONFINEMENT_OPEN);
}

static const void *read_question(int fd, size_t len)
{
	const void *question = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);

	return question == MAP_FAILED ? NULL : question;
}

static void run_job(const struct sandbox_request *r, const struct fd_message *m,
		    const struct sandbox_work *work, pid_t parent)
{
	size_t first = r->len ? 2 : 1;
	struct sandbox_job job = { .out = m->fds[0], .fds = m->fds + first,
				   .nr_fds = m->nr_fds - first, .len = r->len };

	if (r->len)
		job.question = read_question(m->fds[1], r->len);
	if (work->prepare)
		work->prepare();
	if ((job.question || !r->len) && confine(r, parent))
		work->run(&job);
}

/* --------------------------------------------------------- in the fork server */

static const struct sandbox_work *find_work(const struct sandbox_work *const *works, const char *name)
{
	for (; *works; works++)
		if (!strcmp((*works)->name, name))
			return *works;
	return NULL;
}

/* Return: 0 if the sandbox sends the reply itself; or a negative errno */
static int start_job(struct jobs *jobs, const struct sandbox_request *r, const struct fd_message *m,
		     const struct sandbox_work *const *works)
{
	const struct sandbox_work *work = find_work(works, r->work);
	pid_t pid, parent = getpid();

	if (!work || m->nr_fds < (r->len ? 2u : 1u))
		return -EINVAL;
	if (grow(&jobs->all, jobs->nr, &jobs->cap, sizeof(*jobs->all)))
		return -ENOMEM;
	pid = fork();
	if (!pid) {
		run_job(r, m, work, parent);
		_exit(0);
	}
	if (pid < 0)
		return -errno;
	jobs->all[jobs->nr++] = (struct job){ r->job, pid };
	return 0;
}

static void end_job(struct jobs *jobs, uint32_t id)
{
	for (size_t i = 0; i < jobs->nr; i++) {
		pid_t pid = jobs->all[i].pid;

		if (jobs->all[i].id != id)
			continue;
		/* The sandbox has not been reaped, so no other process can have its process id */
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		jobs->all[i] = jobs->all[--jobs->nr];
		return;
	}
}

static bool serve(struct jobs *jobs, const struct sandbox_work *const *works)
{
	struct sandbox_request r;
	struct fd_message m;
	int err = 0;

	if (fd_receive(SANDBOX_CONTROL, &r, sizeof(r), &m) != sizeof(r)) {
		fd_message_close(&m);
		return false;
	}
	r.work[sizeof(r.work) - 1] = 0;
	if (r.what == SANDBOX_START)
		err = start_job(jobs, &r, &m, works);
	else
		end_job(jobs, r.job);
	fd_message_close(&m);
	return !err || send(SANDBOX_CONTROL, &err, sizeof(err), MSG_NOSIGNAL) == sizeof(err);
}

/* The tool decides when this process ends.  So ignore signals of the terminal, which are for the tool */
static void set_signals(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		sigaction(i, &action, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void sandbox_main(const struct sandbox_work *const *works)
{
	struct jobs jobs = { 0 };
	struct stat st;

	if (strcmp(program_invocation_name, SANDBOX_SERVER))
		return;
	if (fstat(SANDBOX_CONTROL, &st) || !S_ISSOCK(st.st_mode)) {
		fprintf(stderr, SANDBOX_SERVER ": kflame starts itself under this name. Run kflame instead\n");
		exit(2);
	}
	set_signals();
	fcntl(SANDBOX_CONTROL, F_SETFD, FD_CLOEXEC);
	/* The kernel would name this process "exe".  Filters and reports recognise the tool by this name. */
	prctl(PR_SET_NAME, "kflame", 0, 0, 0);
	while (serve(&jobs, works))
		;
	while (jobs.nr)
		end_job(&jobs, jobs.all[0].id);
	_exit(0);
}
