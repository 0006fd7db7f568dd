// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * storm - tasks that come, change and go in every way
 *
 * usage: storm fork N		a tree of N processes, each lives for a moment
 *	 storm exec N		one process that starts itself N times
 *	 storm leader N		N processes whose first thread ends before the others
 *	 storm threads N	N threads at once
 *	 storm maps N		code that is mapped, run and unmapped, N times
 *	 storm uring SECONDS	a kernel thread of io_uring that polls; status 77: none here
 *
 * Prints "survived".
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

static void work(unsigned int rounds)
{
	uint64_t x = 1;

	while (rounds--)
		x = x * 6364136223846793005ULL + 1;
	sink = x;
}

static int finished(void)
{
	puts("survived");
	return 0;
}

static int fail(const char *what)
{
	fprintf(stderr, "storm: %s: %s\n", what, strerror(errno));
	return 1;
}

/* Each has two children until @n are there; at most as deep as log2(n). */
static void fork_tree(unsigned long n)
{
	unsigned int i;

	work(20000);
	for (i = 0; i < 2 && n > 1; i++) {
		unsigned long part = i ? (n - 1) / 2 : n - 1 - (n - 1) / 2;

		if (part && !fork()) {
			fork_tree(part);
			_exit(0);
		}
	}
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

static int exec_again(char **argv, unsigned long n)
{
	char left[24];

	work(20000);
	if (!n)
		return finished();
	snprintf(left, sizeof(left), "%lu", n - 1);
	argv[2] = left;
	execv("/proc/self/exe", argv);
	return fail("execv");
}

static void *outlive(void *unused)
{
	(void)unused;
	work(3000000);
	return NULL;
}

static int leaders(unsigned long n)
{
	pthread_t thread;
	unsigned int i;
	pid_t pid;

	while (n--) {
		pid = fork();
		if (pid < 0)
			return fail("fork");
		if (!pid) {
			for (i = 0; i < 3; i++)
				if (pthread_create(&thread, NULL, outlive, NULL))
					_exit(1);
			/* the thread alone, not the process */
			syscall(SYS_exit, 0);
		}
		if (waitpid(pid, NULL, 0) < 0)
			return fail("waitpid");
	}
	return finished();
}

static pthread_barrier_t all_there;

static void *one_of_many(void *unused)
{
	(void)unused;
	work(10000);
	pthread_barrier_wait(&all_there);
	work(200000);
	return NULL;
}

static int many_threads(unsigned long n)
{
	pthread_t *threads = calloc(n, sizeof(*threads));
	pthread_attr_t small;
	unsigned long i;

	if (!threads || pthread_barrier_init(&all_there, NULL, n + 1))
		return fail("threads");
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (i = 0; i < n; i++)
		if (pthread_create(&threads[i], &small, one_of_many, NULL))
			return fail("pthread_create");
	pthread_barrier_wait(&all_there);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return finished();
}

#if defined(__x86_64__)
static const unsigned char spin_code[] = { 0xb9, 0x00, 0x40, 0x00, 0x00, /* mov ecx, 0x4000 */
	0xff, 0xc9, /* dec ecx */ 0x75, 0xfc, /* jnz -4 */ 0xc3 /* ret */ };
#else
static const uint32_t spin_code[] = { 0xd2880000, /* mov x0, 0x4000 */
	0xf1000400, /* subs x0, x0, 1 */ 0x54ffffe1, /* b.ne -4 */ 0xd65f03c0 /* ret */ };
#endif

static int churn_maps(unsigned long n)
{
	const size_t page = sysconf(_SC_PAGESIZE);

	while (n--) {
		char *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		union { char *data; void (*code)(void); } u = { .data = p };

		if (p == MAP_FAILED)
			return fail("mmap");
		memcpy(p, spin_code, sizeof(spin_code));
		if (mprotect(p, page, PROT_READ | PROT_EXEC))
			return fail("mprotect");
		__builtin___clear_cache(p, p + sizeof(spin_code));
		u.code();
		munmap(p, page);
	}
	return finished();
}

/*
 * A submission queue that the kernel polls: its thread runs in this process, in the kernel.
 * The process has to wake it: from five minutes after boot on it is asleep at first (io_sq_thread()
 * compares jiffies to 0).
 */
static int uring(unsigned long seconds)
{
	struct io_uring_params p = { .flags = IORING_SETUP_SQPOLL, .sq_thread_idle = 1000 * seconds };
	struct timespec nap = { .tv_nsec = 10000000 };
	unsigned long naps = seconds * 100;
	int fd = syscall(SYS_io_uring_setup, 8, &p);

	if (fd < 0) {
		fprintf(stderr, "storm: io_uring_setup: %s\n", strerror(errno));
		return 77;
	}
	while (naps--) {
		if (syscall(SYS_io_uring_enter, fd, 0, 0, IORING_ENTER_SQ_WAKEUP, NULL, 0) < 0)
			return fail("io_uring_enter");
		nanosleep(&nap, NULL);
	}
	close(fd);
	return finished();
}

int main(int argc, char **argv)
{
	unsigned long n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	const char *what = argc == 3 ? argv[1] : "";

	if (!strcmp(what, "fork")) {
		fork_tree(n);
		return finished();
	}
	if (!strcmp(what, "exec"))
		return exec_again(argv, n);
	if (!strcmp(what, "leader"))
		return leaders(n);
	if (!strcmp(what, "threads"))
		return many_threads(n);
	if (!strcmp(what, "maps"))
		return churn_maps(n);
	if (!strcmp(what, "uring"))
		return uring(n);
	fprintf(stderr, "usage: storm fork|exec|leader|threads|maps|uring N\n");
	return 2;
}
