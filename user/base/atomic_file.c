// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * atomic_file.c - an output file that appears complete or not at all
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/own_descriptor.h"
#include "uapi/kflame.h"

#define BUFFER_SIZE	(64u << 10)
#define ATTEMPTS	100		/* to find an unused temporary name */

static int fail(const struct output *out, int err)
{
	const char *name = out->path ? out->path : "standard output";
	const char *hint;

	if (target_complain(&out->target, name))
		return -err;
	switch (err) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		hint = "make room there, or choose another place with -o";
		break;
	case EACCES:
	case EPERM:
	case EROFS:
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
		hint = "choose another place with -o";
		break;
	case EPIPE:
		hint = "the program that reads it has gone";
		break;
	case EEXIST:
		hint = "it is a recording, which could not be made again: name another file with -o";
		break;
	case ENXIO:
		hint = "no process reads it: start the reader first";
		break;
	default:
		hint = "try another place with -o";
	}
	complain("cannot write %s: %s; %s", name, strerror(err), hint);
	return -err;
}

/* The output whose temporary file a deadly signal removes.  A signal handler gets no argument from us. */
static struct output *volatile unfinished;

static void remove_temporary(struct output *out)
{
	if (out->temporary[0])
		unlinkat(out->target.dir, out->temporary, 0);
	out->temporary[0] = 0;
}

static void forget(struct output *out)
{
	if (unfinished == out)
		unfinished = NULL;
	free(out->path);
	target_exit(&out->target);
	*out = (struct output){ 0 };
}

static void end_by(int number)
{
	if (unfinished)
		unlinkat(unfinished->target.dir, unfinished->temporary, 0);
	signal(number, SIG_DFL);
	raise(number);
}

/* Catch deadly signals, but only those without a handler: a command may have installed its own */
static void catch_signals(void)
{
	static const int deadly[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = end_by }, was;

	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		if (!sigaction(deadly[i], NULL, &was) && was.sa_handler == SIG_DFL)
			sigaction(deadly[i], &action, NULL);
}

static void name_temporary(struct output *out, int attempt)
{
	snprintf(out->temporary, sizeof(out->temporary), ".kflame.%d-%d.tmp", (int)getpid(), attempt);
}

/*
 * Used if the file system has no files without a name.  mkstemp() would ignore the umask, so this opens the
 * file with O_EXCL.
 */
static int open_named(struct output *out, mode_t mode)
{
	int fd = -1;

	catch_signals();
	for (int i = 0; i < ATTEMPTS && fd < 0; i++) {
		name_temporary(out, i);
		fd = openat(out->target.dir, out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		out->temporary[0] = 0;
		return -errno;
	}
	unfinished = out;
	return fd;
}

/* Open the file in its final directory: a link cannot cross file systems */
static int open_file(struct output *out)
{
	mode_t mode = out->is_private ? 0600 : 0666;
	int fd = openat(out->target.dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);

	/* Past a file size limit, write() shall fail, so that kflame prints a message and is not killed */
	signal(SIGXFSZ, SIG_IGN);
	return fd < 0 ? open_named(out, mode) : fd;
}

/* Keep the first error.  After an error, each further write fails at once. */
static ssize_t write_all(void *cookie, const char *bytes, size_t len)
{
	struct output *out = cookie;
	size_t done = 0;

	while (done < len && !out->error) {
		ssize_t n = write(out->fd, bytes + done, len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			out->error = errno;
	}
	return out->error ? 0 : (ssize_t)len;
}

static bool is_profile(const struct target *t)
{
	char magic[sizeof(((struct kflame_file_header *)0)->magic)];
	int fd = openat(t->dir, t->name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	bool is = fd >= 0 && read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
		  !memcmp(magic, KFLAME_FILE_MAGIC, sizeof(magic));

	if (fd >= 0)
		close(fd);
	return is;
}

/* Open the file that the bytes are written to.  Return: a descriptor or a negative errno */
static int open_target(struct output *out, const char *path, const char *by_default, bool over_profiles)
{
	bool standard = path ? !strcmp(path, "-") : !by_default;
	int own = standard ? STDOUT_FILENO : path ? own_descriptor(path) : -1;
	struct target *t = &out->target;
	int fd, err;

	out->at_once = true;
	if (own >= 0) {
		fd = fcntl(own, F_DUPFD_CLOEXEC, 3);
		return fd < 0 ? -errno : fd;
	}
	out->path = strdup(path ? path : by_default);
	if (!out->path)
		return -ENOMEM;
	err = target_find(t, out->path, path, TARGET_REPLACE);
	if (err)
		return err;
	if (t->fd >= 0) {
		fd = t->fd;
		t->fd = -1;
		return fd;
	}
	out->at_once = false;
	return t->is_there && !over_profiles && is_profile(t) ? -EEXIST : open_file(out);
}

static int begin(struct output *out, const char *path, const char *by_default, bool over_profiles)
{
	static const cookie_io_functions_t functions = { .write = write_all };
	int err = 0;

	out->fd = open_target(out, path, by_default, over_profiles);
	if (out->fd < 0)
		err = -out->fd;
	if (!err) {
		out->is_terminal = isatty(out->fd);
		out->file = fopencookie(out, "w", functions);
		if (out->file) {
			/* A picture is written in many short pieces, by one thread: buffer it, unlocked */
			setvbuf(out->file, NULL, _IOFBF, BUFFER_SIZE);
			__fsetlocking(out->file, FSETLOCKING_BYCALLER);
			return 0;
		}
		err = ENOMEM;
		close(out->fd);
		remove_temporary(out);
	}
	fail(out, err);
	forget(out);
	return -err;
}

int output_open(struct output *out, const char *path, const char *by_default)
{
	*out = (struct output){ .target = { .dir = -1, .fd = -1 } };
	return begin(out, path, by_default, false);
}

int output_open_private(struct output *out, const char *path, const char *by_default, bool over_profiles)
{
	*out = (struct output){ .target = { .dir = -1, .fd = -1 }, .is_private = true };
	return begin(out, path, by_default, over_profiles);
}

void output_abandon(struct output *out)
{
	fclose(out->file);
	close(out->fd);
	remove_temporary(out);
	forget(out);
}

/*
 * Give the new file the mode and owner of the file that it replaces.  A failure to set the owner is ignored:
 * kflame may lack the right, or the file system may store no owners.  Return: 0 or an errno
 */
static int keep_mode(const struct output *out)
{
	const struct stat *st = &out->target.st;

	if (out->at_once || !out->target.is_there || !S_ISREG(st->st_mode))
		return 0;
	if (fchown(out->fd, st->st_uid, st->st_gid))
		errno = 0;
	return fchmod(out->fd, st->st_mode & (out->is_private ? 0600 : 0777)) ? errno : 0;
}

static int link_as(const struct output *out, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", out->fd);
	return linkat(AT_FDCWD, path, out->target.dir, name, AT_SYMLINK_FOLLOW) ? errno : 0;
}

/*
 * Give the existing file a second name.  The first name stays in use until the new file replaces it.
 * Return: 0 or an errno
 */
static int keep_old(const struct output *out)
{
	const struct target *t = &out->target;
	char old[NAME_MAX + 1];

	if (!out->keep_old || !t->is_there)
		return 0;
	if (snprintf(old, sizeof(old), "%s.old", t->name) >= (int)sizeof(old))
		return ENAMETOOLONG;
	if (unlinkat(t->dir, old, 0) && errno != ENOENT)
		return errno;
	if (!linkat(t->dir, t->name, t->dir, old, 0))
		return 0;
	/* Some file systems have no hard links: rename the file instead */
	return renameat(t->dir, t->name, t->dir, old) ? errno : 0;
}

/* Give the new file its name, and replace the file that has the name now.  Return: 0 or an errno */
static int take_place(struct output *out)
{
	const struct target *t = &out->target;
	int err = 0;

	if (!out->temporary[0]) {
		err = link_as(out, t->name);
		if (err != EEXIST)
			return err;
		for (int i = 0; i < ATTEMPTS && err == EEXIST; i++) {
			name_temporary(out, i);
			err = link_as(out, out->temporary);
		}
		if (err)
			out->temporary[0] = 0;
	}
	if (!err && renameat(t->dir, out->temporary, t->dir, t->name))
		err = errno;
	if (!err)
		out->temporary[0] = 0;
	return err;
}

int output_close(struct output *out)
{
	const bool has_name = out->temporary[0];
	sigset_t all, before;
	int err = 0;

	if (fclose(out->file))
		err = ENOMEM;
	if (out->error)
		err = out->error;
	if (!err)
		err = keep_mode(out);
	/*
	 * Some file systems report a full disk only in close(): NFS, or those with quotas.  They have no
	 * files without a name, so such a file can be closed before it gets its name.
	 */
	if (has_name && close(out->fd) && !err && errno != EINTR)
		err = errno;
	/* Block all signals while the names change: a signal must not leave a temporary file behind */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (!err && !out->at_once)
		err = keep_old(out);
	if (!err && !out->at_once)
		err = take_place(out);
	remove_temporary(out);
	if (!has_name && close(out->fd) && !err && errno != EINTR)
		err = errno;
	if (err)
		fail(out, err);
	forget(out);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return -err;
}
