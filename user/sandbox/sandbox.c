// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sandbox.c - unprivileged processes that parse untrusted input: the tool's side
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stored.h"
#include "sandbox/fd_passing.h"
#include "sandbox/request.h"
#include "sandbox/sandbox.h"

/* For sandbox_memory() */
#define MEMORY_LEAST	(128ull << 20)	/* most of it is for the dictionary of MiniDebugInfo */
#define MEMORY_FACTOR	8
#define LITTLE		(8ull << 20)	/* bytes: a file system may count the blocks of a new file late */

#define PATIENCE_MS	30000	/* for a reply of the fork server; longer than a loaded machine needs */

/* The one fork server of this process */
static struct {
	pthread_mutex_t lock;
	pid_t owner;		/* the process that started it.  A fork of that process must not use it */
	int control;		/* -1: not started */
	uint32_t jobs;		/* ids that were used */
} server = { .lock = PTHREAD_MUTEX_INITIALIZER, .control = -1 };

/* ---------------------------------------------------------- the fork server */

/* Close all descriptors except the standard ones and the fork server's socket.  One of them is the device. */
static bool close_others(void)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!all)
		return false;
	while ((entry = readdir(all))) {
		int fd = atoi(entry->d_name);

		if (fd > SANDBOX_CONTROL && fd != dirfd(all))
			close(fd);
	}
	closedir(all);
	return true;
}

/* Libraries may print messages, which must not reach the terminal */
static bool silence(void)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (nowhere < 0)
		return false;
	for (int fd = 0; fd <= 2; fd++)
		if (dup2(nowhere, fd) < 0)
			return false;
	return true;
}

/* The environment may hold secrets of the caller: pass on only what the dynamic linker and sanitizers need */
static void execute_again(void)
{
	static const char *const wanted[] = { "LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "LSAN_OPTIONS=",
					      "UBSAN_OPTIONS=" };
	char name[] = SANDBOX_SERVER, *argv[] = { name, NULL }, *env[5];
	size_t nr = 0;

	for (char **e = environ; e && *e; e++)
		for (size_t i = 0; nr < 4 && i < sizeof(wanted) / sizeof(wanted[0]); i++)
			if (!strncmp(*e, wanted[i], strlen(wanted[i])))
				env[nr++] = *e;
	env[nr] = NULL;
	execve("/proc/self/exe", argv, env);
}

/* Runs in a child of the tool, which exits at once.  So its own child is no descendant of the tool. */
static void start_server(int control)
{
	confinement_spaces();
	/* The caller's directory may be on a file system that someone wants to unmount */
	if (fork() || chdir("/"))
		_exit(0);
	if (dup2(control, SANDBOX_CONTROL) == SANDBOX_CONTROL &&
	    !fcntl(SANDBOX_CONTROL, F_SETFD, 0) && close_others() && silence())
		execute_again();
	_exit(1);
}

static void drop_server(void)
{
	if (server.control >= 0)
		close(server.control);
	server.control = -1;
}

/* Return: 0 or a negative errno */
static int need_server(void)
{
	const int on = 1;
	sigset_t all, old;
	int ends[2], status;
	pid_t pid;

	/* If main() does not call sandbox_main(), the program would start itself for ever */
	if (!strcmp(program_invocation_name, SANDBOX_SERVER))
		return -ELOOP;
	if (server.owner != getpid())
		drop_server();
	if (server.control >= 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	/* A signal handler of this process must not run in the child */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (!pid)
		start_server(ends[1]);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -EAGAIN;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	server.owner = getpid();
	server.control = ends[0];
	return 0;
}

int sandbox_prepare(void)
{
	int err;

	pthread_mutex_lock(&server.lock);
	err = need_server();
	pthread_mutex_unlock(&server.lock);
	return err;
}

/* Wait for the reply to a request.  Return: 0 or a negative errno */
static int get_reply(pid_t *pid)
{
	struct pollfd in = { .fd = server.control, .events = POLLIN };
	struct fd_message m;
	int n, err;

	while ((n = poll(&in, 1, PATIENCE_MS)) < 0 && errno == EINTR)
		;
	if (n <= 0 || fd_receive(server.control, &err, sizeof(err), &m) != sizeof(err)) {
		drop_server();
		return -ECHILD;
	}
	fd_message_close(&m);
	*pid = m.sender;
	return err > 0 ? -EIO : err;
}

/* ----------------------------------------------------------------- sandboxes */

/* Return: a descriptor of a file that holds the question; or a negative errno */
static int write_question(const struct sandbox_input *input)
{
	int fd = memfd_create("kflame-question", MFD_CLOEXEC);
	size_t done = 0;

	if (fd < 0)
		return -errno;
	while (done < input->len) {
		ssize_t n = write(fd, (const char *)input->question + done, input->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			close(fd);
			return -ENOMEM;
		}
		done += (size_t)n;
	}
	return fd;
}

static int ask_server(struct sandbox *s, struct sandbox_request *r, const int *fds, size_t nr_fds)
{
	struct iovec part = { r, sizeof(*r) };
	int err = need_server();

	if (err)
		return err;
	r->job = s->job = ++server.jobs;
	err = fd_send(server.control, &part, 1, fds, nr_fds, 0);
	if (err)
		drop_server();
	return err ? err : get_reply(&s->pid);
}

static struct rights rights_for(const struct sandbox_input *input)
{
	struct rights as;

	if (!input->owner || rights_of_file(*input->owner, &as) || !as.uid)
		return rights_nobody();
	return as;
}

int sandbox_start(struct sandbox *s, const struct sandbox_work *work,
		  const struct sandbox_limits *limits, const struct sandbox_input *input)
{
	struct sandbox_request r = { .what = SANDBOX_START, .limits = *limits, .len = input->len,
				     .as = rights_for(input) };
	int fds[2 + SANDBOX_MOST_FDS], ends[2], question = -1, err = 0;
	size_t nr = 0;

	if (input->nr_fds > SANDBOX_MOST_FDS)
		return -EINVAL;
	snprintf(r.work, sizeof(r.work), "%s", work->name);
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	fds[nr++] = ends[1];
	if (input->len) {
		question = write_question(input);
		fds[nr++] = question;
		err = question < 0 ? question : 0;
	}
	for (size_t i = 0; i < input->nr_fds; i++)
		fds[nr++] = input->fds[i];
	pthread_mutex_lock(&server.lock);
	if (!err)
		err = ask_server(s, &r, fds, nr);
	pthread_mutex_unlock(&server.lock);
	close(ends[1]);
	if (question >= 0)
		close(question);
	if (err)
		close(ends[0]);
	s->fd = ends[0];
	s->deadline_ns = now_ns() + limits->time_ns;
	return err;
}

uint64_t sandbox_memory(int fd, uint64_t most)
{
	uint64_t stored = 0, memory;
	struct stat st;

	if (!fstat(fd, &st)) {
		stored = stored_bytes(&st);
		if (stored < LITTLE)
			stored = LITTLE;
		if (stored > (uint64_t)st.st_size)
			stored = (uint64_t)st.st_size;
	}
	memory = MEMORY_LEAST + MEMORY_FACTOR * stored;
	return memory < most ? memory : most;
}

uint64_t sandbox_left(const struct sandbox *s)
{
	uint64_t now = now_ns();

	return now < s->deadline_ns ? s->deadline_ns - now : 0;
}

/* Wait for bytes of the answer.  Return: false past the deadline, or after an error. */
static bool wait_for(const struct sandbox *s)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLIN };
	uint64_t left;

	while ((left = sandbox_left(s))) {
		uint64_t ms = left / 1000000 + 1;
		int n = poll(&fd, 1, ms < INT_MAX ? (int)ms : INT_MAX);

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
	struct sandbox_request r = { .what = SANDBOX_END, .job = s->job };
	struct iovec part = { &r, sizeof(r) };

	close(s->fd);
	pthread_mutex_lock(&server.lock);
	/* If the fork server is gone, its sandboxes are gone with it */
	if (server.control >= 0 && server.owner == getpid() &&
	    fd_send(server.control, &part, 1, NULL, 0, 0))
		drop_server();
	pthread_mutex_unlock(&server.lock);
}
