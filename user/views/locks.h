/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locks.h - how long threads waited for locks, asleep or in a loop, by the code that took the lock
 */
#ifndef KFLAME_VIEWS_LOCKS_H
#define KFLAME_VIEWS_LOCKS_H

#include "views/wait_table.h"

/**
 * locks_find() - finds the lock that a stack waits for
 * @frames:	as for stack_fn
 * @site:	out: the function that called the function of the lock
 *
 * Return: the kind of lock; NULL if the stack does not wait for a lock.
 */
const char *locks_find(const struct frame *frames, size_t nr, struct frame *site);

/**
 * locks_find_spin() - finds the lock for which a running thread or interrupt spins: it runs in a loop until the lock
 * is free
 *
 * Return: as locks_find(), also @frames and @site.
 */
const char *locks_find_spin(const struct frame *frames, size_t nr, struct frame *site);

/**
 * locks_make() - makes the table of waits
 * @p:		a profile of waits, or of all time
 *
 * A wait for a lock ends when the thread is woken: the time until it runs is not part of it. Mostly the thread that
 * releases the lock ends the wait: its name is .woken_by. The name of the thread that waited longest is .comm.
 *
 * Return: as wait_table_make().
 */
int locks_make(struct wait_table *t, const struct profile *p, struct filter *filter);

/**
 * locks_make_spins() - makes the table of spins: .waits is the number of samples, .ns their time
 * @p:		a profile of the timer's samples, or of all time
 *
 * Return: as wait_table_make().
 */
int locks_make_spins(struct wait_table *t, const struct profile *p, struct filter *filter);

#endif
