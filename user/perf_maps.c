// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_maps.c - the names of code that a just-in-time compiler made
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "perf_maps.h"
#include "root.h"
#include "user_addresses.h"

#define MAX_MAPS	1024		/* files held open; a process more has no names */
#define NOT_YET		-1
#define NEVER		-2		/* the process has ended */
#define MAX_NAME	4096		/* bytes; the rest is cut */
#define TRY_AGAIN_NS	200000000ull

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

/* Code that is in no file, and not the kernel's */
static bool has_made_code(const struct profile_aspace *as)
{
	for (size_t i = 0; i < as->nr_maps; i++)
		if (as->maps[i].file == PROFILE_NONE && !(as->maps[i].flags & KFLAME_MAP_VDSO))
			return true;
	return false;
}

static struct perf_map *find(const struct perf_maps *m, const struct profile_aspace *as)
{
	for (size_t i = 0; i < m->nr; i++)
		if (m->all[i].tgid == as->rec.tgid &&
		    m->all[i].start_time_ns == as->rec.start_time_ns)
			return &m->all[i];
	return NULL;
}

/* A file that is older than the process is that of another one, which had its PID before */
static int not_older(int fd, const struct profile *p, const struct profile_aspace *as)
{
	uint64_t start = p->session.start_realtime_ns - p->session.start_ns +
			 as->rec.start_time_ns;
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && ((uint64_t)st.st_mtim.tv_sec + 1) * 1000000000ull >= start)
		return fd;
	close(fd);
	return -1;
}

/*
 * As the process sees it while it lives.  Afterwards it may be found here, if the process
 * had no other root and PID.
 */
static int open_map(const struct profile *p, const struct profile_aspace *as)
{
	char root[32], path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", as->rec.ns_tgid);
	snprintf(root, sizeof(root), "/proc/%u/root", as->rec.tgid);
	fd = not_older(root_open_file(root, path), p, as);
	if (fd >= 0 || !access(root, F_OK))
		return fd;
	if (as->rec.ns_tgid == as->rec.tgid)
		fd = not_older(root_open_file("", path), p, as);
	return fd < 0 ? NEVER : fd;
}

static void add(struct perf_maps *m, const struct profile_aspace *as)
{
	if (!as->told || !as->rec.tgid || !has_made_code(as) || find(m, as) ||
	    m->nr >= MAX_MAPS || grow(&m->all, m->nr, &m->cap, sizeof(*m->all)))
		return;
	m->all[m->nr++] = (struct perf_map){ as->rec.tgid, as->rec.start_time_ns, NOT_YET };
}

/* Tries to open what is not open yet */
static void open_all(struct perf_maps *m, const struct profile *p)
{
	for (size_t i = 0; i < p->nr_aspaces; i++) {
		struct perf_map *map = find(m, &p->aspaces[i]);

		if (map && map->fd == NOT_YET)
			map->fd = open_map(p, &p->aspaces[i]);
	}
}

void perf_maps_update(struct perf_maps *m, const struct profile *p)
{
	bool more = m->aspaces < p->nr_aspaces;
	uint64_t now = now_ns();

	/* The mappings of an address space come after it: the last one is looked at again */
	for (size_t i = m->aspaces ? m->aspaces - 1 : 0; i < p->nr_aspaces; i++)
		add(m, &p->aspaces[i]);
	m->aspaces = p->nr_aspaces;
	if (perf_maps_wait(m) == UINT64_MAX || (!more && now - m->tried_ns < TRY_AGAIN_NS))
		return;
	m->tried_ns = now;
	open_all(m, p);
}

uint64_t perf_maps_wait(const struct perf_maps *m)
{
	for (size_t i = 0; i < m->nr; i++)
		if (m->all[i].fd == NOT_YET)
			return TRY_AGAIN_NS;
	return UINT64_MAX;
}

/* An address that wants a name, and the name it has so far */
struct place {
	uint64_t at;
	uint32_t aspace;
	uint32_t map;
	uint64_t start;
	uint64_t end;
	char *name;
};

struct places {
	const struct perf_maps *maps;
	struct place *all;
	size_t nr, cap;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->map != y->map)
		return x->map < y->map ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->aspace < y->aspace ? -1 : x->aspace > y->aspace;
}

static void settle(struct places *s)
{
	size_t to = 0;

	if (!s->nr)
		return;
	qsort(s->all, s->nr, sizeof(*s->all), by_place);
	for (size_t i = 0; i < s->nr; i++)
		if (!to || by_place(&s->all[to - 1], &s->all[i]))
			s->all[to++] = s->all[i];
	s->nr = to;
}

static int take_address(void *ctx, const struct user_address *a)
{
	struct places *to = ctx;
	const struct perf_map *map;
	int err;

	if (!a->map || a->map->file != PROFILE_NONE || a->map->flags & KFLAME_MAP_VDSO)
		return 0;
	map = find(to->maps, &a->p->aspaces[a->aspace]);
	if (!map || map->fd < 0)
		return 0;
	if (to->nr == to->cap && to->nr > (1u << 20))
		settle(to);
	err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));
	if (!err)
		to->all[to->nr++] = (struct place){ .at = a->at, .aspace = a->aspace,
						    .map = (uint32_t)(map - to->maps->all) };
	return err;
}

/* Gives a function's name to the places that are in it; @nr of one file, by address */
static int give(struct place *places, size_t nr, uint64_t start, uint64_t end, const char *name)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (places[mid].at < start)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < nr && places[low].at < end; low++) {
		char *copy = strdup(name);

		if (!copy)
			return -ENOMEM;
		free(places[low].name);
		places[low].name = copy;
		places[low].start = start;
		places[low].end = end;
	}
	return 0;
}

/* "START SIZE NAME": lines that say something else are passed over */
static int take_line(char *line, struct place *places, size_t nr)
{
	char *at = line, *name;
	uint64_t start, bytes;

	errno = 0;
	start = strtoull(at, &name, 16);
	if (name == at || errno)
		return 0;
	at = name;
	bytes = strtoull(at, &name, 16);
	if (name == at || errno || *name != ' ' || !bytes || start + bytes < start)
		return 0;
	name++;
	name[strcspn(name, "\n")] = 0;
	return *name ? give(places, nr, start, start + bytes, name) : 0;
}

static int read_map(int fd, struct place *places, size_t nr)
{
	char line[MAX_NAME];
	bool whole = true;
	FILE *in;
	int err = 0;

	/* the descriptor goes with the stream */
	in = fdopen(fd, "r");
	if (!in) {
		close(fd);
		return -ENOMEM;
	}
	while (!err && fgets(line, sizeof(line), in)) {
		/* the rest of a line that was too long is no line */
		bool begins = whole;

		whole = strchr(line, '\n');
		if (begins)
			err = take_line(line, places, nr);
	}
	fclose(in);
	return err;
}

static int by_aspace(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->aspace != y->aspace)
		return x->aspace < y->aspace ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static bool same_function(const struct place *x, const struct place *y)
{
	return x->aspace == y->aspace && x->name && y->name && x->start == y->start &&
	       x->end == y->end && !strcmp(x->name, y->name);
}

/*
 * A record a function. Functions that were made one over the other overlap: each is told
 * from its first place that has its name to its last, and around as far as nothing else is.
 */
static void tell(const struct profile *p, struct places *s, struct records *to)
{
	size_t next;

	if (s->nr)
		qsort(s->all, s->nr, sizeof(*s->all), by_aspace);
	for (size_t i = 0; i < s->nr; i = next) {
		const struct place *f = &s->all[i];
		uint64_t start = f->start, end = f->end;

		for (next = i + 1; next < s->nr && same_function(f, &s->all[next]); next++)
			;
		if (!f->name)
			continue;
		if (i && f[-1].aspace == f->aspace && f[-1].at >= start)
			start = f[-1].at + 1;
		if (next < s->nr && s->all[next].aspace == f->aspace && s->all[next].at < end)
			end = s->all[next].at;
		records_jsym(to, p->aspaces[f->aspace].rec.id, start, end, f->name);
	}
}

int perf_maps_name(struct perf_maps *m, const struct profile *p, struct records *to)
{
	struct places s = { .maps = m };
	int err = m->nr ? each_user_address(p, take_address, &s) : 0;
	size_t next;

	settle(&s);
	for (size_t i = 0; !err && i < s.nr; i = next) {
		struct perf_map *map = &m->all[s.all[i].map];

		for (next = i; next < s.nr && s.all[next].map == s.all[i].map; next++)
			;
		err = read_map(map->fd, s.all + i, next - i);
		map->fd = NEVER;
	}
	if (!err)
		tell(p, &s, to);
	for (size_t i = 0; i < s.nr; i++)
		free(s.all[i].name);
	free(s.all);
	return err || to->failed ? -ENOMEM : 0;
}

void perf_maps_free(struct perf_maps *m)
{
	for (size_t i = 0; i < m->nr; i++)
		if (m->all[i].fd >= 0)
			close(m->all[i].fd);
	free(m->all);
	*m = (struct perf_maps){ 0 };
}
