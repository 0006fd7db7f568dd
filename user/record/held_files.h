/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * held_files.h - keeps the mapped files open from the moment they are reported
 *
 * A program may be deleted or replaced before the recording ends.  An open descriptor still refers to the
 * file that ran.  The module hands out a descriptor of the mapped file, wherever the file is. If the
 * module cannot or may not do that, the file is opened by its path.
 *
 * A file on a file system other than / and /usr is copied, as far as names need it, and closed.
 * Otherwise the operator could not unmount that file system.
 *
 * A thread does all this work. On FUSE or NFS, opening or reading a file may take any time, and the
 * recording cannot wait.
 */
#ifndef KFLAME_RECORD_HELD_FILES_H
#define KFLAME_RECORD_HELD_FILES_H

#include <stdbool.h>

#include "profile/profile.h"
#include "symbols/lookup.h"

struct holder;

/** struct held_files - the files of a recording; all zero is none */
struct held_files {
	struct holder *holder;	/* shared with the thread */
	size_t passed;		/* how many files were passed to the thread */
	const int *fds;		/* by index of the file in the profile: a descriptor, -1 if the file is not */
	size_t nr;		/* held, or NAMING_SKIP; valid after held_files_finish() */
};

/**
 * held_fn - called for each file as soon as it is open, or cannot be opened
 * @fd:		the file itself, not a copy; owned by the holder; -1: the file cannot be opened, or too
 *		many files are open
 *
 * @owner:	owner of the file; root if the file cannot be opened
 *
 * The thread calls it. It must return quickly, and must not use @fd: a file server may not answer.
 */
typedef void held_fn(void *ctx, const struct profile_file *f, int fd, uid_t owner);

/**
 * held_files_start() - starts the thread that holds files
 * @device:	descriptor of the session; -1 if the module holds no files
 * @code:	copies include code, because stacks are unwound with it
 * @offer:	may be NULL; not called after held_files_finish()
 *
 * Raises the limit of open files as far as allowed.  If memory or threads are short, no file is
 * held.  Call signals_open() earlier: the thread inherits the signal mask.
 */
void held_files_start(struct held_files *h, int device, bool code, held_fn *offer, void *ctx);

/** held_files_update() - passes the newly reported files to the thread */
void held_files_update(struct held_files *h, const struct profile *p);

#define HELD_NOT_YET	-2

/**
 * held_files_fd() - returns the descriptor of a file, for immediate use
 * @i:		index of the file in the profile
 *
 * Return: a descriptor, owned by the holder; -1 if the file is not held; HELD_NOT_YET if the thread
 * has not reached it; NAMING_SKIP if opening it took too long.
 */
int held_files_fd(const struct held_files *h, size_t i);

/**
 * held_files_finish() - waits until the thread has handled all files
 *
 * A file that takes longer than ten seconds is given up. After the first such file, the limit is one
 * second a file.
 */
void held_files_finish(struct held_files *h);

/** held_files_exit() - closes all files */
void held_files_exit(struct held_files *h);

#endif
