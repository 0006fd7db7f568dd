// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder_watch.c - waits until the flight recorder is frozen, and saves it, see recorder_watch.h
 *
 * The triggers of the module freeze without this process.  It asks the module every half second whether one has.
 * Only a process can watch /proc/pressure: the kernel wakes it (see Documentation/accounting/psi.rst).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/signals.h"
#include "cmd/recorder_request.h"
#include "cmd/recorder_save.h"
#include "cmd/recorder_watch.h"

#define ASK_NS		500000000	/* from one question to the next */
#define SIGNALS		KFLAME_NR_PRESSURES	/* index of the descriptor of signals */

static const char *const resources[KFLAME_NR_PRESSURES] = {
	[KFLAME_PRESSURE_CPU] = "cpu", [KFLAME_PRESSURE_IO] = "io", [KFLAME_PRESSURE_MEMORY] = "memory",
	[KFLAME_PRESSURE_IRQ] = "irq",
};

int recorder_watch_pressure(struct recorder_watch *w, const char *text)
{
	const char *colon = strchr(text, ':');
	unsigned long ms;
	char *end;

	if (!colon || colon[1] < '0' || colon[1] > '9')
		return -1;
	ms = strtoul(colon + 1, &end, 10);
	if (*end || !ms || ms >= 1000)
		return -1;
	for (size_t i = 0; i < KFLAME_NR_PRESSURES; i++) {
		if (strlen(resources[i]) != (size_t)(colon - text) || strncmp(resources[i], text, strlen(resources[i])))
			continue;
		if (w->pressure_ms[i])
			return -1;
		w->pressure_ms[i] = (uint32_t)ms;
		return 0;
	}
	return -1;
}

bool recorder_watch_has_pressure(const struct recorder_watch *w)
{
	for (size_t i = 0; i < KFLAME_NR_PRESSURES; i++)
		if (w->pressure_ms[i])
			return true;
	return false;
}

/* Ask the kernel to wake this process.  Return: a descriptor for POLLPRI, or -1 after an error message */
static int open_pressure(size_t resource, uint32_t ms)
{
	char path[32], text[64];
	int fd, len;

	snprintf(path, sizeof(path), "/proc/pressure/%s", resources[resource]);
	/* The file of interrupts has only a line "full": a CPU that serves one runs no task */
	len = snprintf(text, sizeof(text), "%s %u 1000000", resource == KFLAME_PRESSURE_IRQ ? "full" : "some", ms * 1000);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	/* The kernel wants the NUL, too */
	if (fd >= 0 && write(fd, text, (size_t)len + 1) == len + 1)
		return fd;
	complain("recorder watch: %s cannot be watched: %s. It needs CONFIG_PSI, and psi=1 on the command line of some kernels",
		 path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* For the signal handler, which gets no argument from us */
static volatile sig_atomic_t asked_to_freeze;

static void on_request(int number)
{
	(void)number;
	asked_to_freeze = 1;
}

/* SIGUSR1 is blocked but while this process waits.  @waiting: out: the mask of signals for then.  Return: 0 or -1 */
static int take_requests(sigset_t *waiting)
{
	struct sigaction action = { .sa_handler = on_request };
	sigset_t request;

	sigemptyset(&action.sa_mask);
	sigemptyset(&request);
	sigaddset(&request, SIGUSR1);
	if (sigaction(SIGUSR1, &action, NULL) || sigprocmask(SIG_BLOCK, &request, waiting))
		return -1;
	sigdelset(waiting, SIGUSR1);
	return 0;
}

/* Freeze it. A trigger may have been faster, which is no error.  Return: 0 or -1 after an error message */
static int freeze(int fd, uint32_t cause, uint64_t detail)
{
	struct kflame_recorder a = { .size = sizeof(a), .op = KFLAME_RECORDER_FREEZE, .cause = cause, .detail = detail };
	int err = device_recorder(fd, &a);

	if (!err || err == -EBUSY)
		return 0;
	a = (struct kflame_recorder){ 0 };
	return recorder_request(fd, "watch", KFLAME_RECORDER_FREEZE, &a);
}

/*
 * Wait until there is a reason to freeze, or for some time, and freeze.  @ended: out: this process was asked to end.
 * Return: 0 or -1 after an error message
 */
static int wait_and_freeze(int fd, struct pollfd *fds, const sigset_t *waiting, bool *ended)
{
	const struct timespec time = { .tv_nsec = ASK_NS };

	if (ppoll(fds, SIGNALS + 1, &time, waiting) < 0 && errno != EINTR) {
		complain("recorder watch: cannot wait: %s", strerror(errno));
		return -1;
	}
	*ended = signals_end();
	if (asked_to_freeze) {
		asked_to_freeze = 0;
		return freeze(fd, KFLAME_FREEZE_SIGNAL, SIGUSR1);
	}
	for (uint32_t i = 0; i < KFLAME_NR_PRESSURES; i++)
		if (fds[i].fd >= 0 && fds[i].revents & POLLPRI)
			return freeze(fd, KFLAME_FREEZE_PRESSURE, i);
	return 0;
}

/* Print why it was frozen, save it, and continue it if that is wanted.  Return: 0 or -1 after an error message */
static int save(int fd, const struct recorder_watch *w, const struct kflame_recorder *now, const char *path)
{
	struct kflame_recorder a = { 0 };

	/* The profile may go to standard output */
	if (!path || strcmp(path, "-"))
		recorder_print_status(now);
	fflush(stdout);
	if (recorder_save_frozen(path))
		return -1;
	return w->again ? recorder_request(fd, "watch", KFLAME_RECORDER_START, &a) : 0;
}

static int watch(int fd, const struct recorder_watch *w, struct pollfd *fds, const sigset_t *waiting, const char *path)
{
	struct kflame_recorder now = { 0 };
	bool ended = false;

	for (;;) {
		now = (struct kflame_recorder){ 0 };
		if (recorder_request(fd, "watch", KFLAME_RECORDER_STATUS, &now))
			return -1;
		if (now.state == KFLAME_RECORDER_OFF) {
			complain("recorder watch: it does not run. Start it: kflame recorder start");
			return -1;
		}
		if (now.state == KFLAME_RECORDER_FROZEN) {
			if (save(fd, w, &now, path))
				return -1;
			if (!w->again)
				return 0;
		}
		if (ended)
			return 0;
		if (wait_and_freeze(fd, fds, waiting, &ended))
			return -1;
	}
}

int recorder_watch_run(int fd, const struct recorder_watch *w, const char *path)
{
	struct pollfd fds[SIGNALS + 1] = { { 0 } };
	sigset_t waiting;
	int err = 0;

	for (size_t i = 0; i < KFLAME_NR_PRESSURES; i++) {
		fds[i] = (struct pollfd){ .fd = -1, .events = POLLPRI };
		if (!err && w->pressure_ms[i]) {
			fds[i].fd = open_pressure(i, w->pressure_ms[i]);
			err = fds[i].fd < 0 ? -1 : 0;
		}
	}
	fds[SIGNALS] = (struct pollfd){ .fd = -1, .events = POLLIN };
	if (!err) {
		fds[SIGNALS].fd = signals_open();
		if (fds[SIGNALS].fd < 0 || take_requests(&waiting)) {
			complain("recorder watch: cannot take signals: %s", strerror(errno));
			err = -1;
		}
	}
	if (!err)
		err = watch(fd, w, fds, &waiting, path);
	for (size_t i = 0; i <= SIGNALS; i++)
		if (fds[i].fd >= 0)
			close(fds[i].fd);
	return err;
}
