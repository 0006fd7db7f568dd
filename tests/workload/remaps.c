// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remaps.c - code that is mapped, or replaced, after the first sample
 *
 *	remaps rwx SECONDS	code in memory that is writable as well, named by a perf map
 *	remaps shared|zero|memfd|heap SECONDS	the same in memory of that kind
 *	remaps swap SECONDS DIRECTORY	half of the time in the file "first" there, then in
 *				"second", which is mapped at the same place
 *	remaps flip SECONDS	code whose protection is changed all the time
 *	remaps move SECONDS	half of the time in its own text, then in a copy of it, in no file, that is
 *				put in its place, as programs that want huge pages do
 *	remaps begin SECONDS	as move does, before anything else
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BYTES	4096

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* CPU time: of each part of a run there are as many samples, however busy the machine is */
static double now(void)
{
	return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* As the code of just-in-time compilers: with a frame of its own, though it calls nothing */
#ifdef __aarch64__
#define FRAME __attribute__((target("no-omit-leaf-frame-pointer")))
#else
#define FRAME
#endif

/* What is copied: it calls nothing and knows no address */
__attribute__((noinline, aligned(64))) int work(int n);
FRAME __attribute__((noinline, aligned(64))) int work(int n)
{
	volatile int sum = n;

	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

__attribute__((noinline)) static void call(const char *code, double seconds)
{
	double end = now() + seconds;
	int (*made)(int) = (int (*)(int))(unsigned long)code;

	while (now() < end)
		made(50000);
}

static void tell(const char *code)
{
	char name[64];
	FILE *map;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	map = fopen(name, "w");
	if (!map)
		die(name);
	fprintf(map, "%lx %x made\n", (unsigned long)code, 256);
	fclose(map);
}

static char *memory(const char *kind)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS, fd = -1;
	char *at;

	if (!strcmp(kind, "heap")) {
		if (posix_memalign((void **)&at, BYTES, BYTES))
			die("posix_memalign");
		return at;
	}
	if (!strcmp(kind, "shared"))
		flags = MAP_SHARED | MAP_ANONYMOUS;
	if (!strcmp(kind, "zero")) {
		fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
		flags = MAP_PRIVATE;
	}
	if (!strcmp(kind, "memfd")) {
		fd = memfd_create("code", MFD_CLOEXEC);
		flags = MAP_SHARED;
		if (ftruncate(fd, BYTES))
			die("ftruncate");
	}
	at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

static void copy_code(char *to)
{
	memcpy(to, (const char *)(unsigned long)work, 256);
	__builtin___clear_cache(to, to + 256);
}

static void swap(double seconds, const char *directory)
{
	static const char *const names[] = { "first", "second" };
	void *at = NULL;

	if (chdir(directory))
		die(directory);
	for (int i = 0; i < 2; i++) {
		char page[BYTES] = "";
		int fd = open(names[i], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

		copy_code(page);
		if (write(fd, page, BYTES) != BYTES)
			die(names[i]);
		at = mmap(at, BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);
		if (at == MAP_FAILED)
			die("mmap");
		close(fd);
		call(at, seconds / 2);
	}
}

static void flip(double seconds)
{
	char *at = memory("private");
	double end = seconds_of(CLOCK_MONOTONIC) + seconds;

	copy_code(at);
	while (seconds_of(CLOCK_MONOTONIC) < end) {
		if (mprotect(at, BYTES, PROT_READ | PROT_EXEC))
			die("mprotect");
		call(at, 0.001);
		if (mprotect(at, BYTES, PROT_READ | PROT_WRITE))
			die("mprotect");
	}
}

/* The program's own code, as it was loaded */
static int find_text(struct dl_phdr_info *info, size_t size, void *data)
{
	unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE), *range = data;
	(void)size;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		unsigned long at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		range[0] = at & -page;
		range[1] = (at + p->p_memsz + page - 1) & -page;
	}
	return 1;
}

static void move(void)
{
	unsigned long range[2] = { 0 };
	size_t bytes;
	void *copy;

	dl_iterate_phdr(find_text, range);
	bytes = range[1] - range[0];
	copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!bytes || copy == MAP_FAILED)
		die("mmap");
	memcpy(copy, (void *)range[0], bytes);
	if (mprotect(copy, bytes, PROT_READ | PROT_EXEC) ||
	    mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)range[0]) == MAP_FAILED)
		die("mremap");
	__builtin___clear_cache((char *)range[0], (char *)range[1]);
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[2]) : 0;
	char *at;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "begin")) {
		move();
		call((const char *)(unsigned long)work, seconds);
		return 0;
	}
	/* It has samples, and was looked at, before anything changes */
	call((const char *)(unsigned long)work, 0.3);
	if (!strcmp(argv[1], "swap")) {
		swap(seconds, argv[3]);
		return 0;
	}
	if (!strcmp(argv[1], "flip")) {
		flip(seconds);
		return 0;
	}
	if (!strcmp(argv[1], "move")) {
		call((const char *)(unsigned long)work, seconds / 2);
		move();
		call((const char *)(unsigned long)work, seconds / 2);
		return 0;
	}
	at = memory(argv[1]);
	copy_code(at);
	if (mprotect(at, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC))
		die("mprotect");
	tell(at);
	call(at, seconds);
	return 0;
}
