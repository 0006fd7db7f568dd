// SPDX-License-Identifier: GPL-2.0-or-later
/* fp.c - what you write: a walker by frame pointers that does not believe all it reads */
#include "walk.h"

/*
 * Task 2: from a frame to its caller. At frame->bp, a frame record should be: the caller's rbp, and then the return
 * address. Return false if it cannot be one.
 */
bool next_frame(const struct dump *dump, struct frame *frame)
{
	/* TODO */
	(void)dump;
	(void)frame;
	return false;
}

/* Task 3: is there a call instruction (e8 and four bytes) before this address, in a function that we know? */
bool is_return_address(const struct dump *dump, uint64_t address)
{
	/* TODO */
	(void)dump;
	(void)address;
	return true;
}

/*
 * Task 4: the interrupted function has no frame record now: its caller is not among what next_frame() finds.
 * Find the return address by the code at dump->ip. Return false if no caller is lost, or if you cannot say.
 */
bool lost_caller(const struct dump *dump, uint64_t *ip)
{
	/* TODO */
	(void)dump;
	(void)ip;
	return false;
}
