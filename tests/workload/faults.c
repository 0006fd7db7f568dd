// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faults - a known number of page faults, in one function
 *
 * usage: faults PAGES
 *        faults --absent SECONDS
 *        faults --kinds PAGES FILE
 *
 * The first form writes to PAGES pages that it never used before, in touch_pages(). The second form
 * runs for SECONDS of CPU time with a frame pointer that points to memory that cannot be read. A
 * profiler that walks the stack by frame pointers faults there.  The third form uses PAGES pages of the heap, of
 * memory without a file, and of FILE, in touch_kinds().  It prints how many faults getrusage(2) counts there.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "work.h"

#define PAGE	4096

WORK_FUNCTION static void touch_pages(volatile char *at, unsigned long pages)
{
	for (; pages; pages--, at += PAGE)
		*at = 1;
	WORK_KEEP_FRAME();
}

static void *map(unsigned long pages, int protection)
{
	void *at = mmap(NULL, pages * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED) {
		perror("faults: mmap");
		exit(1);
	}
	madvise(at, pages * PAGE, MADV_NOHUGEPAGE);
	return at;
}

#ifdef __x86_64__
/* Spin with a stack pointer to the first page of @stack, and a frame pointer to the second. */
WORK_FUNCTION static void spin_absent(char *stack, unsigned long loops)
{
	__asm__ volatile("mov %%rsp, %%r8\n\t"
			 "mov %%rbp, %%r9\n\t"
			 "lea 2048(%1), %%rsp\n\t"
			 "lea 4608(%1), %%rbp\n"
			 "1:\tdec %0\n\t"
			 "jnz 1b\n\t"
			 "mov %%r9, %%rbp\n\t"
			 "mov %%r8, %%rsp"
			 : "+r"(loops) : "r"(stack) : "r8", "r9", "memory", "cc");
}
#else
static void spin_absent(char *stack, unsigned long loops)
{
	(void)stack;
	(void)loops;
}
#endif

/* Each page of the file is read by itself. */
static void *map_file(const char *name, unsigned long pages)
{
	int fd = open(name, O_RDONLY);
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED) {
		perror(name);
		exit(1);
	}
	madvise(at, pages * PAGE, MADV_RANDOM);
	return at;
}

WORK_FUNCTION static void touch_kinds(char *heap, char *memory, const volatile char *file, unsigned long pages)
{
	unsigned long i;

	touch_pages(heap, pages);
	touch_pages(memory, pages);
	for (i = 0; i < pages; i++)
		(void)file[i * PAGE];
	WORK_KEEP_FRAME();
}

static void print_kinds(unsigned long pages, const char *name)
{
	char *memory = map(pages, PROT_READ | PROT_WRITE), *file = map_file(name, pages), *heap = sbrk(0);
	struct rusage before, after;

	heap += -(uintptr_t)heap % PAGE;
	if (brk(heap + pages * PAGE)) {
		perror("faults: brk");
		exit(1);
	}
	madvise(heap, pages * PAGE, MADV_NOHUGEPAGE);
	getrusage(RUSAGE_SELF, &before);
	touch_kinds(heap, memory, file, pages);
	getrusage(RUSAGE_SELF, &after);
	printf("minor %ld\nmajor %ld\n", after.ru_minflt - before.ru_minflt, after.ru_majflt - before.ru_majflt);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--absent")) {
		uint64_t limit = strtoull(argv[2], NULL, 10) * 1000000000;
		char *stack = map(2, PROT_READ | PROT_WRITE);

		mprotect(stack + PAGE, PAGE, PROT_NONE);
		while (work_clock(CLOCK_THREAD_CPUTIME_ID) < limit)
			spin_absent(stack, 1000000);
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "--kinds")) {
		print_kinds(work_number(argv[2], "PAGES"), argv[3]);
		return 0;
	}
	if (argc != 2) {
		fprintf(stderr, "usage: faults PAGES | faults --absent SECONDS | faults --kinds PAGES FILE\n");
		return 2;
	}
	touch_pages(map(strtoul(argv[1], NULL, 10), PROT_READ | PROT_WRITE), strtoul(argv[1], NULL, 10));
	return 0;
}
