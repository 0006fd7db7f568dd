// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit - code in memory without a file, listed in /tmp/perf-PID.map or /tmp/jit-PID.dump
 *
 * usage: jit SECONDS [dump|gone|quiet]
 *
 * As a just-in-time compiler does it: two copies of a function, jit_first and jit_second,
 * made one after the other; the file begins with a line of a function that was there before,
 * and ends with one that is no line.  With "dump" it is a jitdump: the second function was
 * loaded somewhere else and moved; there are records of other types, and the last one is cut.  With
 * "gone" the file is deleted as soon as it is mapped. With "quiet" it writes neither file.
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
 * just-in-time compilers make it on request: __builtin_frame_address() forces one.
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

static void tell_in_map(unsigned long code)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map) {
		perror(path);
		exit(1);
	}
	fprintf(map, "%lx %x jit_before\n", code, BYTES);
	fprintf(map, "%lx %x jit_first\n", code, BYTES);
	fprintf(map, "%lx %x jit_second(with a space)\n", code + BYTES, BYTES);
	fprintf(map, "nothing\n");
	fclose(map);
}

/* tools/perf/Documentation/jitdump-specification.txt */
struct dump_record {
	uint32_t type, size;
	uint64_t time;
};

static void put_load(FILE *dump, unsigned long code, uint64_t index, const char *name)
{
	const struct {
		struct dump_record r;
		uint32_t pid, tid;
		uint64_t vma, address, bytes, index;
	} load = {
		.r = { 0, sizeof(load) + strlen(name) + 1 + BYTES, index }, .pid = getpid(),
		.vma = code, .address = code, .bytes = BYTES, .index = index,
	};

	fwrite(&load, sizeof(load), 1, dump);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite((const void *)template, BYTES, 1, dump);
}

static void put_move(FILE *dump, unsigned long to, uint64_t index)
{
	const struct {
		struct dump_record r;
		uint32_t pid, tid;
		uint64_t vma, from, to, bytes, index;
	} move = {
		.r = { 1, sizeof(move), index }, .from = 4096, .to = to, .bytes = BYTES, .index = index,
	};

	fwrite(&move, sizeof(move), 1, dump);
}

static void tell_in_dump(unsigned long code, bool gone)
{
	const struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
	} header = { 0x4a695444, 1, sizeof(header), 62, 0, getpid(), 1, 0 };
	const struct dump_record unwinding = { 4, sizeof(unwinding), 1 }, cut = { 0, 100, 1 };
	char path[64];
	FILE *dump;

	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", (int)getpid());
	dump = fopen(path, "w+");
	if (!dump) {
		perror(path);
		exit(1);
	}
	fwrite(&header, sizeof(header), 1, dump);
	put_load(dump, code, 1, "jit_before");
	put_load(dump, code, 2, "jit_first");
	fwrite(&unwinding, sizeof(unwinding), 1, dump);
	put_load(dump, 4096, 3, "jit_second(with a space)");
	put_move(dump, code + BYTES, 3);
	fwrite(&cut, sizeof(cut), 1, dump);
	/* For profilers to see, which look for the name of what is mapped */
	if (fflush(dump) || mmap(NULL, ROOM, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) ==
			    MAP_FAILED) {
		perror(path);
		exit(1);
	}
	if (gone)
		unlink(path);
}

int main(int argc, char **argv)
{
	char *code = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile uint64_t sink;
	uint64_t end;

	if (argc < 2 || argc > 3 || code == MAP_FAILED) {
		fprintf(stderr, "usage: jit SECONDS [dump|gone|quiet]\n");
		return 2;
	}
	memcpy(code, (const void *)template, BYTES);
	memcpy(code + BYTES, (const void *)template, BYTES);
	if (mprotect(code, ROOM, PROT_READ | PROT_EXEC)) {
		perror("jit: mprotect");
		return 1;
	}
	__builtin___clear_cache(code, code + ROOM);
	if (argc > 2 && strcmp(argv[2], "quiet"))
		tell_in_dump((unsigned long)code, !strcmp(argv[2], "gone"));
	else if (argc == 2)
		tell_in_map((unsigned long)code);
	end = work_clock(CLOCK_MONOTONIC) + work_number(argv[1], "SECONDS") * 1000000000;
	while (work_clock(CLOCK_MONOTONIC) < end)
		sink = caller((made *)(void *)code) + caller((made *)(void *)(code + BYTES));
	(void)sink;
	return 0;
}
