/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rights.h - open a file with another user's rights
 *
 * The tool runs as root and reads paths that other users chose.  Debug data names source files.  A
 * process in a user namespace may mount any file over its perf map.  The tool opens such a path with
 * the rights of the user who chose it, so no user sees a file that he cannot read himself.
 */
#ifndef KFLAME_BASE_RIGHTS_H
#define KFLAME_BASE_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

/** struct rights - a user and a group, and no other groups */
struct rights {
	uid_t uid;
	gid_t gid;
};

/** rights_nobody() - Return: the rights of the user nobody, who may read world-readable files only */
struct rights rights_nobody(void);

/** rights_of_file() - get the owner and group of an open file.  Return: 0 or a negative errno */
int rights_of_file(int fd, struct rights *r);

/**
 * rights_of_process() - get the file system user and group of a process
 *
 * They come from /proc/PID/status.  The owner of /proc/PID is no substitute: it is root for each
 * process that is not dumpable.
 *
 * Return: 0 or a negative errno; -ESRCH if there is no such process.
 */
int rights_of_process(pid_t pid, struct rights *r);

/**
 * rights_take() - change the file system rights of the calling thread, for good
 *
 * Only root can change its rights.  For other users this does nothing.
 *
 * Return: 0 or a negative errno.
 */
int rights_take(const struct rights *r);

#endif
