// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_file.c - an output file that is written as data arrives: a recording or an archive
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/own_descriptor.h"
#include "base/stream_file.h"

/* Write to a descriptor that is open: other programs may write to the same file before and after */
static int open_descriptor(struct record_output *out, int fd)
{
	if (isatty(fd)) {
		complain("this is not for a terminal: name a file (-o FILE), or redirect standard output");
		return -1;
	}
	if (fd == STDOUT_FILENO)
		out->path = "standard output";
	out->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (out->fd < 0) {
		complain("%s: %s", out->path, strerror(errno));
		return -1;
	}
	return 0;
}

static int tell_open(struct record_output *out, int err)
{
	if (!target_complain(&out->target, out->path))
		complain("%s cannot be written: %s", out->path, err == ENXIO ?
			 "no process reads it. Start the reader first" : strerror(err));
	target_exit(&out->target);
	return -1;
}

/* Rename an existing profile to FILE.old, as perf does */
static int move_old(struct record_output *out)
{
	const struct target *t = &out->target;

	if (asprintf(&out->old, "%s.old", t->name) < 0) {
		out->old = NULL;
		errno = ENOMEM;
		return -1;
	}
	if (!renameat(t->dir, t->name, t->dir, out->old))
		return 0;
	free(out->old);
	out->old = NULL;
	return -1;
}

int record_output_open(struct record_output *out, const char *path, const char *by_default)
{
	int own = !path ? -1 : strcmp(path, "-") ? own_descriptor(path) : STDOUT_FILENO, err;
	struct target *t = &out->target;

	*out = (struct record_output){ .path = path ? path : by_default, .fd = -1,
				       .target = { .dir = -1, .fd = -1 } };
	if (own >= 0)
		return open_descriptor(out, own);
	err = target_find(t, out->path, path, TARGET_KEEP);
	if (err)
		return tell_open(out, -err);
	if (t->fd >= 0) {
		out->fd = t->fd;
		t->fd = -1;
		return 0;
	}
	if (t->is_there && move_old(out))
		return tell_open(out, errno);
	out->fd = openat(t->dir, t->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	out->readable = out->fd >= 0;
	/* Some file systems create files that can only be written */
	if (out->fd < 0)
		out->fd = openat(t->dir, t->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out->fd < 0) {
		err = errno;
		record_output_abandon(out);
		return tell_open(out, err);
	}
	out->ours = true;
	return 0;
}

static int tell_write(struct record_output *out)
{
	if (!out->failed) {
		if (errno == ENOSPC || errno == EDQUOT)
			complain("%s: the disk is full after %llu bytes: free some space, or name a file elsewhere with -o. What was written is kept",
				 out->path, (unsigned long long)out->bytes);
		else
			complain("%s cannot be written further: %s, after %llu bytes. What was written is kept",
				 out->path, strerror(errno), (unsigned long long)out->bytes);
	}
	out->failed = true;
	return -1;
}

int record_output_write(struct record_output *out, const void *data, size_t len)
{
	const char *at = data;

	if (out->failed)
		return -1;
	while (len) {
		ssize_t n = write(out->fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tell_write(out);
		at += n;
		len -= (size_t)n;
		out->bytes += (uint64_t)n;
	}
	return 0;
}

int record_output_file(const struct record_output *out)
{
	return out->readable ? out->fd : -1;
}

int record_output_sync(struct record_output *out)
{
	return fsync(out->fd) && errno != EINVAL ? tell_write(out) : 0;
}

int record_output_close(struct record_output *out)
{
	/* Some file systems report a full disk only in close(): NFS, or those with quotas */
	if (out->fd >= 0 && close(out->fd) && errno != EINTR)
		tell_write(out);
	out->fd = -1;
	target_exit(&out->target);
	free(out->old);
	out->old = NULL;
	return out->failed ? -1 : 0;
}

void record_output_abandon(struct record_output *out)
{
	if (out->fd >= 0)
		close(out->fd);
	out->fd = -1;
	if (out->ours)
		unlinkat(out->target.dir, out->target.name, 0);
	if (out->old)
		renameat(out->target.dir, out->old, out->target.dir, out->target.name);
	target_exit(&out->target);
	free(out->old);
	out->old = NULL;
}
