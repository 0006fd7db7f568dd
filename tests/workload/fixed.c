// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fixed - the benchmark's load: the same instructions each time
 *
 * usage: fixed ROUNDS [WARM]
 *
 * A round is a recursion 20 deep with a hot leaf, read(2) of /dev/zero, and
 * stat(2) of a proc file, each about a third of the instructions; fixed-user, which has
 * no frame pointers, is the recursion alone, 27 frames with what begins a program; a round of
 * fixed-sysh is small system calls and page faults, nearly all of it in the kernel; one of fixed-new
 * is a stack that never was before, 21 functions of two kinds in another order.  Prints the
 * nanoseconds that all rounds took; those that WARM rounds took before, in which whoever
 * looks on begins; and the CPU time that its parent's threads had meanwhile, who may be looking on.
 * In a guest whose clock counts instructions (guest.sh --icount), these are exact.
 */
#include "work.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile uint64_t sink;

WORK_FUNCTION static uint64_t hot(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 33000; i++)
		x = x * 6364136223846793005ULL + 1;
	return x;
}

WORK_FUNCTION static uint64_t descend(unsigned int depth, uint64_t x)
{
	x = depth ? descend(depth - 1, x + 1) : hot(x);
	WORK_KEEP_FRAME();
	return x + 1;
}

#ifdef FIXED_SYSH
#define PAGES	16
#define PAGE	4096

WORK_FUNCTION static void fault(void)
{
	unsigned char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	if (at == MAP_FAILED)
		exit(1);
	for (i = 0; i < PAGES; i++)
		at[i * PAGE] = i;
	munmap(at, PAGES * PAGE);
}

WORK_FUNCTION static void small_calls(int zero)
{
	char byte = 0;
	int ends[2], copy;

	if (pipe(ends) || write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
		exit(1);
	close(ends[0]);
	close(ends[1]);
	copy = dup(zero);
	if (copy < 0 || read(copy, &byte, 1) != 1)
		exit(1);
	close(copy);
	copy = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (copy < 0 || write(copy, &byte, 1) != 1)
		exit(1);
	close(copy);
	getppid();
}
#endif

#ifdef FIXED_NEW
#define BITS	20

static void clear(uint64_t round, unsigned int bits);

WORK_FUNCTION static void set(uint64_t round, unsigned int bits)
{
	unsigned int i;

	if (bits && (round >> (bits - 1) & 1))
		set(round, bits - 1);
	else if (bits)
		clear(round, bits - 1);
	else
		for (i = 0; i < 8000; i++)
			sink = sink * 6364136223846793005ULL + round;
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void clear(uint64_t round, unsigned int bits)
{
	if (bits && (round >> (bits - 1) & 1))
		set(round, bits - 1);
	else if (bits)
		clear(round, bits - 1);
	else
		set(round, 0);
	/* differs from set(), lest the two are folded into one */
	WORK_KEEP_FRAME();
}
#endif

WORK_FUNCTION static void one_round(int zero)
{
#if defined(FIXED_NEW)
	static uint64_t round;

	/* The last functions differ first */
	set(round++ * 0x9e37 & ((1u << BITS) - 1), BITS);
	(void)zero;
	(void)descend;
#elif defined(FIXED_SYSH)
	unsigned int i;

	for (i = 0; i < 4; i++)
		small_calls(zero);
	fault();
	(void)descend;
#elif defined(FIXED_USER)
	sink = descend(20, sink);
	(void)zero;
#else
	static char buffer[1 << 14];
	struct stat st;
	unsigned int i;

	sink = descend(20, sink);
	for (i = 0; i < 8; i++)
		if (read(zero, buffer, sizeof(buffer)) < 0)
			exit(1);
	for (i = 0; i < 10; i++)
		if (stat("/proc/self/status", &st))
			exit(1);
#endif
}

/* CPU time of all threads of the parent, ns */
static unsigned long long parent_ns(void)
{
	unsigned long long ns, sum = 0;
	char path[64], name[384];
	struct dirent *d;
	DIR *threads;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)getppid());
	threads = opendir(path);
	while (threads && (d = readdir(threads))) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s/schedstat", path, d->d_name);
		file = fopen(name, "r");
		if (file && fscanf(file, "%llu", &ns) == 1)
			sum += ns;
		if (file)
			fclose(file);
	}
	if (threads)
		closedir(threads);
	return sum;
}

static unsigned long long time_of(unsigned long rounds, int zero)
{
	uint64_t start = work_clock(CLOCK_MONOTONIC);

	while (rounds--)
		one_round(zero);
	return work_clock(CLOCK_MONOTONIC) - start;
}

int main(int argc, char **argv)
{
	unsigned long long warm, took, parent;
	unsigned long rounds;
	int zero;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: fixed ROUNDS [WARM]\n");
		return 2;
	}
	rounds = work_number(argv[1], "ROUNDS");
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (zero < 0)
		return 1;
	one_round(zero);
	warm = time_of(argc == 3 ? work_number(argv[2], "WARM") : 0, zero);
	parent = parent_ns();
	took = time_of(rounds, zero);
	printf("fixed %llu %llu %llu\n", took, warm, parent_ns() - parent);
	return 0;
}
