// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waits - threads that wait, and what they know of it themselves; without frame pointers
 *
 * usage: waits each MS COUNT		wait COUNT times in each way, MS milliseconds long
 *	  waits disk DEVICE COUNT	read COUNT times from a block device, past the page cache
 *	  waits pingpong COUNT		two threads hand a byte to and fro over pipes
 *	  waits groups NR COUNT		NR groups, in each 20 threads send COUNT messages to each of 20 others
 *	  waits threads NR MS		NR threads compute and sleep by turns, for MS milliseconds; then they
 *					wait until the program is killed
 *	  waits block NR		NR threads wait until the program is killed; says "ready"
 *
 * "each" and "disk" print for each way its name, its thread's id, and the nanoseconds without a CPU. "each" leaves
 * out two ways where programs cannot handle page faults. "pingpong" and "groups" print for each thread its id and how often it was
 * switched out, of its own will and not. "threads" prints for each thread its id, when it began and
 * ended (CLOCK_MONOTONIC), and the nanoseconds that it computed; then "ready".
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "waiting.h"
#include "work.h"

/* ------------------------------------------------------------ each way of waiting */

static int tube[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static atomic_uint ready;
static long length;
static unsigned int count;

WORK_FUNCTION static void wait_sleep(void)
{
	sleep_ns(length);
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void wait_poll(void)
{
	int fd = epoll_create1(0);
	struct epoll_event event;

	epoll_wait(fd, &event, 1, (int)(length / MS));
	close(fd);
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void wait_pipe(void)
{
	char c;

	if (read(tube[0], &c, 1) != 1)
		err(1, "read");
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void wait_futex(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	WORK_KEEP_FRAME();
}

/* The parent of a vfork(2) waits as for a disk: no signal but SIGKILL ends it. */
WORK_FUNCTION static void wait_vfork(void)
{
	pid_t child = vfork();

	if (!child) {
		sleep_ns(length);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void wait_stopped(void)
{
	pid_t self = getpid(), child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* The parent may stop only after the first of these */
		for (;;) {
			sleep_ns(length);
			kill(self, SIGCONT);
		}
	}
	raise(SIGSTOP);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void d00(void)
{
	sleep_ns(length);
	WORK_KEEP_FRAME();
}

#define LEVEL(name, next)		\
WORK_FUNCTION static void name(void)	\
{					\
	next();				\
	WORK_KEEP_FRAME();		\
}

LEVEL(d01, d00) LEVEL(d02, d01) LEVEL(d03, d02) LEVEL(d04, d03) LEVEL(d05, d04) LEVEL(d06, d05)
LEVEL(d07, d06) LEVEL(d08, d07) LEVEL(d09, d08) LEVEL(d10, d09) LEVEL(d11, d10) LEVEL(d12, d11)
LEVEL(d13, d12) LEVEL(d14, d13) LEVEL(d15, d14) LEVEL(d16, d15) LEVEL(d17, d16) LEVEL(d18, d17)
LEVEL(d19, d18) LEVEL(d20, d19) LEVEL(d21, d20) LEVEL(d22, d21) LEVEL(d23, d22) LEVEL(wait_deep, d23)

/* A page that comes only when the pager brings it: a fault waits for it. */
static char *absent;
static int faults;
static sem_t faulted;

static void *pager(void *unused)
{
	struct uffd_msg message;
	struct uffdio_zeropage zero = { .mode = 0 };

	(void)unused;
	zero.range.start = (unsigned long)absent;
	zero.range.len = (unsigned long)getpagesize();
	while (read(faults, &message, sizeof(message)) == sizeof(message)) {
		sem_post(&faulted);
		sleep_ns(length);
		if (ioctl(faults, UFFDIO_ZEROPAGE, &zero))
			err(1, "UFFDIO_ZEROPAGE");
	}
	return NULL;
}

/* Return: 0 if this kernel lets no program handle page faults */
static int make_absent(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t thread;

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (faults < 0)
		return 0;
	absent = mmap(NULL, (size_t)getpagesize(), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (unsigned long)absent;
	range.range.len = (unsigned long)getpagesize();
	if (absent == MAP_FAILED || sem_init(&faulted, 0, 0) || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &range) || pthread_create(&thread, NULL, pager, NULL))
		err(1, "userfaultfd");
	return 1;
}

static void drop_page(void)
{
	madvise(absent, (size_t)getpagesize(), MADV_DONTNEED);
	while (!sem_trywait(&faulted))
		;
}

WORK_FUNCTION static void wait_fault(void)
{
	*(volatile char *)absent;
	WORK_KEEP_FRAME();
}

/* Waits for the page, and has the pipe's mutex meanwhile. */
WORK_FUNCTION static void *hold_mutex(void *unused)
{
	(void)unused;
	if (write(tube[1], absent, 1) != 1)
		err(1, "write");
	WORK_KEEP_FRAME();
	return NULL;
}

static pthread_t holder;

static void begin_hold(void)
{
	drop_page();
	if (pthread_create(&holder, NULL, hold_mutex, NULL))
		err(1, "thread");
	sem_wait(&faulted);
}

WORK_FUNCTION static void wait_mutex(void)
{
	char c;

	if (read(tube[0], &c, 1) != 1)
		err(1, "read");
	WORK_KEEP_FRAME();
}

static void end_hold(void)
{
	pthread_join(holder, NULL);
}

static void meet_waker(void)
{
	pthread_barrier_wait(&barrier);
}

/* Not measured: what comes before and after a wait */
static const struct way {
	const char *name;
	void (*before)(void);
	void (*wait)(void);
	void (*after)(void);
} ways[] = {
	{ "sleep", NULL, wait_sleep, NULL },
	{ "poll", NULL, wait_poll, NULL },
	{ "pipe", meet_waker, wait_pipe, NULL },
	{ "futex", meet_waker, wait_futex, meet_waker },
	{ "vfork", NULL, wait_vfork, NULL },
	{ "stopped", NULL, wait_stopped, NULL },
	{ "deep", NULL, wait_deep, NULL },
	{ "fault", drop_page, wait_fault, NULL },
	{ "mutex", begin_hold, wait_mutex, end_hold },
};

/* Ends the waits for a pipe and for a mutex. */
static void *waker(void *unused)
{
	(void)unused;
	for (unsigned int i = 0; i < count; i++) {
		pthread_barrier_wait(&barrier);
		sleep_ns(length);
		if (write(tube[1], "x", 1) != 1)
			err(1, "write");
	}
	for (unsigned int i = 0; i < count; i++) {
		pthread_mutex_lock(&mutex);
		pthread_barrier_wait(&barrier);
		sleep_ns(length);
		pthread_mutex_unlock(&mutex);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

/* Return: nanoseconds without a CPU */
static long waited(const struct way *way)
{
	long spent;

	if (way->before)
		way->before();
	spent = without_cpu(way->wait);
	if (way->after)
		way->after();
	return spent;
}

static void each(void)
{
	const int has_faults = make_absent();
	pthread_t thread;
	long spent;

	if (pipe(tube) || pthread_barrier_init(&barrier, NULL, 2) ||
	    pthread_create(&thread, NULL, waker, NULL))
		err(1, "each");
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!has_faults && (ways[i].before == drop_page || ways[i].before == begin_hold))
			continue;
		spent = 0;
		for (unsigned int k = 0; k < count; k++)
			spent += waited(&ways[i]);
		printf("%s %d %ld\n", ways[i].name, getpid(), spent);
	}
	pthread_join(thread, NULL);
}

/* ------------------------------------------------------------ a disk */

#define SECTORS	4096

static int disk_fd;
static void *sectors;

WORK_FUNCTION static void wait_disk(void)
{
	if (pread(disk_fd, sectors, SECTORS, 0) != SECTORS)
		err(1, "pread");
	WORK_KEEP_FRAME();
}

static void disk(const char *device)
{
	long spent = 0;

	disk_fd = open(device, O_RDONLY | O_DIRECT);
	if (disk_fd < 0 || posix_memalign(&sectors, SECTORS, SECTORS))
		err(1, "%s", device);
	for (unsigned int i = 0; i < count; i++)
		spent += without_cpu(wait_disk);
	printf("disk %d %ld\n", getpid(), spent);
}

/* ------------------------------------------------------------ switches */

static int to_and_fro[2][2];

static void *player(void *arg)
{
	const long me = (long)arg;
	struct rusage before, after;
	char c = 0;

	getrusage(RUSAGE_THREAD, &before);
	for (unsigned int i = 0; i < count; i++) {
		if (me && read(to_and_fro[0][0], &c, 1) != 1)
			err(1, "read");
		if (write(to_and_fro[!me ? 0 : 1][1], &c, 1) != 1)
			err(1, "write");
		if (!me && read(to_and_fro[1][0], &c, 1) != 1)
			err(1, "read");
	}
	getrusage(RUSAGE_THREAD, &after);
	printf("%ld %ld %ld\n", syscall(SYS_gettid), after.ru_nvcsw - before.ru_nvcsw,
	       after.ru_nivcsw - before.ru_nivcsw);
	return NULL;
}

static void pingpong(void)
{
	pthread_t thread;

	if (pipe(to_and_fro[0]) || pipe(to_and_fro[1]) ||
	    pthread_create(&thread, NULL, player, (void *)1))
		err(1, "pingpong");
	player((void *)0);
	pthread_join(thread, NULL);
}

/* ------------------------------------------------------------ switches of groups */

#define SIDE	20U	/* threads that send in a group, and threads that receive */
#define MESSAGE	100

struct switched {
	long tid, voluntary, other;
};

static int (*mailbox)[2];	/* a pipe for each receiver */
static struct switched *switched;

static void exchange(unsigned int me)
{
	const unsigned int group = me / (2 * SIDE), place = me % (2 * SIDE);
	char message[MESSAGE] = "";

	for (unsigned int i = 0; i < count * SIDE; i++) {
		if (place < SIDE) {
			if (write(mailbox[group * SIDE + i % SIDE][1], message, MESSAGE) != MESSAGE)
				err(1, "write");
		} else if (read(mailbox[group * SIDE + place - SIDE][0], message, MESSAGE) != MESSAGE) {
			err(1, "read");
		}
	}
}

static void *correspondent(void *arg)
{
	const unsigned int me = (unsigned int)(long)arg;
	struct rusage before, after;

	pthread_barrier_wait(&barrier);
	getrusage(RUSAGE_THREAD, &before);
	exchange(me);
	getrusage(RUSAGE_THREAD, &after);
	switched[me] = (struct switched){ syscall(SYS_gettid), after.ru_nvcsw - before.ru_nvcsw,
					  after.ru_nivcsw - before.ru_nivcsw };
	return NULL;
}

static void groups(unsigned int nr)
{
	const unsigned int threads = nr * 2 * SIDE;
	pthread_t *thread = calloc(threads, sizeof(*thread));

	mailbox = calloc((size_t)nr * SIDE, sizeof(*mailbox));
	switched = calloc(threads, sizeof(*switched));
	if (!thread || !mailbox || !switched || pthread_barrier_init(&barrier, NULL, threads))
		err(1, "groups");
	for (unsigned int i = 0; i < nr * SIDE; i++)
		if (pipe(mailbox[i]))
			err(1, "pipe");
	for (unsigned int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, correspondent, (void *)(long)i))
			err(1, "pthread_create");
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	for (unsigned int i = 0; i < threads; i++)
		printf("%ld %ld %ld\n", switched[i].tid, switched[i].voluntary, switched[i].other);
	free(thread);
}

/* ------------------------------------------------------------ many threads */

struct lived {
	long tid, begin, end, computed;
};

static struct lived *lives;

static void *worker(void *arg)
{
	long cpu, computed;
	const long begin = both_clocks(&cpu), end = begin + length;
	unsigned int turn = (unsigned int)(long)arg;
	struct lived *me = &lives[(long)arg];

	while (now(CLOCK_MONOTONIC) < end) {
		compute((1 + turn % 7) * MS);
		sleep_ns((1 + turn % 11) * MS);
		turn++;
	}
	me->tid = syscall(SYS_gettid);
	me->begin = begin;
	me->end = both_clocks(&computed);
	me->computed = computed - cpu;
	/* The wait that comes now has not ended when the recording does. */
	atomic_fetch_add(&ready, 1);
	for (;;)
		pause();
	return NULL;
}

static void *sleeper(void *unused)
{
	(void)unused;
	atomic_fetch_add(&ready, 1);
	for (;;)
		pause();
	return NULL;
}

static void make_threads(void *(*run)(void *))
{
	pthread_t *thread = calloc(count, sizeof(*thread));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 16);
	for (unsigned int i = 0; i < count; i++)
		if (!thread || pthread_create(&thread[i], &small, run, (void *)(long)i))
			err(1, "pthread_create");
	free(thread);
}

static void block(void *(*run)(void *))
{
	make_threads(run);
	/* Nobody is woken: who wakes another one may lose its CPU to it. */
	while (atomic_load(&ready) < count)
		sleep_ns(20 * MS);
	for (unsigned int i = 0; lives && i < count; i++)
		printf("%ld %ld %ld %ld\n", lives[i].tid, lives[i].begin, lives[i].end, lives[i].computed);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	length = argc > 3 ? atol(argv[2]) * MS : 0;
	count = argc > 2 ? (unsigned int)atol(argv[argc - 1]) : 0;
	if (!strcmp(what, "each") && argc == 4) {
		each();
	} else if (!strcmp(what, "disk") && argc == 4) {
		disk(argv[2]);
	} else if (!strcmp(what, "pingpong") && argc == 3) {
		pingpong();
	} else if (!strcmp(what, "groups") && argc == 4) {
		groups((unsigned int)atol(argv[2]));
	} else if (!strcmp(what, "threads") && argc == 4) {
		count = (unsigned int)atol(argv[2]);
		length = atol(argv[3]) * MS;
		lives = calloc(count, sizeof(*lives));
		if (!lives)
			err(1, "calloc");
		block(worker);
	} else if (!strcmp(what, "block") && argc == 3) {
		block(sleeper);
	} else {
		fprintf(stderr, "usage: waits each MS COUNT | disk DEVICE COUNT | pingpong COUNT | groups NR COUNT | threads NR MS | block NR\n");
		return 2;
	}
	return 0;
}
