// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_maps.c - names the code of just-in-time compilers
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/message.h"
#include "base/regular_file.h"
#include "profile/jit_code.h"
#include "profile/user_addresses.h"
#include "record/jit_dump.h"
#include "record/perf_maps.h"

#define MAX_OPEN	(2 * BUDGET_MAPS)	/* limit of open files */
#define NOT_YET		-1
#define NEVER		-2		/* the process has ended */
#define TRY_AGAIN_NS	200000000ull

static bool has_made_code(const struct profile *p, const struct profile_aspace *as)
{
	for (size_t i = 0; i < as->nr_maps; i++)
		if (made_code_is(p, &as->maps[i]))
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

/*
 * A file older than the process belongs to another process, which had the same PID before.
 * A file of another owner, except root, may be forged.
 */
static int judge(int fd, const struct profile *p, const struct profile_aspace *as, uid_t owner)
{
	uint64_t start = p->session.start_realtime_ns - p->session.start_ns +
			 as->rec.start_time_ns;
	struct stat st;

	if (fd < 0)
		return NOT_YET;
	if (!fstat(fd, &st) && (st.st_uid == 0 || st.st_uid == owner) &&
	    ((uint64_t)st.st_mtim.tv_sec + 1) * 1000000000ull >= start)
		return fd;
	close(fd);
	return NOT_YET;
}

/*
 * Open the file in the root directory of the process, while it lives.  Afterwards, open it in this root
 * directory, if both PIDs of the process are the same.
 */
static int open_map(struct perf_map *map, const struct profile *p, const struct profile_aspace *as)
{
	char process[32], root[40], path[64];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", as->rec.ns_tgid);
	snprintf(process, sizeof(process), "/proc/%u", as->rec.tgid);
	snprintf(root, sizeof(root), "%s/root", process);
	if (!rights_of_process((pid_t)as->rec.tgid, &map->owner)) {
		fd = judge(regular_file_open_inside(root, path, &map->owner, &st), p, as,
			   map->owner.uid);
		if (fd >= 0 || !access(process, F_OK))
			return fd;
	}
	if (as->rec.ns_tgid == as->rec.tgid)
		fd = judge(regular_file_open_inside("", path, &map->owner, &st), p, as,
			   map->owner.uid);
	else
		fd = NOT_YET;
	return fd < 0 ? NEVER : fd;
}

static bool has_room(const struct perf_maps *m, uid_t owner)
{
	size_t his = 0;

	for (size_t i = 0; i < m->nr; i++)
		his += m->all[i].owner.uid == owner;
	return budget_share(BUDGET_MAPS, m->nr, his);
}

static void add(struct perf_maps *m, const struct profile_aspace *as)
{
	struct rights owner;

	if (!as->reported || !as->rec.tgid || find(m, as))
		return;
	if (rights_of_process((pid_t)as->rec.tgid, &owner))
		owner = rights_nobody();
	if (!has_room(m, owner.uid)) {
		m->left_out = true;
		m->left_out_owner = owner.uid;
		return;
	}
	if (grow(&m->all, m->nr, &m->cap, sizeof(*m->all)))
		return;
	m->all[m->nr++] = (struct perf_map){
		.tgid = as->rec.tgid, .start_time_ns = as->rec.start_time_ns, .owner = owner,
		.fd = NOT_YET, .dump = NOT_YET,
	};
}

/* Look at all address spaces again: mappings may arrive long after their address space */
static void find_maps(struct perf_maps *m, const struct profile *p)
{
	for (size_t i = 0; i < p->nr_aspaces; i++)
		if (has_made_code(p, &p->aspaces[i]))
			add(m, &p->aspaces[i]);
	m->bytes = p->bytes;
}

/* A process may make code and end before the module looks again.  Its samples are in no mapping */
static int find_unmapped(void *ctx, const struct user_address *a)
{
	if (!a->map && a->aspace < a->p->nr_aspaces)
		add(ctx, &a->p->aspaces[a->aspace]);
	return 0;
}

/* Try to open the files that are not open yet */
static void open_all(struct perf_maps *m, const struct profile *p)
{
	for (size_t i = 0; m->nr && m->open < MAX_OPEN && i < p->nr_aspaces; i++) {
		struct perf_map *map = find(m, &p->aspaces[i]);

		if (map && map->fd == NOT_YET) {
			map->fd = open_map(map, p, &p->aspaces[i]);
			m->open += map->fd >= 0;
		}
		if (map && map->dump == NOT_YET && m->open < MAX_OPEN) {
			map->dump = jit_dump_open(p, &p->aspaces[i], &map->owner);
			m->open += map->dump >= 0;
			if (map->dump < 0)
				map->dump = NOT_YET;
		}
	}
}

void perf_maps_update(struct perf_maps *m, const struct profile *p)
{
	uint64_t now = now_ns();

	m->more = m->bytes < p->bytes;
	if (perf_maps_wait(m) == UINT64_MAX || now - m->tried_ns < TRY_AGAIN_NS)
		return;
	m->tried_ns = now;
	m->more = false;
	find_maps(m, p);
	open_all(m, p);
}

uint64_t perf_maps_wait(const struct perf_maps *m)
{
	if (m->more)
		return TRY_AGAIN_NS;
	for (size_t i = 0; i < m->nr; i++)
		if (m->all[i].fd == NOT_YET)
			return TRY_AGAIN_NS;
	return UINT64_MAX;
}

struct places {
	const struct perf_maps *maps;
	struct perf_place *all;
	size_t nr, cap;
};

static int by_place(const void *a, const void *b)
{
	const struct perf_place *x = a, *y = b;

	if (x->map != y->map)
		return x->map < y->map ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->aspace < y->aspace ? -1 : x->aspace > y->aspace;
}

static void settle(struct places *s)
{
	s->nr = sort_once(s->all, s->nr, sizeof(*s->all), by_place);
}

static int take_address(void *ctx, const struct user_address *a)
{
	struct places *to = ctx;
	const struct perf_map *map;
	int err;

	if (a->aspace >= a->p->nr_aspaces || !made_code_is(a->p, a->map))
		return 0;
	map = find(to->maps, &a->p->aspaces[a->aspace]);
	if (!map || (map->fd < 0 && map->dump < 0))
		return 0;
	if (to->nr == to->cap && to->nr > (1u << 20))
		settle(to);
	err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));
	if (!err)
		to->all[to->nr++] = (struct perf_place){ .at = a->at, .aspace = a->aspace,
						    .map = (uint32_t)(map - to->maps->all) };
	return err;
}

static int by_aspace(const void *a, const void *b)
{
	const struct perf_place *x = a, *y = b;

	if (x->aspace != y->aspace)
		return x->aspace < y->aspace ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static bool same_function(const struct perf_place *x, const struct perf_place *y)
{
	return x->aspace == y->aspace && x->name && y->name && x->start == y->start &&
	       x->end == y->end && !strcmp(x->name, y->name);
}

/*
 * Report each function once.  Functions made in the same memory overlap. So the range of each is cut at the
 * neighbouring sampled addresses that other functions name.
 */
static int tell(struct places *s, perf_name_fn take, void *ctx)
{
	size_t next;
	int err = 0;

	if (s->nr)
		qsort(s->all, s->nr, sizeof(*s->all), by_aspace);
	for (size_t i = 0; !err && i < s->nr; i = next) {
		const struct perf_place *f = &s->all[i];
		uint64_t start = f->start, end = f->end;

		for (next = i + 1; next < s->nr && same_function(f, &s->all[next]); next++)
			;
		if (!f->name)
			continue;
		if (i && f[-1].aspace == f->aspace && f[-1].at >= start)
			start = f[-1].at + 1;
		if (next < s->nr && s->all[next].aspace == f->aspace && s->all[next].at < end)
			end = s->all[next].at;
		err = take(ctx, f->aspace, start, end, f->name);
	}
	return err;
}

/* Open the file once more, to read it from its beginning; a negative number if there is none */
static int again(int fd)
{
	char path[32];

	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Name the addresses by both files of the process.  @last: close the files */
static int name_places(struct perf_map *map, struct perf_place *places, size_t nr,
		       struct perf_lines *lines, bool last)
{
	int fd = last ? map->fd : again(map->fd), dump = last ? map->dump : again(map->dump);
	int err = 0;

	if (last)
		map->fd = map->dump = NEVER;
	if (fd >= 0)
		err = perf_map_read(fd, places, nr, lines);
	if (dump >= 0 && err)
		close(dump);
	else if (dump >= 0)
		err = jit_dump_read(dump, places, nr, lines);
	return err;
}

/* Return: how much was read from a user's files so far; NULL if memory is short */
static struct perf_user *user_of(struct perf_maps *m, uid_t owner)
{
	for (size_t i = 0; i < m->nr_users; i++)
		if (m->users[i].id == owner)
			return &m->users[i];
	if (grow(&m->users, m->nr_users, &m->cap_users, sizeof(*m->users)))
		return NULL;
	m->users[m->nr_users] = (struct perf_user){ .id = owner };
	return &m->users[m->nr_users++];
}

static int name_within(struct perf_maps *m, struct perf_map *map, struct perf_place *places, size_t nr,
		       struct perf_lines *lines, bool last)
{
	struct perf_user *user = user_of(m, map->owner.uid);
	int err;

	if (!user)
		return -ENOMEM;
	lines->used = user->used;
	err = name_places(map, places, nr, lines, last);
	user->used = lines->used;
	user->is_full = user->is_full || perf_lines_full(lines);
	return err;
}

static void tell_left_out(const struct perf_maps *m)
{
	for (size_t i = 0; i < m->nr_users; i++)
		if (m->users[i].is_full)
			complain("the perf maps and jitdumps of user %u are larger than what is read of one user's: some of his functions have no name",
				 m->users[i].id);
	if (m->left_out)
		complain("user %u has more than %u processes with perf maps or jitdumps: the functions of the others have no name",
			 m->left_out_owner, BUDGET_MAPS / 2);
}

static int name_all(struct perf_maps *m, const struct profile *p, perf_name_fn take, void *ctx,
		    bool last)
{
	struct places s = { .maps = m };
	struct perf_lines lines = { 0 };
	size_t next;
	int err = 0;

	if (m->nr)
		err = each_user_address(p, take_address, &s);
	settle(&s);
	for (size_t i = 0; !err && i < s.nr; i = next) {
		for (next = i; next < s.nr && s.all[next].map == s.all[i].map; next++)
			;
		err = name_within(m, &m->all[s.all[i].map], s.all + i, next - i, &lines, last);
	}
	if (last)
		tell_left_out(m);
	/* During the recording, the files are read again at each call: start a new budget */
	m->nr_users = 0;
	if (!err)
		err = tell(&s, take, ctx);
	perf_lines_exit(&lines);
	free(s.all);
	return err;
}

/* Where perf_maps_name() writes its records */
struct recorded {
	const struct profile *p;
	struct records *to;
};

static int take_record(void *ctx, uint32_t aspace, uint64_t start, uint64_t end, const char *name)
{
	struct recorded *r = ctx;

	records_jsym(r->to, r->p->aspaces[aspace].rec.id, start, end, name);
	return 0;
}

int perf_maps_name(struct perf_maps *m, const struct profile *p, struct records *to)
{
	struct recorded r = { p, to };
	int err;

	/* The last chance for files that are written when a program ends */
	find_maps(m, p);
	err = each_user_address(p, find_unmapped, m);
	if (err)
		return err;
	open_all(m, p);
	err = name_all(m, p, take_record, &r, true);
	return err || to->failed ? -ENOMEM : 0;
}

int perf_maps_look(struct perf_maps *m, const struct profile *p, perf_name_fn take, void *ctx)
{
	return m->open ? name_all(m, p, take, ctx, false) : 0;
}

void perf_maps_exit(struct perf_maps *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		if (m->all[i].fd >= 0)
			close(m->all[i].fd);
		if (m->all[i].dump >= 0)
			close(m->all[i].dump);
	}
	free(m->all);
	free(m->users);
	*m = (struct perf_maps){ 0 };
}
