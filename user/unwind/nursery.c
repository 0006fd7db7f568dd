// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nursery.c - the process that starts processes that unwind, and ends them
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/sandbox.h"
#include "unwind/descriptor.h"
#include "unwind/nursery.h"
#include "unwind/unwinder.h"

#define MEMORY		(2ull << 30)	/* for each of them */
#define PATIENCE_MS	10000

/* ------------------------------------------------------------- on its side */

static void end_unwinder(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static pid_t start_unwinder(int control, int socket)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	close(control);
	if (!prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) && getppid() == parent) {
		confinement_calls(CONFINEMENT_TALK);
		unwinder_run(socket);
	}
	_exit(0);
}

static void run_nursery(int control)
{
	pid_t pid = 0;
	char word;
	int socket;

	while (descriptor_receive(control, &word, 1, &socket) == 1) {
		end_unwinder(pid);
		pid = socket < 0 ? -1 : start_unwinder(control, socket);
		if (socket >= 0)
			close(socket);
		if (send(control, &pid, sizeof(pid), MSG_NOSIGNAL) != sizeof(pid))
			break;
	}
	end_unwinder(pid);
}

/* The child of this process ends at once, and with it all that makes the other one ours */
static void leave(void *ctx, int out)
{
	(void)out;
	if (!fork())
		run_nursery(*(int *)ctx);
}

/* -------------------------------------------------------------- on our side */

int nursery_start(struct nursery *n)
{
	/* No limit to its time: a recording may be long. Who hangs is ended, see copies.c */
	const struct sandbox_limits limits = { .time_ns = 1ull << 62, .memory = MEMORY,
					       .files = UNWINDER_FILES + 64,
					       .may = CONFINEMENT_FORK };
	struct sandbox child;
	int ends[2], err;
	char end;

	n->control = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	err = sandbox_start(&child, &limits, &ends[1], 1, -1, leave, &ends[1]);
	close(ends[1]);
	if (err) {
		close(ends[0]);
		return err;
	}
	n->control = ends[0];
	/* Its number is ours until it is waited for */
	while (waitpid(child.pid, &err, 0) < 0 && errno == EINTR)
		;
	close(child.fd);
	/* It would be closed by now if there were none */
	if (recv(n->control, &end, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN)
		return 0;
	nursery_end(n);
	return -ECHILD;
}

int nursery_unwinder(struct nursery *n, pid_t *pid)
{
	struct pollfd answer = { .fd = n->control, .events = POLLIN };
	struct iovec word = { (char[]){ 0 }, 1 };
	int ends[2], ready;

	if (n->control < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	ready = descriptor_send(n->control, &word, 1, ends[1], 0) ? -1 : 0;
	/* A signal is for the recording, and no answer */
	while (!ready && (ready = poll(&answer, 1, PATIENCE_MS)) < 0 && errno == EINTR)
		ready = 0;
	if (ready > 0 &&
	    recv(n->control, pid, sizeof(*pid), 0) == sizeof(*pid) && *pid > 0) {
		close(ends[1]);
		return ends[0];
	}
	close(ends[0]);
	close(ends[1]);
	nursery_end(n);
	return -1;
}

void nursery_end(struct nursery *n)
{
	if (n->control >= 0)
		close(n->control);
	n->control = -1;
}
