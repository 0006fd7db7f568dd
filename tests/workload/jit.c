// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit - code in memory without a file, told of in /tmp/perf-PID.map
 *
 * usage: jit SECONDS
 *
 * As a just-in-time compiler does it: two copies of a function, jit_first and jit_second,
 * made one after the other; the file begins with a line of a function that was there before,
 * and ends with one that is no line.
 */
#include "work.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROOM	4096
#define BYTES	512		/* more than one copy has */

/*
 * Calls nothing and refers to nothing, so that it can be anywhere. With a frame, as
 * just-in-time compilers make it that are asked to: who asks for its address gets one.
 */
WORK_FUNCTION static uint64_t template(uint64_t loops)
{
	volatile uint64_t x = (uintptr_t)__builtin_frame_address(0);

	while (loops--)
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
	return x;
}

typedef uint64_t made(uint64_t loops);

WORK_FUNCTION static uint64_t caller(made *function)
{
	uint64_t sum = function(200000);

	WORK_KEEP_FRAME();
	return sum + 1;
}

int main(int argc, char **argv)
{
	char path[64], *code = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile uint64_t sink;
	uint64_t end;
	FILE *map;

	if (argc != 2 || code == MAP_FAILED) {
		fprintf(stderr, "usage: jit SECONDS\n");
		return 2;
	}
	memcpy(code, (const void *)template, BYTES);
	memcpy(code + BYTES, (const void *)template, BYTES);
	if (mprotect(code, ROOM, PROT_READ | PROT_EXEC)) {
		perror("jit: mprotect");
		return 1;
	}
	__builtin___clear_cache(code, code + ROOM);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map) {
		perror(path);
		return 1;
	}
	fprintf(map, "%lx %x jit_before\n", (unsigned long)code, BYTES);
	fprintf(map, "%lx %x jit_first\n", (unsigned long)code, BYTES);
	fprintf(map, "%lx %x jit_second(with a space)\n", (unsigned long)code + BYTES, BYTES);
	fprintf(map, "nothing\n");
	fclose(map);
	end = work_clock(CLOCK_MONOTONIC) + work_number(argv[1], "SECONDS") * 1000000000;
	while (work_clock(CLOCK_MONOTONIC) < end)
		sink = caller((made *)(void *)code) + caller((made *)(void *)(code + BYTES));
	(void)sink;
	return 0;
}
