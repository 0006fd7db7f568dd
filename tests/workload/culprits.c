// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * culprits - programs with a problem, each in a function of its own
 *
 * usage: culprits fsync|bytes FILE COUNT
 *        culprits forks|chatty|swap|retransmit COUNT
 *
 * fsync: slow_save() writes to FILE and waits for the disk, COUNT times. bytes: read_each_byte() reads FILE by COUNT
 * reads of one byte. forks: fork_again() starts COUNT processes that end at once. chatty: ask_the_time() makes COUNT
 * system calls. swap: use_again() uses COUNT pages a second time, of which a control group swaps some out.
 * retransmit: call_nobody() connects to COUNT ports of a host that does not answer, and waits for 1.5 s.
 *
 * Beside it work_well() does a little of the same, in a way that is no problem.
 */
#include "work.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE		4096
#define BLOCK		65536
#define NOBODY		"10.99.99.2"
#define NOBODYS_PORT	4242

static const char *file;
static char block[BLOCK];

static void fail(const char *what)
{
	fprintf(stderr, "culprits: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_file(void)
{
	int fd = open(file, O_RDWR);

	if (fd < 0)
		fail(file);
	return fd;
}

static void start_one(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

/* One large read, one process, one call */
WORK_FUNCTION static void work_well(void)
{
	int fd = file ? open_file() : -1;

	if (file && pread(fd, block, BLOCK, 0) != BLOCK)
		fail(file);
	if (file)
		close(fd);
	start_one();
	syscall(SYS_getppid);
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void slow_save(unsigned long count)
{
	int fd = open_file();

	for (unsigned long i = 0; i < count; i++)
		if (pwrite(fd, block, BLOCK, (off_t)(i * BLOCK)) != BLOCK || fsync(fd))
			fail(file);
	close(fd);
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void read_each_byte(unsigned long count)
{
	int fd = open_file();

	for (unsigned long i = 0; i < count; i++)
		if (read(fd, block, 1) != 1)
			fail(file);
	close(fd);
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void fork_again(unsigned long count)
{
	while (count--)
		start_one();
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void ask_the_time(unsigned long count)
{
	struct timespec now;

	while (count--)
		if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now))
			fail("clock_gettime");
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void use_again(volatile char *at, unsigned long pages)
{
	for (; pages; pages--, at += PAGE)
		++*at;
	WORK_KEEP_FRAME();
}

static void swap(unsigned long pages)
{
	char *at = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	memset(at, 1, pages * PAGE);
	use_again(at, pages);
}

WORK_FUNCTION static void call_nobody(unsigned long count)
{
	const struct timespec wait = { 1, 500000000 };
	struct sockaddr_in to = { .sin_family = AF_INET };
	int fd;

	inet_pton(AF_INET, NOBODY, &to.sin_addr);
	for (unsigned long i = 0; i < count; i++) {
		to.sin_port = htons((uint16_t)(NOBODYS_PORT + i));
		fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		if (fd < 0)
			fail("socket");
		if (!connect(fd, (struct sockaddr *)&to, sizeof(to)) || errno != EINPROGRESS)
			fail("connect");
	}
	nanosleep(&wait, NULL);
	WORK_KEEP_FRAME();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned long count;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: culprits fsync|bytes FILE COUNT | culprits forks|chatty|swap|retransmit COUNT\n");
		return 2;
	}
	file = argc == 4 ? argv[2] : NULL;
	count = work_number(argv[argc - 1], "COUNT");
	work_well();
	if (!strcmp(what, "fsync"))
		slow_save(count);
	else if (!strcmp(what, "bytes"))
		read_each_byte(count);
	else if (!strcmp(what, "forks"))
		fork_again(count);
	else if (!strcmp(what, "chatty"))
		ask_the_time(count);
	else if (!strcmp(what, "swap"))
		swap(count);
	else if (!strcmp(what, "retransmit"))
		call_nobody(count);
	else
		return 2;
	return 0;
}
