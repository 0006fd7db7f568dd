// SPDX-License-Identifier: GPL-2.0-or-later
/* fp.c - the key: a walker by frame pointers that does not believe all it reads */
#include "walk.h"

#include <string.h>

bool next_frame(const struct dump *dump, struct frame *frame)
{
	uint64_t bp, ip;

	/* Below the stack pointer there is nothing; and callers are above */
	if (frame->bp < frame->sp)
		return false;
	if (!read_word(dump, frame->bp, &bp) || !read_word(dump, frame->bp + 8, &ip))
		return false;
	if (!is_return_address(dump, ip))
		return false;
	*frame = (struct frame){ .ip = ip, .bp = bp, .sp = frame->bp + 16 };
	return true;
}

bool is_return_address(const struct dump *dump, uint64_t address)
{
	uint8_t byte;

	return function_at(dump, address - 1) && read_code(dump, address - 5, &byte) && byte == 0xe8;
}

bool lost_caller(const struct dump *dump, uint64_t *ip)
{
	(void)dump;
	(void)ip;
	return false;
}
