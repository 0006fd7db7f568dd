// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * caller.c - asks() is in system calls nearly all the time
 *
 * usage: caller	(ends by a signal)
 *
 * It calls the kernel itself: read() of the C library has no frame, so a walk by frame pointers would miss
 * asks().
 */
#include <fcntl.h>
#include <sys/syscall.h>

static char buffer[1 << 16];
volatile int stop;

static void asks(long fd)
{
	while (!stop) {
		long result = SYS_read;

		__asm__ volatile("syscall"
				 : "+a"(result)
				 : "D"(fd), "S"(buffer), "d"(sizeof(buffer))
				 : "rcx", "r11", "memory");
	}
}

int main(void)
{
	asks(open("/dev/zero", O_RDONLY));
	return 0;
}
