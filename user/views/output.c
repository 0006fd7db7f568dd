// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * output.c - a file to write, which is there whole or not at all
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../message.h"
#include "../own_descriptor.h"
#include "output.h"
#include "uapi/kflame.h"

#define BUFFER_SIZE	(64u << 10)

static int fail(const struct output *out, int err)
{
	const char *name = out->path ? out->path : "standard output";
	const char *hint;

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
	default:
		hint = "try another place with -o";
	}
	complain("cannot write %s: %s; %s", name, strerror(err), hint);
	return -err;
}

/* What a signal that ends us leaves nothing of; a handler has no argument of ours */
static char *volatile unfinished;

static void forget(struct output *out)
{
	if (unfinished == out->temporary)
		unfinished = NULL;
	free(out->path);
	free(out->temporary);
	*out = (struct output){ 0 };
}

/* What @path leads to when it is a link; a copy of @path if nothing is there */
static char *resolve(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : strdup(path);
}

static void end_by(int number)
{
	if (unfinished)
		unlink(unfinished);
	signal(number, SIG_DFL);
	raise(number);
}

/*
 * Only where nobody else has a use for the signal. A limit of file sizes that is reached is an error of
 * writing, and told as one.
 */
static void catch_signals(void)
{
	static const int deadly[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = end_by }, was;

	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		if (!sigaction(deadly[i], NULL, &was) && was.sa_handler == SIG_DFL)
			sigaction(deadly[i], &action, NULL);
}

/* O_EXCL and not mkstemp(), which would ignore the umask; in the same directory, to be renamed */
static int open_temporary(struct output *out)
{
	const char *slash = strrchr(out->path, '/');
	int fd = -1, dir = slash ? (int)(slash + 1 - out->path) : 0;

	catch_signals();
	for (int i = 0; i < 100 && fd < 0; i++) {
		free(out->temporary);
		if (asprintf(&out->temporary, "%.*s.kflame.%d-%d.tmp", dir, out->path,
			     (int)getpid(), i) < 0) {
			out->temporary = NULL;
			return -ENOMEM;
		}
		fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0)
		return -errno;
	unfinished = out->temporary;
	return fd;
}

/* The first error is kept; after it everything fails at once */
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

static bool is_profile(const char *path)
{
	char magic[sizeof(((struct kflame_file_header *)0)->magic)];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is = fd >= 0 && read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
		  !memcmp(magic, KFLAME_FILE_MAGIC, sizeof(magic));

	if (fd >= 0)
		close(fd);
	return is;
}

/* Where the bytes go; a negative errno.  Sets .path and .temporary */
static int open_target(struct output *out, const char *path, bool over_profiles)
{
	int own = path && strcmp(path, "-") ? own_descriptor(path) : STDOUT_FILENO;
	struct stat st;
	int fd;

	if (own >= 0) {
		fd = fcntl(own, F_DUPFD_CLOEXEC, 3);
		return fd < 0 ? -errno : fd;
	}
	out->path = resolve(path);
	if (!out->path)
		return -ENOMEM;
	if (!*path)
		return -ENOENT;
	if (stat(out->path, &st))
		return open_temporary(out);
	if (S_ISREG(st.st_mode))
		return !over_profiles && is_profile(out->path) ? -EEXIST : open_temporary(out);
	fd = open(out->path, O_WRONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int begin(struct output *out, const char *path, bool over_profiles)
{
	static const cookie_io_functions_t functions = { .write = write_all };
	int err = 0;

	*out = (struct output){ 0 };
	out->fd = open_target(out, path, over_profiles);
	if (out->fd < 0)
		err = -out->fd;
	if (!err) {
		out->is_terminal = isatty(out->fd);
		out->file = fopencookie(out, "w", functions);
		if (out->file) {
			/* Pictures are many short pieces; one thread writes them */
			setvbuf(out->file, NULL, _IOFBF, BUFFER_SIZE);
			__fsetlocking(out->file, FSETLOCKING_BYCALLER);
			return 0;
		}
		err = ENOMEM;
		close(out->fd);
		if (out->temporary)
			unlink(out->temporary);
	}
	fail(out, err);
	forget(out);
	return -err;
}

int output_open(struct output *out, const char *path)
{
	return begin(out, path, false);
}

int output_open_profile(struct output *out, const char *path)
{
	return begin(out, path, true);
}

void output_abandon(struct output *out)
{
	fclose(out->file);
	close(out->fd);
	if (out->temporary)
		unlink(out->temporary);
	forget(out);
}

/* An existing file keeps its mode, and its owner, if we and the file system can say who that is */
static int keep_mode(const struct output *out)
{
	struct stat st;

	if (!out->temporary || stat(out->path, &st))
		return 0;
	if (fchown(out->fd, st.st_uid, st.st_gid))
		errno = 0;
	return fchmod(out->fd, st.st_mode & 07777) ? errno : 0;
}

int output_close(struct output *out)
{
	int err = 0;

	if (fclose(out->file))
		err = ENOMEM;
	if (out->error)
		err = out->error;
	if (!err)
		err = keep_mode(out);
	if (close(out->fd) && !err && errno != EINTR)
		err = errno;
	if (!err && out->temporary && rename(out->temporary, out->path))
		err = errno;
	if (err) {
		fail(out, err);
		if (out->temporary)
			unlink(out->temporary);
	}
	forget(out);
	return -err;
}
