// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_files.c - reads and writes the files of the kernel's tracer
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/message.h"
#include "catalog/tracefs.h"
#include "trace/trace_files.h"

#define INSTEAD		"'kflame record -e kprobe:FUNC' records stacks without the kernel's tracer"

/* Return: an open file; -1 with errno */
static int open_in(const char *dir, const char *file, int flags)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/%s", dir, file) < 0) {
		errno = ENOMEM;
		return -1;
	}
	fd = open(path, flags | O_CLOEXEC);
	free(path);
	return fd;
}

bool trace_file_exists(const char *dir, const char *file)
{
	char *path;
	bool there;

	if (asprintf(&path, "%s/%s", dir, file) < 0)
		return false;
	there = !access(path, F_OK);
	free(path);
	return there;
}

/* Read until the end.  Return: the text, to be freed; NULL with errno */
static char *read_all(int fd)
{
	char *text = NULL;
	size_t len = 0, cap = 0;
	ssize_t n;

	for (;;) {
		/* The last byte is for the NUL */
		if (len + 1 >= cap && grow_full(&text, &cap, 1)) {
			errno = ENOMEM;
			break;
		}
		n = read(fd, text + len, cap - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		if (!n) {
			text[len] = 0;
			return text;
		}
		len += (size_t)n;
	}
	free(text);
	return NULL;
}

char *trace_file_read(const char *dir, const char *file)
{
	int fd = open_in(dir, file, O_RDONLY), saved;
	char *text;

	if (fd < 0)
		return NULL;
	text = read_all(fd);
	saved = errno;
	close(fd);
	errno = saved;
	return text;
}

int trace_file_write(const char *dir, const char *file, const char *text)
{
	int fd = open_in(dir, file, O_WRONLY | O_TRUNC), err = 0;
	size_t left = strlen(text);

	if (fd < 0)
		return -errno;
	while (!err && left) {
		ssize_t n = write(fd, text, left);

		if (n > 0) {
			text += n;
			left -= (size_t)n;
		} else if (!n) {
			err = -EIO;
		} else if (errno != EINTR) {
			err = -errno;
		}
	}
	close(fd);
	return err;
}

bool trace_file_has_word(const char *dir, const char *file, const char *word)
{
	char *text = trace_file_read(dir, file), *save;
	bool found = false;

	for (char *w = text ? strtok_r(text, " []\n", &save) : NULL; w && !found; w = strtok_r(NULL, " []\n", &save))
		found = !strcmp(w, word);
	free(text);
	return found;
}

/* The file reads "none integrity [confidentiality]" */
static bool is_locked_down(void)
{
	char *text = trace_file_read("/sys/kernel/security", "lockdown");
	bool locked = text && strstr(text, "[confidentiality]");

	free(text);
	return locked;
}

static void tell_closed(const char *dir, int err)
{
	if (is_locked_down())
		complain("%s is closed, because this kernel is locked down (confidentiality). Boot without Secure Boot, or "
			 "without lockdown=confidentiality", dir);
	else if (err == EACCES || err == EPERM)
		complain("cannot read %s: %s. Run as root", dir, strerror(err));
	else
		complain("cannot read %s: %s", dir, strerror(err));
}

static void tell_missing(void)
{
	if (!access("/sys/kernel/tracing", F_OK))
		complain("tracefs is not mounted. Run 'mount -t tracefs none /sys/kernel/tracing' as root");
	else
		complain("this kernel has no tracefs: it was built without CONFIG_FTRACE. " INSTEAD);
}

char *trace_files_open(void)
{
	char dir[PATH_MAX], *text;
	int err = tracefs_find("", dir, sizeof(dir));

	if (err == -ENOENT) {
		tell_missing();
		return NULL;
	}
	text = err ? NULL : trace_file_read(dir, "current_tracer");
	if (text) {
		free(text);
		return strdup(dir);
	}
	if (!err)
		err = -errno;
	if (err == -ENOENT)
		complain("%s has no tracers: this kernel was built without CONFIG_FUNCTION_TRACER. " INSTEAD, dir);
	else
		tell_closed(dir, -err);
	return NULL;
}
