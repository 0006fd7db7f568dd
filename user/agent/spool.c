// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spool.c - a directory of profiles, limited in bytes and in age
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/spool.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/message.h"

#define TEMPORARY	".part-"
#define CLOCK_UNSET	(365 * 86400)	/* a name from before that, in s, was made before the clock was set */

static int by_name(const void *a, const void *b)
{
	const struct spool_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int add_file(struct spool_files *files, const char *name, uint64_t bytes, uint64_t start)
{
	char *copy = strdup(name);

	if (!copy || grow(&files->all, files->nr, &files->cap, sizeof(*files->all))) {
		free(copy);
		return -ENOMEM;
	}
	files->all[files->nr++] = (struct spool_file){ .name = copy, .bytes = bytes, .start = start };
	return 0;
}

/* Return: 0 or a negative errno */
static int look_at(int dir, const char *name, struct spool_files *files)
{
	struct stat st;
	struct spool_name parts;

	if (!spool_name_parse(name, &parts) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return 0;
	return add_file(files, name, (uint64_t)st.st_size, parts.start);
}

static DIR *list_of(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (!list && fd >= 0)
		close(fd);
	return list;
}

int spool_list(int dir, struct spool_files *files)
{
	DIR *list = list_of(dir);
	struct dirent *entry;
	int err = 0;

	*files = (struct spool_files){ .nr = 0 };
	if (!list)
		return -errno;
	while (!err && (entry = readdir(list)))
		err = look_at(dir, entry->d_name, files);
	closedir(list);
	if (files->nr)
		qsort(files->all, files->nr, sizeof(*files->all), by_name);
	return err;
}

void spool_files_exit(struct spool_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		free(files->all[i].name);
	free(files->all);
	*files = (struct spool_files){ .nr = 0 };
}

/* A kill or a crash may have left files that are not whole */
static void remove_unfinished(int dir)
{
	DIR *list = list_of(dir);
	struct dirent *entry;

	while (list && (entry = readdir(list)))
		if (!strncmp(entry->d_name, TEMPORARY, strlen(TEMPORARY)))
			unlinkat(dir, entry->d_name, 0);
	if (list)
		closedir(list);
}

/* Create the directory and its parents.  Return: whether it is there now */
static bool make_directory(const char *path)
{
	char *copy = strdup(path);
	bool made = true;

	for (char *at = copy ? strchr(copy + 1, '/') : NULL; at && made; at = strchr(at + 1, '/')) {
		*at = 0;
		made = !mkdir(copy, 0755) || errno == EEXIST;
		*at = '/';
	}
	made = copy && made && (!mkdir(path, 0750) || errno == EEXIST);
	free(copy);
	return made;
}

static int refuse(struct spool *s, const char *why)
{
	complain("the spool directory %s cannot be used: %s. Name another one with spool =", s->path, why);
	return -1;
}

struct spool_moment spool_now(void)
{
	return (struct spool_moment){ clock_ns(CLOCK_REALTIME), clock_ns(CLOCK_BOOTTIME) };
}

int spool_open(struct spool *s, const char *path, gid_t reader)
{
	const uint64_t since_ns = spool_now().boot_ns;
	struct stat st;

	*s = (struct spool){ .dir = -1, .path = strdup(path), .reader = reader, .offset_ns = INT64_MAX };
	if (!s->path)
		return -1;
	if (!make_directory(path))
		return refuse(s, strerror(errno));
	s->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0 || fstat(s->dir, &st))
		return refuse(s, strerror(errno));
	if (st.st_uid != geteuid() || st.st_mode & 022)
		return refuse(s, "another user may write to it");
	if (reader != (gid_t)-1 && (fchown(s->dir, (uid_t)-1, reader) || fchmod(s->dir, 0750)))
		return refuse(s, strerror(errno));
	remove_unfinished(s->dir);
	if (spool_list(s->dir, &s->files))
		return refuse(s, "it cannot be listed");
	for (size_t i = 0; i < s->files.nr; i++) {
		s->files.all[i].since_ns = since_ns;
		s->bytes += s->files.all[i].bytes;
	}
	return 0;
}

void spool_id(char *id, uint64_t start_ns, const char *host)
{
	const time_t seconds = (time_t)(start_ns / NS_PER_S);
	unsigned char random[SPOOL_DIGITS / 2];
	struct tm tm;
	size_t len;

	/* Without random numbers, the time in ns tells two profiles apart */
	if (getrandom(random, sizeof(random), GRND_NONBLOCK) != sizeof(random)) {
		uint64_t other = hash_u64(start_ns, (uint64_t)getpid());

		memcpy(random, &other, sizeof(random));
	}
	gmtime_r(&seconds, &tm);
	len = strftime(id, SPOOL_NAME, "%Y%m%dT%H%M%SZ", &tm);
	len += (size_t)snprintf(id + len, SPOOL_NAME - len, "-%.255s-", host);
	for (size_t i = 0; i < sizeof(random); i++)
		len += (size_t)snprintf(id + len, SPOOL_NAME - len, "%02x", random[i]);
}

/* Return: whether there was one */
static bool drop(struct spool *s, size_t i)
{
	struct spool_file *f = s->files.all + i;

	if (i >= s->files.nr)
		return false;
	/* It is gone if somebody else removed it: then it was not dropped here */
	if (!unlinkat(s->dir, f->name, 0)) {
		s->dropped_files++;
		s->dropped_bytes += f->bytes;
	}
	s->bytes -= f->bytes;
	free(f->name);
	memmove(f, f + 1, (--s->files.nr - i) * sizeof(*f));
	return true;
}

/*
 * A clock may be set at any time, and may start in 1970.  So a profile of this process is as old as CLOCK_BOOTTIME says.
 * The age of an earlier one is the least that CLOCK_REALTIME says in this process, or how long this process has it.
 */
static bool is_too_old(const struct spool *s, const struct spool_file *f, uint64_t most_ns, uint64_t boot_ns)
{
	const int64_t most = (int64_t)(most_ns < INT64_MAX ? most_ns : INT64_MAX);
	int64_t begin_ns, age;

	if (boot_ns - f->since_ns > most_ns)
		return true;
	if (f->own || f->start < CLOCK_UNSET || f->start > INT64_MAX / NS_PER_S)
		return false;
	begin_ns = (int64_t)(f->start * NS_PER_S);
	return !__builtin_sub_overflow((int64_t)boot_ns + s->offset_ns, begin_ns, &age) && age > most;
}

static void drop_old(struct spool *s, uint64_t most_ns, struct spool_moment now)
{
	const int64_t offset = (int64_t)(now.real_ns - now.boot_ns);

	if (offset < s->offset_ns)
		s->offset_ns = offset;
	for (size_t i = 0; i < s->files.nr;)
		if (is_too_old(s, &s->files.all[i], most_ns, now.boot_ns))
			drop(s, i);
		else
			i++;
}

static int write_all(int fd, const unsigned char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Return: 0 or a negative errno; after an error there is no file */
static int write_file(const struct spool *s, const char *name, const void *bytes, size_t len)
{
	char part[SPOOL_NAME + 32];
	int fd, err;

	snprintf(part, sizeof(part), TEMPORARY "%s", name);
	fd = openat(s->dir, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	if (fd < 0)
		return -errno;
	err = write_all(fd, bytes, len);
	if (!err && s->reader != (gid_t)-1 && fchown(fd, (uid_t)-1, s->reader))
		err = -errno;
	/* The name must not be on disk before the bytes are */
	if (!err && fdatasync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && renameat(s->dir, part, s->dir, name))
		err = -errno;
	if (err)
		unlinkat(s->dir, part, 0);
	return err;
}

static int add_own(struct spool *s, const char *name, size_t len, uint64_t boot_ns)
{
	struct spool_name parts;
	struct spool_file *f;
	int err = spool_name_parse(name, &parts) ? add_file(&s->files, name, len, parts.start) : -EINVAL;

	if (err)
		return err;
	f = &s->files.all[s->files.nr - 1];
	f->since_ns = boot_ns;
	f->own = true;
	s->bytes += len;
	return 0;
}

int spool_put(struct spool *s, const char *id, bool packed, const void *bytes, size_t len,
	      const struct spool_limits *limits, struct spool_moment now)
{
	char name[SPOOL_NAME + 16];
	int err = len > limits->bytes ? -EFBIG : 0;

	if (!err)
		drop_old(s, limits->ns, now);
	while (!err && s->bytes + len > limits->bytes && drop(s, 0))
		;
	snprintf(name, sizeof(name), "%s%s", id, packed ? SPOOL_PACKED : SPOOL_ENDING);
	if (!err)
		do
			err = write_file(s, name, bytes, len);
		while ((err == -ENOSPC || err == -EDQUOT) && drop(s, 0));
	if (!err)
		err = add_own(s, name, len, now.boot_ns);
	if (!err)
		return 0;
	s->failed++;
	complain("a profile cannot be written to %s: %s. Its samples are lost, and counted", s->path, strerror(-err));
	return -1;
}

void spool_close(struct spool *s)
{
	spool_files_exit(&s->files);
	if (s->dir >= 0)
		close(s->dir);
	s->dir = -1;
	free(s->path);
	s->path = NULL;
}
