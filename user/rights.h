/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rights.h - opens files with the rights of whoever names them
 *
 * Root reads what others wrote, and there are paths in it: a program names its sources, a process
 * has a perf map at a place where it may mount what it likes.  What is opened by such a path is
 * opened with the rights of that user, so that nothing is shown that he could not read himself.
 */
#ifndef KFLAME_RIGHTS_H
#define KFLAME_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

/** struct rights - a user and a group, and no other groups */
struct rights {
	uid_t uid;
	gid_t gid;
};

/** rights_nobody() - Return: those of who owns nothing: what everybody may read */
struct rights rights_nobody(void);

/** rights_of_file() - gives those of the owner of an open file.  Return: 0 or -errno */
int rights_of_file(int fd, struct rights *r);

/**
 * rights_of_process() - gives those that a process has for files
 *
 * Not those of the owner of /proc/PID: that is root for every process that is not dumpable.
 *
 * Return: 0 or a negative errno; -ESRCH where it is gone.
 */
int rights_of_process(pid_t pid, struct rights *r);

/**
 * rights_use() - calls a function with the rights of another user to files
 * @r:		his; NULL for our own
 * @fn:		what it opens stays open
 *
 * Only root can: other users have their own rights in it, and no more.  It is called in a thread
 * of its own, so that no error can leave this one without its rights; it takes no signals.
 *
 * Return: 0; a negative errno, and it was not called.
 */
int rights_use(const struct rights *r, void (*fn)(void *ctx), void *ctx);

#endif
