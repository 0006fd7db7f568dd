// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table_cache.c - compiled unwind tables, kept on disk from one recording to the next
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "elf/elf_summary.h"
#include "record/table_cache.h"

/* Increase it with every change to the tables that unwind/rows.c compiles */
#define VERSION		3u
#define MAGIC		"KFTABLE"
#define NAME_ROOM	(2 * ELF_SUMMARY_ID + 32)

/* Header of a file in the cache; pages, rows and rules follow */
struct head {
	char magic[8];
	uint32_t version;
	uint32_t rule_bytes;
	uint32_t flags;
	uint32_t nr_pages;
	uint32_t nr_rows;
	uint32_t nr_rules;
	uint64_t checksum;	/* of pages, rows and rules; seeded with the file's name */
	char path[256];		/* of the file whose table it is; "" if it is longer */
};

/* --------------------------------------------------------------- the directory */

/* Return: whether there is a cache directory, and its path fits in @path */
static bool choose_path(char *path, size_t room)
{
	const char *named = getenv("KFLAME_TABLE_CACHE"), *base = getenv("XDG_CACHE_HOME");
	int len;

	if (named)
		len = snprintf(path, room, "%s", named);
	else if (!geteuid())
		len = snprintf(path, room, "/var/cache/kflame/tables");
	else if (base && *base == '/')
		len = snprintf(path, room, "%s/kflame/tables", base);
	else if (getenv("HOME"))
		len = snprintf(path, room, "%s/.cache/kflame/tables", getenv("HOME"));
	else
		len = 0;
	return len > 0 && (size_t)len < room;
}

static void make_directories(const char *path)
{
	char part[512];

	for (const char *slash = strchr(path + 1, '/'); ; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", slash ? (int)(slash - path) : (int)strlen(path), path);
		mkdir(part, slash ? 0755 : 0700);
		if (!slash)
			break;
	}
}

/* Return: NULL if the directory may be used, or the reason why not */
static const char *judge(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return "it cannot be looked at";
	if (st.st_uid != geteuid())
		return "it belongs to somebody else";
	return st.st_mode & (S_IWGRP | S_IWOTH) ? "others may write to it" : NULL;
}

/* Return: a descriptor; -1 */
static int open_directory(bool make)
{
	char path[512];
	int fd;

	if (!choose_path(path, sizeof(path)))
		return -1;
	if (make)
		make_directories(path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && judge(fd)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* -------------------------------------------------------------------- its files */

/*
 * The name is "BUILDID-BYTES", for a trusted file. The libraries of Rust, for instance, have no build-id.
 * Their names are device, inode, size and change time. Only root can forge a change time.
 *
 * Return: whether the file is trusted, and has a name
 */
static bool name_of(int fd, char *name)
{
	struct elf_summary elf;
	struct stat st;

	if (fstat(fd, &st) || st.st_uid || st.st_mode & (S_IWGRP | S_IWOTH) || !elf_summary_read(fd, &elf))
		return false;
	if (elf.id_len >= 8) {
		for (size_t i = 0; i < elf.id_len; i++)
			sprintf(name + 2 * i, "%02x", elf.id[i]);
		sprintf(name + 2 * elf.id_len, "-%llu", (unsigned long long)st.st_size);
	} else {
		snprintf(name, NAME_ROOM, "file-%llx-%llx-%llu-%lld.%09ld", (unsigned long long)st.st_dev,
			 (unsigned long long)st.st_ino, (unsigned long long)st.st_size,
			 (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
	}
	return true;
}

static uint64_t checksum(const char *name, const struct unwind_table *t)
{
	uint64_t sum = hash_bytes(VERSION, name, strlen(name));

	sum = hash_bytes(sum, t->pages, (t->nr_pages + 1ull) * sizeof(*t->pages));
	sum = hash_bytes(sum, t->rows, t->nr_rows * sizeof(*t->rows));
	return hash_bytes(sum, t->rules, t->nr_rules * sizeof(*t->rules));
}

static bool is_head(const struct head *h, uint64_t bytes)
{
	return !memcmp(h->magic, MAGIC, sizeof(h->magic)) && h->version == VERSION &&
	       !h->path[sizeof(h->path) - 1] &&
	       h->rule_bytes == sizeof(struct kflame_rule) && !(h->flags & ~UNWIND_TABLE_FLAGS) &&
	       h->nr_pages <= KFLAME_TABLE_PAGES && h->nr_rows <= KFLAME_TABLE_ROWS &&
	       h->nr_rules <= KFLAME_TABLE_RULES &&
	       bytes == sizeof(*h) + (h->nr_pages + 1ull) * sizeof(uint32_t) +
			h->nr_rows * sizeof(uint32_t) + h->nr_rules * sizeof(struct kflame_rule);
}

static bool read_all(int fd, void *to, size_t bytes)
{
	for (char *at = to; bytes;) {
		ssize_t n = read(fd, at, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

static bool write_all(int fd, const void *from, size_t bytes)
{
	for (const char *at = from; bytes;) {
		ssize_t n = write(fd, at, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

static int read_table(int fd, const char *name, struct unwind_table *t)
{
	struct stat st;
	struct head h;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    !read_all(fd, &h, sizeof(h)) || !is_head(&h, (uint64_t)st.st_size))
		return -ENOENT;
	*t = (struct unwind_table){ .flags = h.flags, .nr_pages = h.nr_pages, .nr_rows = h.nr_rows,
				    .nr_rules = h.nr_rules };
	t->pages = malloc((h.nr_pages + 1ull) * sizeof(*t->pages));
	t->rows = malloc(h.nr_rows * sizeof(*t->rows) + 1);
	t->rules = malloc(h.nr_rules * sizeof(*t->rules) + 1);
	if (!t->pages || !t->rows || !t->rules)
		return -ENOMEM;
	if (!read_all(fd, t->pages, (h.nr_pages + 1ull) * sizeof(*t->pages)) ||
	    !read_all(fd, t->rows, h.nr_rows * sizeof(*t->rows)) ||
	    !read_all(fd, t->rules, h.nr_rules * sizeof(*t->rules)) ||
	    checksum(name, t) != h.checksum)
		return -ENOENT;
	return 0;
}

int table_cache_get(int fd, struct unwind_table *out)
{
	char name[NAME_ROOM];
	int dir, file, err = -ENOENT;

	memset(out, 0, sizeof(*out));
	dir = open_directory(false);
	if (dir < 0)
		return -ENOENT;
	file = name_of(fd, name) ? openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
	if (file >= 0) {
		err = read_table(file, name, out);
		if (!err)
			futimens(file, NULL);	/* mark it as used: the oldest tables are deleted first */
		close(file);
	}
	close(dir);
	if (err)
		unwind_table_exit(out);
	return err;
}

/* ----------------------------------------------------------------- its limits */

/* Call @take for each table in the cache */
static void each(int dir, void (*take)(void *ctx, const char *name, const struct stat *st), void *ctx)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	struct stat st;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && !fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			take(ctx, e->d_name, &st);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
}

struct oldest {
	uint64_t files, bytes;
	struct timespec when;
	char name[256];
};

static void find_oldest(void *ctx, const char *name, const struct stat *st)
{
	struct oldest *o = ctx;
	bool older = st->st_mtim.tv_sec < o->when.tv_sec ||
		     (st->st_mtim.tv_sec == o->when.tv_sec && st->st_mtim.tv_nsec < o->when.tv_nsec);

	if (!o->files++ || older) {
		o->when = st->st_mtim;
		snprintf(o->name, sizeof(o->name), "%s", name);
	}
	o->bytes += (uint64_t)st->st_size;
}

static void bound(int dir)
{
	for (int i = 0; i < 64; i++) {
		struct oldest o = { 0 };

		each(dir, find_oldest, &o);
		if (o.files <= TABLE_CACHE_FILES && o.bytes <= TABLE_CACHE_BYTES)
			return;
		unlinkat(dir, o.name, 0);
	}
}

/* @of: the file that the table belongs to */
static bool write_table(int fd, int of, const char *name, const struct unwind_table *t)
{
	char link[64];
	ssize_t len;
	struct head h = {
		.magic = MAGIC, .version = VERSION, .rule_bytes = sizeof(struct kflame_rule),
		.flags = t->flags, .nr_pages = t->nr_pages, .nr_rows = t->nr_rows,
		.nr_rules = t->nr_rules, .checksum = checksum(name, t),
	};

	snprintf(link, sizeof(link), "/proc/self/fd/%d", of);
	len = readlink(link, h.path, sizeof(h.path));
	if (len < 0 || len == sizeof(h.path))
		len = 0;
	h.path[len] = 0;
	return write_all(fd, &h, sizeof(h)) &&
	       write_all(fd, t->pages, (t->nr_pages + 1ull) * sizeof(*t->pages)) &&
	       write_all(fd, t->rows, t->nr_rows * sizeof(*t->rows)) &&
	       write_all(fd, t->rules, t->nr_rules * sizeof(*t->rules));
}

void table_cache_put(int fd, const struct unwind_table *t)
{
	char name[NAME_ROOM], temporary[64];
	int dir, file;

	if (!t->pages || !name_of(fd, name))
		return;
	dir = open_directory(true);
	if (dir < 0)
		return;
	/* Not O_TMPFILE: overlayfs supports it only since Linux 6.3 */
	snprintf(temporary, sizeof(temporary), ".%d-%d", (int)getpid(), fd);
	file = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file >= 0) {
		if (!write_table(file, fd, name, t) || renameat(dir, temporary, dir, name))
			unlinkat(dir, temporary, 0);
		close(file);
		bound(dir);
	}
	close(dir);
}

struct recent {
	int dir;
	size_t nr;
	struct {
		struct timespec when;
		char name[NAME_ROOM];
	} all[TABLE_CACHE_RECENT];
};

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* Keep the most recent tables, the latest first */
static void take_recent(void *ctx, const char *name, const struct stat *st)
{
	struct recent *r = ctx;
	size_t at = r->nr;

	if (name[0] == '.' || strlen(name) >= NAME_ROOM)
		return;
	while (at && is_later(&st->st_mtim, &r->all[at - 1].when))
		at--;
	if (at == TABLE_CACHE_RECENT)
		return;
	if (r->nr < TABLE_CACHE_RECENT)
		r->nr++;
	memmove(&r->all[at + 1], &r->all[at], (r->nr - 1 - at) * sizeof(r->all[0]));
	r->all[at].when = st->st_mtim;
	strcpy(r->all[at].name, name);
}

void table_cache_recent(void (*take)(void *ctx, const char *path), void *ctx)
{
	struct recent *r = calloc(1, sizeof(*r));
	struct head h;

	if (!r)
		return;
	r->dir = open_directory(false);
	if (r->dir >= 0)
		each(r->dir, take_recent, r);
	for (size_t i = 0; i < r->nr; i++) {
		int fd = openat(r->dir, r->all[i].name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		struct stat st;

		if (fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() &&
		    read_all(fd, &h, sizeof(h)) && is_head(&h, (uint64_t)st.st_size) && h.path[0] == '/')
			take(ctx, h.path);
		if (fd >= 0)
			close(fd);
	}
	if (r->dir >= 0)
		close(r->dir);
	free(r);
}

static void add_up(void *ctx, const char *name, const struct stat *st)
{
	struct table_cache_state *s = ctx;

	(void)name;
	s->files++;
	s->bytes += (uint64_t)st->st_size;
}

void table_cache_look(struct table_cache_state *s)
{
	int fd;

	memset(s, 0, sizeof(*s));
	if (!choose_path(s->path, sizeof(s->path))) {
		s->path[0] = 0;
		return;
	}
	fd = open(s->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		if (errno != ENOENT)
			s->trouble = strerror(errno);
		return;
	}
	s->trouble = judge(fd);
	each(fd, add_up, s);
	close(fd);
}
