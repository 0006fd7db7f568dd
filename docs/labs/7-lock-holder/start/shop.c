// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shop.c - a shop that is too slow: clerks wait, and no CPU is busy
 *
 * usage: shop [SEED [SECONDS]]		(defaults: 1, 4)
 *
 * Do not read main() and the thread bodies before you have recorded the program. Real problems come in
 * programs that are too large to read.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000L
#define KEEP __attribute__((noinline, noclone, noipa))
/* No jump in place of the last call: each caller stays on the stack */
#define KEEP_FRAME() __asm__ volatile("" ::: "memory")

static pthread_mutex_t stock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long served, parcels;
static atomic_bool closing;
static unsigned int seed;
static int printer[2];

KEEP static void pause_ns(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
	KEEP_FRAME();
}

KEEP static void compute_ns(long ns)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000 * MS + now.tv_nsec - begin.tv_nsec < ns);
	KEEP_FRAME();
}

/* ------------------------------------------------------------ clerks */

KEEP static void take_from_stock(void)
{
	pthread_mutex_lock(&stock);
	atomic_fetch_sub(&parcels, 1);
	pthread_mutex_unlock(&stock);
	KEEP_FRAME();
}

KEEP static void wait_for_customer(void)
{
	pause_ns(5 * MS);
	KEEP_FRAME();
}

KEEP static void serve_customer(void)
{
	take_from_stock();
	atomic_fetch_add(&served, 1);
	KEEP_FRAME();
}

static void *clerk(void *unused)
{
	while (!atomic_load(&closing)) {
		wait_for_customer();
		serve_customer();
	}
	return unused;
}

/* ------------------------------------------------------------ the back office */

/* Much work for a CPU, without the lock */
KEEP static void reprint_labels(void)
{
	compute_ns(20 * MS);
	pause_ns(20 * MS);
	KEEP_FRAME();
}

/* Very long waits, without the lock */
KEEP static void watch_door(void)
{
	pause_ns(400 * MS);
	KEEP_FRAME();
}

/* Takes the lock more often than everybody else, and returns it at once */
KEEP static void count_parcels(void)
{
	pthread_mutex_lock(&stock);
	atomic_fetch_add(&parcels, 1);
	pthread_mutex_unlock(&stock);
	pause_ns(MS);
	KEEP_FRAME();
}

KEEP static void print_page(void)
{
	char c;

	if (read(printer[0], &c, 1) != 1)
		exit(1);
	KEEP_FRAME();
}

/* Three that wait for the printer. The seed decides which of them does so with the lock held. */
KEEP static void print_while(int holds)
{
	if (holds)
		pthread_mutex_lock(&stock);
	print_page();
	if (holds)
		pthread_mutex_unlock(&stock);
	pause_ns(15 * MS);
	KEEP_FRAME();
}

KEEP static void write_ledger(void)
{
	print_while(seed % 3 == 0);
	KEEP_FRAME();
}

KEEP static void audit_shelves(void)
{
	print_while(seed % 3 == 1);
	KEEP_FRAME();
}

KEEP static void order_parcels(void)
{
	print_while(seed % 3 == 2);
	KEEP_FRAME();
}

#define THREAD(name, job)				\
static void *name(void *unused)				\
{							\
	while (!atomic_load(&closing))			\
		job();					\
	return unused;					\
}

THREAD(labels, reprint_labels)
THREAD(door, watch_door)
THREAD(counter, count_parcels)
THREAD(ledger, write_ledger)
THREAD(audit, audit_shelves)
THREAD(orders, order_parcels)

/* A page each 10 ms, for one of those that wait. It never stops, so none waits for ever. */
static void *print(void *unused)
{
	for (;;) {
		pause_ns(10 * MS);
		if (write(printer[1], "p", 1) != 1)
			return unused;
	}
}

static void start(const char *name, void *(*body)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, NULL))
		exit(1);
	pthread_setname_np(thread, name);
	pthread_detach(thread);
}

int main(int argc, char **argv)
{
	seed = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 1;
	if (pipe(printer))
		return 1;
	start("printer", print);
	for (int i = 0; i < 3; i++)
		start("clerk", clerk);
	start("labels", labels);
	start("door", door);
	start("counter", counter);
	start("ledger", ledger);
	start("audit", audit);
	start("orders", orders);
	sleep(argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 4);
	atomic_store(&closing, 1);
	printf("%ld customers served\n", atomic_load(&served));
	fflush(stdout);
	_exit(0);
}
