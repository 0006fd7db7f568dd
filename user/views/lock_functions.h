/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock_functions.h - the functions in which threads wait for locks
 */
#ifndef KFLAME_VIEWS_LOCK_FUNCTIONS_H
#define KFLAME_VIEWS_LOCK_FUNCTIONS_H

#include <stdbool.h>

#include "stacks/stacks.h"

/** enum lock_kind - what a function waits for */
enum lock_kind {
	LOCK_NOT,		/* not a function of a lock */
	LOCK_PART,		/* part of any wait: it does not say of which lock */
	LOCK_SPINLOCK,
	LOCK_RWLOCK_READ,
	LOCK_RWLOCK_WRITE,
	LOCK_MUTEX,
	LOCK_RWSEM_READ,
	LOCK_RWSEM_WRITE,
	LOCK_PERCPU_READ,
	LOCK_PERCPU_WRITE,
	LOCK_RT_MUTEX,
	LOCK_RTLOCK,		/* a spinlock_t or rwlock_t of a PREEMPT_RT kernel */
	LOCK_SEMAPHORE,
	LOCK_FUTEX,
	LOCK_USER_MUTEX,	/* these are futexes, too, by the function that used one */
	LOCK_USER_RWLOCK,
	LOCK_USER_CONDITION,
	LOCK_USER_SEMAPHORE,
	LOCK_USER_BARRIER,
	LOCK_USER_JOIN,
	LOCK_USER_ONCE,
};

/** lock_of_kernel() - the kind of a kernel function; suffixes such as .constprop.0 do not matter */
enum lock_kind lock_of_kernel(const struct frame *f);

/** lock_spins_in_kernel() - Return: whether a kernel function runs in a loop until a lock is free */
bool lock_spins_in_kernel(const struct frame *f);

/** lock_of_user() - the kind of a function of a C, C++ or Rust library */
enum lock_kind lock_of_user(const struct frame *f);

/** lock_name() - Return: the kind in words, such as "rwsem (read)" */
const char *lock_name(enum lock_kind kind);

#endif
