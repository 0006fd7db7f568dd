// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * open_store.c - adds up the profiles of a directory that a query selects
 *
 * A profile is selected by the time in its name, and then by its header: its exact time, its host and its labels.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "profile/merge.h"
#include "stacks/open_parts.h"
#include "store/find_profiles.h"
#include "store/where.h"

/* What is shown, and what was found */
struct query {
	const struct naming *naming;
	uint64_t from, to;	/* CLOCK_REALTIME */
	struct where *where;
	struct merge *sum;
	size_t in_time, added;
	bool incomplete;
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Return: false after a message, if a time is no time of the clock */
static bool take_range(struct query *q)
{
	const struct profile_range *r = &q->naming->range;
	const uint64_t at = now(), last = q->naming->last_ns;

	if ((r->from.is_set && !r->from.is_clock) || (r->to.is_set && !r->to.is_clock)) {
		complain("with --store, --from and --to are times of the clock, such as 2026-11-30T08:45Z");
		return false;
	}
	q->to = r->to.is_set ? r->to.ns : UINT64_MAX;
	q->from = r->from.is_set ? r->from.ns : 0;
	if (last)
		q->from = at > last ? at - last : 0;
	if (q->from < q->to)
		return true;
	complain("--from is not before --to: there is no time between them");
	return false;
}

static bool is_in_time(const struct query *q, const struct profile *p)
{
	const uint64_t start = profile_began(p), end = profile_ended(p);

	return start < q->to && (end > q->from || start >= q->from);
}

static const char *value_of(const void *ctx, const char *name)
{
	const struct profile *p = ctx;
	char key[256];

	if (!strcmp(name, "host"))
		return profile_host(p, "host");
	snprintf(key, sizeof(key), PROFILE_LABEL_KEY "%s", name);
	return profile_host(p, key);
}

/* Opens a profile, adds it if it is selected, and closes it.  Return: 0 or a negative errno, after a message */
static int add(struct query *q, const char *path)
{
	static const struct naming every = { .every_event = true };
	struct profile *p;
	int err = 0;

	/* The agent removes the oldest profiles when its space is used up. */
	if (access(path, F_OK) && errno == ENOENT)
		return 0;
	p = open_profile(path, &every);
	if (!p) {
		q->incomplete = true;
		return 0;
	}
	if (is_in_time(q, p)) {
		q->in_time++;
		if (where_matches(q->where, value_of, p)) {
			q->incomplete |= profile_status(p);
			q->added++;
			err = merge_add(q->sum, p, path);
			if (err == -EINVAL)
				complain("a store is shown as one sum: select profiles that add up by --where, or use kflame merge");
		}
	}
	profile_destroy(p);
	return err;
}

static void tell_nothing(const struct query *q, size_t seen)
{
	const char *dir = q->naming->store;

	if (!seen)
		complain("%s has no profiles: their names are as 20261130T084500Z-HOST-0123456789ab.kflame. Is it the spool directory of an agent?",
			 dir);
	else if (!q->in_time)
		complain("%s has no profiles of that time, and %zu of other times: look at --last, --from and --to", dir,
			 seen);
	else
		complain("none of the %zu profiles of that time in %s passes --where '%s'. 'kflame info -i FILE' shows host and labels of one",
			 q->in_time, dir, q->naming->where);
}

static int add_all(struct query *q)
{
	struct found_profiles s = { 0 };
	size_t seen = 0;
	int err = find_profiles(&s, q->naming->store, q->from, q->to, &seen);

	for (size_t i = 0; !err && i < s.nr; i++)
		err = add(q, s.all[i].path);
	found_profiles_exit(&s);
	if (!err && !q->added) {
		tell_nothing(q, seen);
		err = -ENODATA;
	}
	return err;
}

/* Return: 0 or a negative errno, after a message */
static int parse_where(struct query *q)
{
	char why[200];

	if (!q->naming->where)
		return 0;
	q->where = where_parse(q->naming->where, why, sizeof(why));
	if (q->where)
		return 0;
	complain("--where '%s': %s", q->naming->where, why);
	return -EINVAL;
}

struct profile *open_store(const struct naming *naming)
{
	struct merge_how how = { .no_runs = naming->root != STACK_ROOT_RUN && !naming->runs, .window_ns = 60000000000 };
	struct query q = { .naming = naming };
	struct profile *p = NULL;
	int err = take_range(&q) ? parse_where(&q) : -EINVAL;

	if (!err) {
		q.sum = merge_create(&how);
		err = q.sum ? add_all(&q) : -ENOMEM;
	}
	if (!err) {
		p = merge_finish(q.sum);
		q.sum = NULL;
		err = p ? 0 : -ENOMEM;
	}
	merge_destroy(q.sum);
	where_destroy(q.where);
	if (err == -ENOMEM)
		complain("--store %s needs more memory than there is", naming->store);
	if (p && q.incomplete)
		p->damaged++;
	return p;
}
