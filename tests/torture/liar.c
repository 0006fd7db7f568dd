// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * liar - a program that lies about its own interpreter
 *
 * usage: liar MILLISECONDS FILE LOOP STATE [perl]
 *
 * FILE is a Python 3.11, or a Perl 5.36 with threads. Its loop is at file offset LOOP, and its data, or the key of its
 * data, is STATE bytes behind file offset 0.
 * Maps it, writes an endless loop of its own to where the interpreter's loop is, and runs that in two threads. What
 * the module takes for the interpreter's data is this program's, which it changes all the time: pointers lead
 * anywhere, frames lead in circles, objects lie across pages that are not there. Prints "survived".
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096UL
#define PAGES	64UL
#define WORDS	(PAGES * PAGE / sizeof(long))

static unsigned long *heap;	/* every other page of its last half is absent at times */
static uint64_t seed = 1;
static int is_perl;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* A pointer: mostly into the heap, at times to where nothing may be read */
static unsigned long pointer(void)
{
	static const unsigned long bad[] = {
		0, 1, 8, 4095, 4096, -1UL, -4096UL, 1UL << 46, (1UL << 47) - 1, (1UL << 47) - 9, 1UL << 47, 1UL << 56,
		0xffff888000000000, 0xffffffff81000000, 0xffffffffff600000, 0x8000000000000000,
	};
	const uint64_t r = next();

	if (r % 16 == 0)
		return bad[r >> 8 & 15];
	return (unsigned long)heap + (r >> 8) % (WORDS * sizeof(long)) / (r >> 60 & 1 ? 1 : 8) * (r >> 60 & 1 ? 1 : 8);
}

/* Small numbers are lengths, kinds and lines as well as they can be */
static unsigned long anything(void)
{
	const uint64_t r = next();

	return r % 4 ? pointer() : r % 8 ? r >> 40 & 0xff : r;
}

/* Of Perl: two stacks of contexts, which are anything in the heap's first quarter, and the current statement */
static void make_stacks(unsigned long *state)
{
	unsigned long *stack = heap + WORDS / 4 + 64, *outer = stack + 16, *words[] = { stack, outer };
	size_t i;

	state[208 / 8] = pointer();
	state[224 / 8] = (unsigned long)stack;
	for (i = 0; i < 2; i++) {
		words[i][1] = (unsigned long)heap + next() % (WORDS * sizeof(long) / 8);
		words[i][4] = 1000UL << 32 | next() % 200;
		words[i][5] = (i && next() % 8 ? 1UL : next() % 8) << 32;
	}
	stack[2] = next() % 16 ? (unsigned long)outer : pointer();
	outer[2] = next() % 16 ? 0 : (unsigned long)stack;
	outer[3] = (unsigned long)stack;
}

static void *spin(void *loop)
{
	/* The key of the thread's state is 0, as the data says; a thread's structure begins with its address */
	unsigned long *state = heap + WORDS / 4, self;

	__asm__("mov %%fs:0, %0" : "=r"(self));
	pthread_setspecific(0, state);
	if (!is_perl)
		state[152 / 8] = self;
	((void (*)(void))loop)();
	return NULL;
}

static void *map_liar(const char *path, uint64_t at, int64_t data)
{
	static const unsigned char endless[] = { 0xeb, 0xfe };
	const uint64_t from = at & ~(PAGE - 1);
	int fd = open(path, O_RDONLY);
	unsigned char *code, *end;
	pthread_key_t key;

	/* A gap, so that the data has a place */
	end = mmap(NULL, 256UL << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || end == MAP_FAILED || pthread_key_create(&key, NULL) || key)
		return NULL;
	/* From the file's begin: the loop has parts elsewhere */
	code = mmap(end + (64UL << 20), from + 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
		    fd, 0);
	if (code != MAP_FAILED)
		code += from;
	end = mmap((void *)((uintptr_t)(code - from + data) & ~(PAGE - 1)), 2 * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
	close(fd);
	if (code == MAP_FAILED || end == MAP_FAILED)
		return NULL;
	memcpy(code + (at - from), endless, sizeof(endless));
	/* The key of the state is 0. A sample reads only pages that are there */
	memset(end, 0, 2 * PAGE);
	return code + (at - from);
}

int main(int argc, char **argv)
{
	const uint64_t until = now() + (argc >= 5 ? strtoull(argv[1], NULL, 0) : 0) * 1000000ULL;
	pthread_t threads[2];
	unsigned long *state;
	void *loop;
	size_t i;

	if (argc < 5)
		return 2;
	is_perl = argc == 6 && !strcmp(argv[5], "perl");
	heap = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	loop = map_liar(argv[2], strtoull(argv[3], NULL, 0), strtoll(argv[4], NULL, 0));
	if (heap == MAP_FAILED || !loop)
		return 1;
	for (i = 0; i < WORDS; i++)
		heap[i] = pointer();
	state = heap + WORDS / 4;
	state[56 / 8] = (unsigned long)(heap + WORDS / 3);
	make_stacks(state);
	for (i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, spin, loop))
			return 1;
	for (i = 0; now() < until; i++) {
		char *page = (char *)heap + (PAGES / 2 + i % (PAGES / 2)) * PAGE;

		/* The state must stay what it is for most of the time, or no frame is ever looked at */
		heap[WORDS / 4 + 128 + next() % (WORDS / 4 - 128)] = anything();
		heap[next() % (WORDS / 4)] = anything();
		if (i % 64 == 0)
			state[56 / 8] = pointer();
		if (i % 64 == 32)
			make_stacks(state);
		if (i % 512 == 0)
			mprotect(page, PAGE, i % 1024 ? PROT_NONE : PROT_READ | PROT_WRITE);
		if (i % 4096 == 0)
			madvise(page, PAGE, MADV_DONTNEED);
	}
	puts("survived");
	fflush(stdout);
	_exit(0);
}
