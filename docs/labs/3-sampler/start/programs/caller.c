// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * caller.c - asks() is in system calls nearly all the time
 *
 * usage: caller	(ends by a signal)
 */
#include <fcntl.h>
#include <unistd.h>

static char buffer[1 << 16];

__attribute__((noinline)) static void asks(int fd)
{
	for (;;)
		if (read(fd, buffer, sizeof(buffer)) < 0)
			_exit(1);
}

int main(void)
{
	asks(open("/dev/zero", O_RDONLY));
	return 0;
}
