// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * find_profiles.c - finds profiles in a spool directory by their names
 */
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/message.h"
#include "base/spool_name.h"
#include "store/find_profiles.h"

bool found_profile_parse(struct found_profile *f)
{
	const char *slash = strrchr(f->path, '/'), *name = slash ? slash + 1 : f->path;
	struct spool_name parts;

	if (!spool_name_parse(name, &parts))
		return false;
	f->start_ns = parts.start * NS_PER_S;
	f->host = parts.host;
	f->host_len = parts.host_len;
	f->id = name;
	f->id_len = parts.id_len;
	return true;
}

static int compare_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	const int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return order ? order : a_len < b_len ? -1 : a_len > b_len;
}

static int by_host_and_time(const void *a, const void *b)
{
	const struct found_profile *x = a, *y = b;
	const int order = compare_text(x->host, x->host_len, y->host, y->host_len);

	if (order)
		return order;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return compare_text(x->id, x->id_len, y->id, y->id_len);
}

static int add(struct found_profiles *s, const char *path)
{
	struct found_profile f = { .path = strdup(path) };
	int err = f.path ? 0 : -ENOMEM;

	if (!err && found_profile_parse(&f)) {
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
static int walk(struct found_profiles *s, const char *dir)
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
static void keep(struct found_profiles *s, uint64_t from, uint64_t to)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++) {
		struct found_profile *f = &s->all[i], *after = i + 1 < s->nr ? f + 1 : NULL;
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

int find_profiles(struct found_profiles *s, const char *dir, uint64_t from, uint64_t to, size_t *seen)
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

void found_profiles_exit(struct found_profiles *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->all[i].path);
	free(s->all);
	*s = (struct found_profiles){ 0 };
}
