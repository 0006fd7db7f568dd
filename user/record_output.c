// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record_output.c - the file a recording, or an archive, goes to, as it comes
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "own_descriptor.h"
#include "record_output.h"

/* One that is open: of what is written there is something before, and behind */
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

static int tell_open(struct record_output *out)
{
	complain("%s cannot be written: %s. Name another file with -o", out->path,
		 strerror(errno));
	return -1;
}

/* A profile that is there is kept, as perf does it */
static int move_old(struct record_output *out)
{
	if (asprintf(&out->old, "%s.old", out->path) < 0) {
		out->old = NULL;
		errno = ENOMEM;
		return -1;
	}
	if (!rename(out->path, out->old))
		return 0;
	free(out->old);
	out->old = NULL;
	return -1;
}

int record_output_open(struct record_output *out, const char *path)
{
	int own = strcmp(path, "-") ? own_descriptor(path) : STDOUT_FILENO;
	struct stat st;

	*out = (struct record_output){ .path = path, .fd = -1 };
	if (own >= 0)
		return open_descriptor(out, own);
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		out->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return out->fd < 0 ? tell_open(out) : 0;
	}
	if (!lstat(path, &st) && move_old(out))
		return tell_open(out);
	out->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	out->readable = out->fd >= 0;
	/* There are file systems of new files that can only be written */
	if (out->fd < 0)
		out->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out->fd < 0) {
		tell_open(out);
		record_output_abandon(out);
		return -1;
	}
	out->ours = true;
	return 0;
}

static int tell_write(struct record_output *out)
{
	const char *kept = out->all_or_nothing ? "" : ". What was written is kept";

	if (!out->failed) {
		if (errno == ENOSPC || errno == EDQUOT)
			complain("%s: the disk is full after %llu bytes: free some space, or name a file elsewhere with -o%s",
				 out->path, (unsigned long long)out->bytes, kept);
		else
			complain("%s cannot be written further: %s, after %llu bytes%s",
				 out->path, strerror(errno), (unsigned long long)out->bytes, kept);
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
	/* Some file systems say only now that there was no room (NFS, quotas) */
	if (out->fd >= 0 && close(out->fd) && errno != EINTR)
		tell_write(out);
	out->fd = -1;
	if (out->failed && out->all_or_nothing)
		record_output_abandon(out);
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
		unlink(out->path);
	if (out->old)
		rename(out->old, out->path);
	free(out->old);
	out->old = NULL;
}
