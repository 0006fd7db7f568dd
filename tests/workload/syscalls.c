// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscalls - makes system calls whose number is known
 *
 * usage: syscalls asks|threads|signals|processes|exits|runs COUNT
 *
 * asks: getppid(), and as often reads that fail. threads: getppid() in 64 threads. signals: raises a signal that has a
 * handler. processes: children that end at once. exits: threads that wait in read() when their process ends.
 * runs: processes that run /bin/true from a second thread, while others wait in read().
 *
 * The calls are made by ask_many(), wait_for_ever() and so on, so that their stacks show it.
 */
#include "work.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_THREADS	64
#define NR_WAITING	4

static unsigned long count;
static int silent[2];

static void fail(const char *what)
{
	fprintf(stderr, "syscalls: %s: %s\n", what, strerror(errno));
	exit(1);
}

WORK_FUNCTION static void ask_many(void)
{
	char byte;

	for (unsigned long i = 0; i < count; i++)
		if (syscall(SYS_getppid) <= 0 || syscall(SYS_read, -1, &byte, 1) != -1)
			fail("getppid");
	WORK_KEEP_FRAME();
}

static void *ask_in_thread(void *unused)
{
	(void)unused;
	ask_many();
	return NULL;
}

static pthread_t start(void *(*run)(void *))
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, run, NULL);
	if (errno)
		fail("pthread_create");
	return thread;
}

static void ask_in_threads(void)
{
	pthread_t all[NR_THREADS];

	for (int i = 0; i < NR_THREADS; i++)
		all[i] = start(ask_in_thread);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(all[i], NULL);
}

static void handle(int number)
{
	(void)number;
}

WORK_FUNCTION static void raise_many(void)
{
	signal(SIGUSR1, handle);
	for (unsigned long i = 0; i < count; i++)
		if (syscall(SYS_kill, getpid(), SIGUSR1))
			fail("kill");
	WORK_KEEP_FRAME();
}

/* Nobody writes to the pipe. */
WORK_FUNCTION static void *wait_for_ever(void *ready)
{
	char byte;

	if (write(*(int *)ready, "x", 1) != 1 || read(silent[0], &byte, 1) != 1)
		fail("read");
	WORK_KEEP_FRAME();
	return NULL;
}

static void *run_true(void *unused)
{
	(void)unused;
	execl("/bin/true", "true", (char *)NULL);
	fail("/bin/true");
	return NULL;
}

/* Others are about to wait, or wait already: both must leave nothing. */
static void end_beside_others(int runs)
{
	static int ready[2];
	pthread_t threads[NR_WAITING];
	char byte;

	if (pipe(silent) || pipe(ready))
		fail("pipe");
	for (int i = 0; i < NR_WAITING; i++) {
		errno = pthread_create(&threads[i], NULL, wait_for_ever, &ready[1]);
		if (errno || read(ready[0], &byte, 1) != 1)
			fail("threads that wait");
	}
	if (runs)
		pthread_join(start(run_true), NULL);
	_exit(0);
}

static void run_children(const char *what)
{
	for (unsigned long i = 0; i < count; i++) {
		const pid_t pid = fork();
		int status;

		if (!pid && strcmp(what, "processes"))
			end_beside_others(!strcmp(what, "runs"));
		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			fail("children");
	}
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: syscalls asks|threads|signals|processes|exits|runs COUNT\n");
		return 2;
	}
	count = work_number(argv[2], "COUNT");
	if (!strcmp(argv[1], "asks"))
		ask_many();
	else if (!strcmp(argv[1], "threads"))
		ask_in_threads();
	else if (!strcmp(argv[1], "signals"))
		raise_many();
	else
		run_children(argv[1]);
	return 0;
}
