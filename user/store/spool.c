// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spool.c - finds profiles in a spool directory by their names
 */
#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/message.h"
#include "store/spool.h"

#define START_LENGTH	16	/* of 20261130T084500Z */
#define DIGITS		12

/* Return: the length of a name without its ending; 0: it has another ending */
static size_t id_length(const char *name)
{
	static const char *const endings[] = { ".kflame", ".kflame.zst" };
	const size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const size_t end = strlen(endings[i]);

		if (len > end && !strcmp(name + len - end, endings[i]))
			return len - end;
	}
	return 0;
}

static bool parse_start(const char *name, uint64_t *ns)
{
	struct tm tm = { 0 };
	const char *end = strptime(name, "%Y%m%dT%H%M%SZ", &tm);
	time_t at;

	if (end != name + START_LENGTH || *end != '-')
		return false;
	at = timegm(&tm);
	*ns = (uint64_t)at * 1000000000;
	/* Nanoseconds since 1970 fit in 64 bits until 2554. */
	return at >= 0 && (uint64_t)at < UINT64_MAX / 1000000000;
}

bool spool_parse(struct spool_file *f)
{
	const char *slash = strrchr(f->path, '/'), *name = slash ? slash + 1 : f->path;
	const size_t len = id_length(name);
	const char *digits = name + len - DIGITS;

	/* At least one character of a host is between START- and -DIGITS */
	if (len < START_LENGTH + 1 + 1 + 1 + DIGITS || digits[-1] != '-' || !parse_start(name, &f->start_ns))
		return false;
	for (int i = 0; i < DIGITS; i++)
		if (!isxdigit((unsigned char)digits[i]))
			return false;
	f->host = name + START_LENGTH + 1;
	f->host_len = (size_t)(digits - 1 - f->host);
	f->id = name;
	f->id_len = len;
	return true;
}

static int compare_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	const int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return order ? order : a_len < b_len ? -1 : a_len > b_len;
}

static int by_host_and_time(const void *a, const void *b)
{
	const struct spool_file *x = a, *y = b;
	const int order = compare_text(x->host, x->host_len, y->host, y->host_len);

	if (order)
		return order;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return compare_text(x->id, x->id_len, y->id, y->id_len);
}

static int add(struct spool *s, const char *path)
{
	struct spool_file f = { .path = strdup(path) };
	int err = f.path ? 0 : -ENOMEM;

	if (!err && spool_parse(&f)) {
		err = grow(&s->all, s->nr, &s->cap, sizeof(*s->all));
		if (!err) {
			s->all[s->nr++] = f;
			return 0;
		}
	}
	free(f.path);
	return err;
}

/* Does not follow symbolic links below @dir: they may lead in a circle */
static int walk(struct spool *s, const char *dir)
{
	char *const dirs[] = { (char *)dir, NULL };
	FTS *fts = fts_open(dirs, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	int err = fts ? 0 : -errno;
	FTSENT *e;

	while (!err && (errno = 0, e = fts_read(fts))) {
		/* What cannot be read below it is no reason to show nothing, but it is said. */
		if (e->fts_info == FTS_DNR || (e->fts_info == FTS_NS && e->fts_level == 0)) {
			err = e->fts_level ? 0 : -e->fts_errno;
			if (!err)
				complain("%s cannot be read: %s. Its profiles are left out", e->fts_path,
					 strerror(e->fts_errno));
		} else if (e->fts_info == FTS_F || e->fts_info == FTS_NSOK || (e->fts_info == FTS_DEFAULT && !e->fts_level)) {
			err = e->fts_level ? add(s, e->fts_path) : -ENOTDIR;
		}
	}
	if (fts)
		fts_close(fts);
	return err;
}

/* Keeps what may have samples of the range.  A host has one cut after the other. */
static void keep(struct spool *s, uint64_t from, uint64_t to)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++) {
		struct spool_file *f = &s->all[i], *after = i + 1 < s->nr ? f + 1 : NULL;
		const bool is_twice = nr && !compare_text(f->id, f->id_len, s->all[nr - 1].id, s->all[nr - 1].id_len);
		const bool is_followed = after && after->start_ns <= from &&
					 !compare_text(f->host, f->host_len, after->host, after->host_len) &&
					 compare_text(f->id, f->id_len, after->id, after->id_len);

		if (is_twice || f->start_ns >= to || (f->start_ns < from && is_followed))
			free(f->path);
		else
			s->all[nr++] = *f;
	}
	s->nr = nr;
}

int spool_find(struct spool *s, const char *dir, uint64_t from, uint64_t to, size_t *seen)
{
	int err = walk(s, dir);

	*seen = s->nr;
	if (err == -ENOTDIR)
		complain("--store %s: this is no directory. Name the spool directory of an agent, or a copy of it", dir);
	else if (err)
		complain("--store %s cannot be read: %s", dir, strerror(-err));
	if (err)
		return err;
	if (s->nr)
		qsort(s->all, s->nr, sizeof(*s->all), by_host_and_time);
	keep(s, from, to);
	return 0;
}

void spool_exit(struct spool *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->all[i].path);
	free(s->all);
	*s = (struct spool){ 0 };
}
