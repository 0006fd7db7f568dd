/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * held_files.h - mapped files, kept open from when they are reported
 *
 * A program may be deleted or replaced before the recording ends; while it is
 * open here it is still the file that ran.  The module hands out the file that was mapped,
 * wherever that is; by its path it is looked for where the module cannot, or may not.
 *
 * What is on another file system than this machine's own is copied, as far as names need
 * it, and let go: it must be possible to unmount it.
 *
 * All that is done by a thread: to open or to read a file may take any time (FUSE, NFS), and
 * a recording cannot wait.
 */
#ifndef KFLAME_RECORD_HELD_FILES_H
#define KFLAME_RECORD_HELD_FILES_H

#include <stdbool.h>

#include "profile/profile.h"
#include "symbols/lookup.h"

struct holder;

/** struct held_files - all zero is none */
struct held_files {
	struct holder *holder;	/* the thread's */
	size_t passed;		/* files that were passed to it */
	const int *fds;		/* valid after held_files_finish(): by index of the profile's */
	size_t nr;		/* file; -1 where it is not held; NAMING_SKIP */
};

/**
 * held_fn - called for each file as soon as it is open, or cannot be opened
 * @fd:		the file itself, and not a copy; stays the holder's; -1: not to be had, or there
 *		are too many
 *
 * @owner:	of the file; root if it is not to be had
 *
 * By the thread; it must not take long, and not use @fd: a file server may not answer.
 */
typedef void held_fn(void *ctx, const struct profile_file *f, int fd, uid_t owner);

/**
 * held_files_start() - begins to hold files
 * @device:	of /dev/kflame, the session's; -1 where the module holds none
 * @code:	copies have code, too: stacks will be unwound by them
 * @offer:	may be NULL; is not called any more after held_files_finish()
 *
 * Raises this process's limit of open files to what it may be.  Without memory, or without
 * threads, nothing is held.  Signals that are handled must be handled before.
 */
void held_files_start(struct held_files *h, int device, bool code, held_fn *offer, void *ctx);

/** held_files_update() - passes the files that were reported since to the thread */
void held_files_update(struct held_files *h, const struct profile *p);

#define HELD_NOT_YET	-2

/**
 * held_files_fd() - a file that is held, to be read now
 * @i:		index of the profile's file
 *
 * Return: a descriptor, which is not the caller's; -1 where it is not to be had;
 * HELD_NOT_YET; NAMING_SKIP.
 */
int held_files_fd(const struct held_files *h, size_t i);

/**
 * held_files_finish() - waits until all are held
 *
 * Not for ever: a file that takes longer than ten seconds is given up; after the first one, longer than a
 * second.
 */
void held_files_finish(struct held_files *h);

/** held_files_exit() - closes all */
void held_files_exit(struct held_files *h);

#endif
