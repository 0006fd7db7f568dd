// SPDX-License-Identifier: GPL-2.0-or-later
/* 4.c - asks a slow server, and waits for each answer before it asks again */
#include "common.h"

FUNCTION uint64_t parse_answer(uint64_t x)
{
	FRAME;
	for (int i = 0; i < 4000000; i++)
		x = x * 31 + i;
	return x;
}

FUNCTION uint64_t format_line(uint64_t x)
{
	FRAME;
	for (int i = 0; i < 1500000; i++)
		x = x * 33 + i;
	return x;
}

FUNCTION void ask_server(void)
{
	FRAME;
	usleep(190000);
}

int main(void)
{
	for (int i = 0; i < 40; i++) {
		ask_server();
		sink += parse_answer(i);
		sink += format_line(i);
	}
	return 0;
}
