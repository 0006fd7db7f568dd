/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.h - threads that work beside a recording
 */
#ifndef KFLAME_BASE_THREAD_H
#define KFLAME_BASE_THREAD_H

#include <pthread.h>

/**
 * thread_start() - as pthread_create(), but it takes no signals: they are for the recording
 *
 * Return: 0 or an errno, positive.
 */
int thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

#endif
