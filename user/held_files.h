/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * held_files.h - mapped files, kept open from when they are told
 *
 * A program may be deleted or replaced before the recording ends; while it is
 * open here it is still the file that ran.
 */
#ifndef KFLAME_HELD_FILES_H
#define KFLAME_HELD_FILES_H

#include "profile.h"

/** struct held_files - all zero is none */
struct held_files {
	int *fds;		/* by index of the profile's file; -1 where it is not held */
	size_t nr, cap;
	size_t open;
	size_t room;		/* no more than that are open */
};

/** held_files_init() - raises this process's limit of open files to what it may be */
void held_files_init(struct held_files *h);

/**
 * held_files_update() - opens one file that the profile has told of
 *
 * One at a time: on a slow file system each takes its time, and tables fill up meanwhile.
 *
 * Return: whether there are more.
 */
bool held_files_update(struct held_files *h, const struct profile *p);

/** held_files_free() - closes all */
void held_files_free(struct held_files *h);

#endif
