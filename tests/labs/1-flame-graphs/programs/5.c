// SPDX-License-Identifier: GPL-2.0-or-later
/* 5.c - writes a file one byte at a time */
#include "common.h"

#include <fcntl.h>

/* The library's has no frame record, and would hide its caller */
FUNCTION ssize_t write(int fd, const void *bytes, size_t nr)
{
	FRAME;
	ssize_t result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(1L), "D"((long)fd), "S"(bytes), "d"(nr)
			 : "rcx", "r11", "memory");
	return result;
}

FUNCTION void put_byte(int fd, char c)
{
	FRAME;
	if (write(fd, &c, 1) != 1)
		exit(1);
}

FUNCTION char next_byte(uint64_t *state)
{
	FRAME;
	for (int i = 0; i < 80; i++)
		*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 56;
}

FUNCTION void save_picture(int fd)
{
	FRAME;
	uint64_t state = 1;

	lseek(fd, 0, SEEK_SET);
	for (int i = 0; i < 5000; i++)
		put_byte(fd, next_byte(&state));
}

int main(void)
{
	double end = now() + SECONDS;
	int fd = open("/tmp/picture", O_RDWR | O_CREAT | O_TRUNC, 0600);

	while (now() < end)
		save_picture(fd);
	return 0;
}
