// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elsewhere - a program whose debug data names /var/tmp/kflame-elsewhere as its source
 *
 * usage: elsewhere SECONDS
 */
#include "work.h"

static volatile uint64_t sink;

#line 1 "/var/tmp/kflame-elsewhere"
WORK_FUNCTION static void elsewhere(uint64_t ns)
{
	work_cpu(&sink, ns);
	WORK_KEEP_FRAME();
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	elsewhere(work_number(argv[1], "SECONDS") * 1000000000);
	return 0;
}
