// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * known_stack - main > outer > middle > leaf, all the time in leaf; writes its own stack to a file before
 *
 * usage: known_stack FILE [read]
 *
 * FILE, which appears once it is complete, gets the address of middle's stack pointer and the words from there on, up to the environment. They do
 * not change any more, because leaf calls nothing. With "read", leaf is left out, and outer reads
 * /dev/zero for ever. known_stack-tables is the same without frame pointers.
 */
#include "work.h"

#include <fcntl.h>
#include <unistd.h>

extern char **environ;

static volatile uint64_t sink;
static const char *path;

WORK_FUNCTION static uint64_t leaf(uint64_t x)
{
	for (;;)
		x = (x >> 3) * 0x9e3779b97f4a7c15ULL + 1;
	return x;
}

static inline __attribute__((always_inline)) uintptr_t stack_pointer(void)
{
	uintptr_t sp;

#ifdef __aarch64__
	__asm__ volatile("mov %0, sp" : "=r"(sp));
#else
	__asm__ volatile("mov %%rsp, %0" : "=r"(sp));
#endif
	return sp;
}

WORK_FUNCTION static void write_stack(uint64_t sp)
{
	size_t bytes = (uintptr_t)environ - sp;
	char part[4096];
	int fd;

	snprintf(part, sizeof(part), "%s.part", path);
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, &sp, sizeof(sp)) != sizeof(sp) || write(fd, (void *)sp, bytes) != (ssize_t)bytes ||
	    close(fd) || rename(part, path)) {
		perror(path);
		exit(1);
	}
}

WORK_FUNCTION static uint64_t middle(uint64_t x)
{
	volatile uint64_t mine[4] = { 0x1111111111111111, 0x2222222222222222, 0x3333333333333333, x };

	write_stack(stack_pointer());
	x = leaf(mine[0] + x);
	WORK_KEEP_FRAME();
	return x + mine[3];
}

WORK_FUNCTION static uint64_t read_zeroes(uint64_t x)
{
	static char buffer[1 << 20];
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	while (read(fd, buffer, sizeof(buffer)) > 0)
		x += (uint64_t)buffer[0];
	return x;
}

WORK_FUNCTION static uint64_t outer(uint64_t x, int reads)
{
	x = reads ? read_zeroes(x) : middle(x + 1);
	WORK_KEEP_FRAME();
	return x + 1;
}

int main(int argc, char **argv)
{
	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: known_stack FILE [read]\n");
		return 2;
	}
	path = argv[1];
	sink = outer((uint64_t)argc, argc == 3);
	return 0;
}
