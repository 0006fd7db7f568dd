// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * blocked - sleeps uninterruptibly until it is killed, as the parent of a vfork(2) does
 *
 * usage: blocked
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(void)
{
	if (!vfork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return 0;
}
