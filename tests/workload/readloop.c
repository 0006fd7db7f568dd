// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * readloop - read_caller() calls libc's read() on /dev/zero, over and over
 *
 * usage: readloop SECONDS
 *
 * libc's system-call wrappers have no frame, so in a sample inside the kernel a
 * plain frame-pointer walk loses the function that called read().
 */
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static char buffer[1 << 16];

/* Returns bytes read in all. */
WORK_FUNCTION static ssize_t read_caller(int fd)
{
	ssize_t sum = 0, got;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		got = read(fd, buffer, sizeof(buffer));
		if (got < 0) {
			fprintf(stderr, "readloop: /dev/zero: %s\n", strerror(errno));
			exit(1);
		}
		sum += got;
	}
	return sum;
}

int main(int argc, char **argv)
{
	uint64_t begin = work_clock(CLOCK_MONOTONIC), limit;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: readloop SECONDS\n");
		return 2;
	}
	limit = work_number(argv[1], "SECONDS") * 1000000000ULL;
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "readloop: /dev/zero: %s\n", strerror(errno));
		return 1;
	}
	while (work_clock(CLOCK_MONOTONIC) - begin < limit)
		read_caller(fd);
	return 0;
}
