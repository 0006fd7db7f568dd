/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget.h - limits on the work that the tool does for the files of each user
 *
 * Any user can create a file that takes long to read, or that has many names.  So each user has a limit: at
 * most half of what the other users leave.  When the tool stops at a limit, it says whose file it was.
 */
#ifndef KFLAME_BASE_BUDGET_H
#define KFLAME_BASE_BUDGET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"

/* Programs and libraries.  Reading names and reading source lines have a limit each. */
#define BUDGET_FILE_NS		(30 * NS_PER_S)		/* for one file */
#define BUDGET_ALL_NS		(240 * NS_PER_S)	/* for all files */

/* Opening a file can hang: a FUSE or NFS server may not answer.  Once a file has hung, wait less. */
#define BUDGET_PATIENCE_NS(hung)	((hung) ? NS_PER_S : 10 * NS_PER_S)

/* Perf maps and jitdumps */
#define BUDGET_MAPS		512			/* processes that have maps */
#define BUDGET_MAP_BYTES	(256u << 20)		/* bytes read for one user, without holes */
#define BUDGET_MAP_TEXT		(64u << 20)		/* bytes of names for one user */
#define BUDGET_MAP_NAMES	(1u << 20)		/* names for one user */

/** struct budget - time that the tool spent on the files of each user; all zero is an empty budget */
struct budget {
	struct budget_user {
		uid_t id;
		uint64_t ns;
	} *users;
	size_t nr, cap;
};

/**
 * budget_share() - how much more of a limit a user may use
 * @all:	the limit for all users
 * @used:	the part that all users have used
 * @his:	the part that this user has used
 */
uint64_t budget_share(uint64_t all, uint64_t used, uint64_t his);

/** budget_time() - Return: nanoseconds that the next file of a user may take; 0 if the user has none left */
uint64_t budget_time(const struct budget *b, uid_t user);

/** budget_used() - Return: nanoseconds that the files of a user have taken */
uint64_t budget_used(const struct budget *b, uid_t user);

/** budget_took() - add the time that a file of a user took.  If memory runs out, the time is not added. */
void budget_took(struct budget *b, uid_t user, uint64_t ns);

/** budget_exit() - free the budget and make it empty */
void budget_exit(struct budget *b);

#endif
