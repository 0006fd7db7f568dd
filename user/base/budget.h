/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget.h - how much the tool does for the files of each user
 *
 * Any user can make a file that takes long to read, or that has many names.  So each user has limits of his own:
 * at most half of what the other users leave.  When the tool stops at a limit, it says whose file it was.
 */
#ifndef KFLAME_BASE_BUDGET_H
#define KFLAME_BASE_BUDGET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"

/* Programs and libraries: names; then source lines, if there is debug data */
#define BUDGET_FILE_NS		(30 * NS_PER_S)		/* of one file, each */
#define BUDGET_ALL_NS		(240 * NS_PER_S)	/* of all files */

/* Opening a file may hang: a FUSE or NFS server that does not answer.  The more files have hung, the shorter the wait. */
#define BUDGET_PATIENCE_NS(hung)	((hung) ? NS_PER_S : 10 * NS_PER_S)

/* Perf maps and jitdumps */
#define BUDGET_MAPS		512			/* processes that have some */
#define BUDGET_MAP_BYTES	(256u << 20)		/* read, of one user; holes do not count */
#define BUDGET_MAP_TEXT		(64u << 20)		/* bytes of names, of one user */
#define BUDGET_MAP_NAMES	(1u << 20)		/* of one user */

/** struct budget - time that the files of each user took; all zero is a new one */
struct budget {
	struct budget_user {
		uid_t id;
		uint64_t ns;
	} *users;
	size_t nr, cap;
};

/** budget_share() - Return: how much of @all a user may have: @used by all users, @his of it by him */
uint64_t budget_share(uint64_t all, uint64_t used, uint64_t his);

/** budget_time() - Return: nanoseconds that the next file of a user may take; 0 if he has had his share */
uint64_t budget_time(const struct budget *b, uid_t user);

/** budget_used() - Return: nanoseconds that the files of a user took */
uint64_t budget_used(const struct budget *b, uid_t user);

/** budget_took() - count what a file took.  Without memory it does not count. */
void budget_took(struct budget *b, uid_t user, uint64_t ns);

/** budget_exit() - frees it, and makes it a new one */
void budget_exit(struct budget *b);

#endif
