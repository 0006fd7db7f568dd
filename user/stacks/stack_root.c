// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack_root.c - the root frame of a stack, before its thread: cgroup, container, process or CPU
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stacks/container.h"
#include "stacks/stack_root.h"

/* Linux has no larger process ids (PID_MAX_LIMIT). Larger values in a damaged profile are truncated. */
#define NUMBER_BITS	22
#define NUMBER_MASK	((1u << NUMBER_BITS) - 1)
#define ORIGIN_SHIFT	(2 * NUMBER_BITS)

struct roots {
	const struct profile *p;
	enum stack_root by;
	struct idmap ids;	/* key_of() to index in .texts */
	char **texts;
	size_t nr, cap;
};

struct roots *roots_create(const struct profile *p, enum stack_root by)
{
	struct roots *r = calloc(1, sizeof(*r));

	if (r) {
		r->p = p;
		r->by = by;
	}
	return r;
}

void roots_destroy(struct roots *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nr; i++)
		free(r->texts[i]);
	free(r->texts);
	idmap_exit(&r->ids);
	free(r);
}

static bool is_cgroup(const struct roots *r)
{
	return r->by == STACK_ROOT_CGROUP || r->by == STACK_ROOT_CONTAINER;
}

/* The key of a count's root frame.  Return: false if it is not known */
static bool key_of(const struct roots *r, const struct profile_count *c, uint64_t *key)
{
	if (is_cgroup(r)) {
		*key = c->aspace < r->p->nr_aspaces ? r->p->aspaces[c->aspace].rec.cgroup_id : 0;
		return *key;
	}
	if (r->by == STACK_ROOT_CPU) {
		*key = c->cpu;
		return !c->origin;	/* a merged profile has no CPUs */
	}
	*key = (uint64_t)c->origin << ORIGIN_SHIFT | (uint64_t)(c->tgid & NUMBER_MASK) << NUMBER_BITS |
	       (r->by == STACK_ROOT_TID ? c->tid & NUMBER_MASK : 0);
	return true;
}

/* A name for an input of a merged profile: its host, if no other input has that host, else its run */
static const char *origin_name(const struct profile *p, uint64_t origin)
{
	const struct profile_origin *all = p->origins;
	const char *host = origin ? all[origin - 1].host : NULL;
	size_t same = 0;

	if (!origin)
		return NULL;
	for (size_t i = 0; host && i < p->nr_origins; i++)
		same += all[i].host && !strcmp(all[i].host, host);
	return same == 1 ? host : all[origin - 1].run;
}

/* The text for a process or thread; in a merged profile also its recording.  Return: as asprintf() */
static int make_task(char **text, const struct profile *p, uint64_t key)
{
	uint64_t pid = key >> NUMBER_BITS & NUMBER_MASK, tid = key & NUMBER_MASK;
	const char *name = origin_name(p, key >> ORIGIN_SHIFT);
	const char *of = name ? " of " : "";

	if (!name)
		name = "";
	if (tid)
		return asprintf(text, "pid %" PRIu64 " tid %" PRIu64 "%s%s", pid, tid, of, name);
	return asprintf(text, "pid %" PRIu64 "%s%s", pid, of, name);
}

/* Return: a new string, NULL without memory */
static char *make_text(const struct roots *r, uint64_t key)
{
	const char *path = is_cgroup(r) ? profile_cgroup(r->p, key) : NULL;
	char *text;
	int len;

	if (path)
		return r->by == STACK_ROOT_CONTAINER ? container_name(path) : strdup(path);
	if (is_cgroup(r))
		len = asprintf(&text, "[cgroup %" PRIu64 ": %s]", key,
			       profile_host(r->p, "tool") ? "gone" : "not named");
	else if (r->by == STACK_ROOT_CPU)
		len = asprintf(&text, "CPU %" PRIu64, key);
	else
		len = make_task(&text, r->p, key);
	return len < 0 ? NULL : text;
}

static int add_text(struct roots *r, uint64_t key, uint32_t *at)
{
	int err = grow(&r->texts, r->nr, &r->cap, sizeof(*r->texts));
	char *text = err ? NULL : make_text(r, key);

	*at = (uint32_t)r->nr;
	if (!text)
		return -ENOMEM;
	err = idmap_set(&r->ids, key, *at);
	if (err)
		free(text);
	else
		r->texts[r->nr++] = text;
	return err;
}

int roots_frame(struct roots *r, const struct profile_count *c, struct frame *out)
{
	const char *origin;
	uint64_t key;
	uint32_t at;
	int err;

	*out = (struct frame){ .kind = FRAME_ROOT };
	if (r->by == STACK_ROOT_HOST || r->by == STACK_ROOT_RUN) {
		origin = r->by == STACK_ROOT_HOST ? profile_count_host(r->p, c)
						    : profile_count_run(r->p, c);
		out->name = origin && *origin ? origin : "[unknown]";
		return 0;
	}
	if (!key_of(r, c, &key)) {
		/* Kernel threads have no address space. For others, the module had no room to report it. */
		out->name = r->by == STACK_ROOT_CPU ? "[unknown CPU]" :
			    c->aspace == PROFILE_NONE ? "[no address space]" : "[cgroup unknown]";
		return 0;
	}
	at = idmap_find(&r->ids, key);
	if (at == INDEX_NONE) {
		err = add_text(r, key, &at);
		if (err)
			return err;
	}
	out->name = r->texts[at];
	return 0;
}
