// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thread.c - threads that run beside a recording
 */
#include <signal.h>

#include "base/thread.h"

int thread_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}
