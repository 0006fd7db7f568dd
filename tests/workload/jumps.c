// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jumps - leaves a function, and all its callers, by longjmp()
 *
 * usage: jumps COUNT DEPTH
 *
 * COUNT times: jump_down() calls itself DEPTH times more, and jump_out() at the end, which returns to main() at once.
 */
#include "work.h"

#include <setjmp.h>

static jmp_buf back;

WORK_FUNCTION static void jump_out(void)
{
	longjmp(back, 1);
}

WORK_FUNCTION static void jump_down(unsigned long depth)
{
	if (depth)
		jump_down(depth - 1);
	else
		jump_out();
	WORK_KEEP_FRAME();
}

int main(int argc, char **argv)
{
	volatile unsigned long count;

	if (argc != 3) {
		fprintf(stderr, "usage: jumps COUNT DEPTH\n");
		return 2;
	}
	for (count = work_number(argv[1], "COUNT"); count; count--)
		if (!setjmp(back))
			jump_down(work_number(argv[2], "DEPTH"));
	return 0;
}
