/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.h - threads that run beside a recording
 */
#ifndef KFLAME_BASE_THREAD_H
#define KFLAME_BASE_THREAD_H

#include <pthread.h>

/**
 * thread_start() - as pthread_create(), but the thread blocks all signals: the recording must get them
 *
 * Return: 0 or a positive errno.
 */
int thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

#endif
