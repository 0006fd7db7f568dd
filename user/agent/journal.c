// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal.c - which profiles a target has, kept on disk beside them
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/journal.h"
#include "base/message.h"

static bool has(const void *ctx, uint32_t i, const void *key)
{
	const struct intern *ids = ctx;
	const struct interned *k = key;

	return ids->all[i].len == k->len && !memcmp(ids->all[i].bytes, k->bytes, k->len);
}

bool journal_has(const struct journal *j, const char *id, size_t len)
{
	const struct interned key = { (char *)id, len };

	return index_find(&j->ids.index, hash_bytes(0, id, len), has, &j->ids, &key) != INDEX_NONE;
}

static bool is_in_spool(const struct spool_files *files, const char *id, size_t len)
{
	size_t from = 0, to = files->nr;

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		int order = strncmp(files->all[mid].name, id, len);

		if (!order)
			return files->all[mid].name[len] == '.';
		if (order < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return false;
}

/* The last line may be cut, if the machine crashed: it has no newline, and is left out */
static int read_lines(struct journal *j, FILE *in, const struct spool_files *files)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int err = 0;

	while (!err && (n = getline(&line, &cap, in)) > 0)
		if (line[n - 1] == '\n' && is_in_spool(files, line, (size_t)n - 1) &&
		    intern_bytes(&j->ids, line, (size_t)n - 1, NULL) == INDEX_NONE)
			err = -ENOMEM;
	free(line);
	return err;
}

static int read_old(struct journal *j, int dir, const char *name, const struct spool_files *files)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), err;
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	if (!in) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err == -ENOENT ? 0 : err;
	}
	err = read_lines(j, in, files);
	fclose(in);
	return err;
}

static int write_line(int fd, const char *id, size_t len)
{
	char line[SPOOL_NAME + 1];
	struct stat st;
	ssize_t n;
	int err;

	if (len >= SPOOL_NAME)
		return -ENAMETOOLONG;
	memcpy(line, id, len);
	line[len] = '\n';
	if (fstat(fd, &st))
		return -errno;
	n = write(fd, line, len + 1);
	if (n == (ssize_t)len + 1)
		return 0;
	err = n < 0 ? -errno : -ENOSPC;
	/* On a full disk, half a line must not be the begin of the next one */
	return n > 0 && ftruncate(fd, st.st_size) ? -errno : err;
}

/* Write what is left of it to a new file, which takes its place */
static int rewrite(struct journal *j, int dir, const char *name)
{
	char part[64];
	int err = 0;

	snprintf(part, sizeof(part), "%s.new", name);
	unlinkat(dir, part, 0);
	j->fd = openat(dir, part, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	if (j->fd < 0)
		return -errno;
	for (size_t i = 0; !err && i < j->ids.nr; i++)
		err = write_line(j->fd, j->ids.all[i].bytes, j->ids.all[i].len);
	if (!err && fdatasync(j->fd))
		err = -errno;
	if (!err && renameat(dir, part, dir, name))
		err = -errno;
	return err;
}

int journal_open(struct journal *j, int dir, const struct send_target *target, const struct spool_files *files)
{
	char name[40];
	int err;

	*j = (struct journal){ .fd = -1 };
	snprintf(name, sizeof(name), ".sent-%016" PRIx64,
		 hash_bytes(target->kind, target->where, strlen(target->where)));
	err = read_old(j, dir, name, files);
	if (!err)
		err = rewrite(j, dir, name);
	if (!err)
		return 0;
	complain("the list of profiles that %s has cannot be kept in the spool directory: %s", target->where,
		 strerror(-err));
	return -1;
}

int journal_add(struct journal *j, const char *id, size_t len)
{
	int err = write_line(j->fd, id, len);

	if (!err && fdatasync(j->fd))
		err = -errno;
	/* Even if it is not on disk: this process does not send it again */
	if (intern_bytes(&j->ids, id, len, NULL) == INDEX_NONE)
		err = -ENOMEM;
	return err;
}

void journal_close(struct journal *j)
{
	intern_exit(&j->ids);
	if (j->fd >= 0)
		close(j->fd);
	j->fd = -1;
}
