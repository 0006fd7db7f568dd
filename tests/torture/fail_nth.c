// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fail_nth - let each allocation of a system call fail, one after the other
 *
 * usage: fail_nth load MODULE.ko STEP	finit_module, and delete_module after a success
 *	  fail_nth open|configure|start	on /dev/kflame; the module is loaded
 *
 * Needs a kernel with fault injection, set up by the caller (see test_faults.py). For
 * N = 1, 2, ... the Nth allocation of the call fails, by /proc/thread-self/fail-nth,
 * until there is no Nth (Documentation/fault-injection). A failed call must leave
 * things as they were: the same call is made again without a failure, and has to work
 * (with load after some only). STEP 1 tries each allocation of a load, 10 each tenth: a
 * module is long in loading where everything is checked.
 * Prints how many allocations there were, and how many of their failures were answered
 * with an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kflame.h>

#define MOST	5000

static int nth_fd = -1;

static void die(const char *what, int nth)
{
	fprintf(stderr, "fail_nth: %s, allocation %d: %s\n", what, nth, strerror(errno));
	exit(1);
}

static void arm(int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", nth);

	/* To say 0 takes allocations too: the Nth may be one of those, and the last to fail */
	if (pwrite(nth_fd, text, n, 0) != n && (nth || pwrite(nth_fd, text, n, 0) != n))
		die("/proc/thread-self/fail-nth", nth);
}

/*
 * Did it fail? If not there was no such allocation. Where reading that fails, it was this
 * that met the failure.
 */
static int disarm(void)
{
	char text[16] = "";
	ssize_t n = pread(nth_fd, text, sizeof(text) - 1, 0);

	arm(0);
	return n > 0 && !atoi(text);
}

static int configure(int fd)
{
	static const struct kflame_event events[] = {
		{ .size = sizeof(events[0]), .kind = KFLAME_EVENT_TIMER },
		{ .size = sizeof(events[0]), .kind = KFLAME_EVENT_OFFCPU, .flags = KFLAME_EF_WAKERS },
		{ .size = sizeof(events[0]), .kind = KFLAME_EVENT_FAULTS },
	};
	struct kflame_info info = { .size = sizeof(info) };
	static uint32_t pid, cpu;
	struct kflame_config config = {
		.size = sizeof(config), .period_ns = 1003009, .entries = 64, .budget_permille = 50,
		.nr_pids = 1, .pids = (uintptr_t)&pid, .nr_tids = 1, .tids = (uintptr_t)&pid,
		.nr_cpus = 1, .cpus = (uintptr_t)&cpu,
	};

	if (!ioctl(fd, KFLAME_IOC_INFO, &info) && info.events >> KFLAME_EVENT_OFFCPU & 1) {
		config.nr_events = info.events >> KFLAME_EVENT_FAULTS & 1 ? 3 : 2;
		config.events = (uintptr_t)events;
	}
	pid = getpid();
	return ioctl(fd, KFLAME_IOC_CONFIGURE, &config);
}

static int start(int fd)
{
	struct kflame_run run = { .size = sizeof(run) };

	return ioctl(fd, KFLAME_IOC_START, &run);
}

static int open_device(void)
{
	return open(KFLAME_DEVICE, O_RDWR | O_CLOEXEC);
}

static const char *module;

/* The state that the call is tried in; a descriptor, or -1 where none is needed */
static int before(const char *what, int nth)
{
	int fd = -1;

	if (!strcmp(what, "configure") || !strcmp(what, "start"))
		fd = open_device();
	else
		return -1;
	if (fd < 0 || (!strcmp(what, "start") && configure(fd)))
		die("setting up", nth);
	return fd;
}

/* The call itself: 0 or more, or -1 */
static int call(const char *what, int fd)
{
	if (!strcmp(what, "open"))
		return open_device();
	if (!strcmp(what, "configure"))
		return configure(fd);
	if (!strcmp(what, "start"))
		return start(fd);
	return syscall(SYS_finit_module, fd, "", 0);
}

static void after(const char *what, int fd, int got)
{
	if (!strcmp(what, "load") && got >= 0 && syscall(SYS_delete_module, "kflame", O_NONBLOCK))
		die("delete_module", 0);
	if (!strcmp(what, "open") && got >= 0)
		close(got);
	if (fd >= 0 && strcmp(what, "load"))
		close(fd);
}

/* One allocation fails. 0: there was none; 1: no error came of it; 2: an error did */
static int one(const char *what, int file, int nth)
{
	int fd = file >= 0 ? file : before(what, nth), got, injected, error;

	arm(nth);
	got = call(what, fd);
	error = errno;
	injected = disarm();
	if (got < 0 && !injected) {
		errno = error;
		die(what, nth);
	}
	if (got < 0) {
		/* copies from and to user memory are made to fail, too */
		if (error != ENOMEM && error != EFAULT && error != ENFILE && strcmp(what, "load")) {
			errno = error;
			die("neither ENOMEM nor EFAULT", nth);
		}
		if (!strcmp(what, "load") && nth % 4)
			return 2;
		/* the answer that could not be written: done all the same (kflame.h) */
		if (error == EFAULT && fd >= 0 && file < 0) {
			after(what, fd, -1);
			fd = before(what, nth);
		}
		got = call(what, fd);
		if (got < 0)
			die("the next try", nth);
		after(what, fd, got);
		return 2;
	}
	after(what, fd, got);
	return injected;
}

int main(int argc, char **argv)
{
	int nth, got, file = -1, errors = 0, step = 1;

	if (argc < 2 || (!strcmp(argv[1], "load") && argc != 4)) {
		fprintf(stderr, "usage: fail_nth load MODULE.ko STEP | open | configure | start\n");
		return 2;
	}
	module = argv[2];
	if (module)
		step = atoi(argv[3]) > 0 ? atoi(argv[3]) : 1;
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0)
		die("/proc/thread-self/fail-nth", 0);
	if (module) {
		file = open(module, O_RDONLY | O_CLOEXEC);
		if (file < 0)
			die(module, 0);
	}
	for (nth = 1; nth < MOST; nth += step) {
		got = one(argv[1], file, nth);
		if (!got)
			break;
		errors += got == 2;
	}
	printf("%s: %d allocations, %d failures answered with an error\n", argv[1], nth - 1, errors);
	return nth >= MOST;
}
