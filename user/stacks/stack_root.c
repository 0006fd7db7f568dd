// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack_root.c - the root frame of a stack, before its thread: cgroup, container, process, CPU, state, waker,
 * event or label
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "profile/waits.h"
#include "stacks/container.h"
#include "stacks/stack_root.h"

/* Linux has no larger process ids (PID_MAX_LIMIT). Larger values in a damaged profile are truncated. */
#define NUMBER_BITS	22
#define NUMBER_MASK	((1u << NUMBER_BITS) - 1)
#define ORIGIN_SHIFT	(2 * NUMBER_BITS)

/* A waiting thread, and the thread or the interrupt that ended its waits */
struct pair {
	struct task {
		uint32_t tgid, tid, context;
		char comm[KFLAME_COMM_LEN];
	} waiter, waker;
	uint32_t waker_is;	/* enum waker_is */
	uint32_t origin;
};

enum waker_is { WAKER_KNOWN, WAKER_NONE, WAKER_UNKNOWN, WAKER_OF_NO_WAIT };

struct roots {
	const struct profile *p;
	enum stack_root by;
	struct idmap ids;	/* key_of() to index in .texts */
	struct index pair_index;
	struct pair *pairs;	/* of each of .texts, with STACK_ROOT_WAKER */
	size_t cap_pairs;
	char **texts;
	size_t nr, cap;
	bool *only;		/* of each origin: no other one has its host; NULL: not found out yet */
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
	index_exit(&r->pair_index);
	free(r->pairs);
	free(r->only);
	free(r);
}

bool roots_show_states(const struct roots *r)
{
	return r->by == STACK_ROOT_STATE;
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

/* Finds out which origins have a host that no other origin has.  Return: 0 or -ENOMEM */
static int find_only(struct roots *r)
{
	const struct profile *p = r->p;
	uint32_t *first = calloc(p->nr_origins + 1, sizeof(*first));
	struct intern hosts = { .nr = 0 };
	int err = -ENOMEM;

	r->only = calloc(p->nr_origins + 1, sizeof(*r->only));
	for (uint32_t i = 0; first && r->only && i < p->nr_origins; i++) {
		const char *host = p->origins[i].host;
		bool added = true;
		uint32_t id = host ? intern_bytes(&hosts, host, strlen(host), &added) : 0;

		if (id == INDEX_NONE)
			goto out;
		r->only[i] = host && added;
		if (host && added)
			first[id] = i;
		else if (host)
			r->only[first[id]] = false;
	}
	err = first && r->only ? 0 : -ENOMEM;
out:
	intern_exit(&hosts);
	free(first);
	return err;
}

/*
 * A name for an input of a merged profile: its host, if no other input has that host, else its run.
 *
 * @name: out: NULL: neither is known
 *
 * Return: 0 or -ENOMEM
 */
static int origin_name(struct roots *r, uint64_t origin, const char **name)
{
	const struct profile_origin *o = origin ? &r->p->origins[origin - 1] : NULL;
	int err = o && !r->only ? find_only(r) : 0;

	*name = NULL;
	if (o && !err)
		*name = r->only[origin - 1] || !o->run ? o->host : o->run;
	return err;
}

/* The text for a process or thread; in a merged profile also its recording.  Return: as asprintf() */
static int make_task(char **text, struct roots *r, uint64_t key)
{
	uint64_t pid = key >> NUMBER_BITS & NUMBER_MASK, tid = key & NUMBER_MASK;
	const char *name, *of;

	if (origin_name(r, key >> ORIGIN_SHIFT, &name))
		return -1;
	of = name ? " of " : "";
	if (!name)
		name = "";
	if (tid)
		return asprintf(text, "pid %" PRIu64 " tid %" PRIu64 "%s%s", pid, tid, of, name);
	return asprintf(text, "pid %" PRIu64 "%s%s", pid, of, name);
}

/* Return: a new string, NULL without memory */
static char *make_text(struct roots *r, uint64_t key)
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
		len = make_task(&text, r, key);
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

static bool same_pair(const void *ctx, uint32_t i, const void *key)
{
	const struct roots *r = ctx;

	return !memcmp(&r->pairs[i], key, sizeof(struct pair));
}

static enum waker_is waker_is(const struct profile_count *c, const struct profile_waker *w)
{
	if (w)
		return WAKER_KNOWN;
	if (!wait_name(c->context))
		return WAKER_OF_NO_WAIT;
	return wait_is_for_cpu(c->context) ? WAKER_NONE : WAKER_UNKNOWN;
}

/* A pair has no padding, and no bytes after the end of a name: it is compared and hashed whole. */
static struct pair pair_of(const struct profile *p, const struct profile_count *c)
{
	const struct profile_waker *w = c->waker < p->nr_wakers ? &p->wakers[c->waker] : NULL;
	struct pair pair = {
		.waiter = { .tgid = c->tgid, .tid = c->tid },
		.waker_is = waker_is(c, w),
		.origin = c->origin,
	};

	_Static_assert(sizeof(struct pair) == 2 * (12 + KFLAME_COMM_LEN) + 8, "padding of a pair");
	memcpy(pair.waiter.comm, c->comm, sizeof(c->comm));
	if (w) {
		pair.waker = (struct task){ .tgid = w->tgid, .tid = w->tid, .context = w->context };
		memcpy(pair.waker.comm, w->comm, sizeof(w->comm));
	}
	return pair;
}

static void put_task(FILE *out, const struct task *t)
{
	fprintf(out, "%s (pid %" PRIu32, t->comm[0] ? t->comm : "[no name]", t->tgid);
	if (t->tid)
		fprintf(out, " tid %" PRIu32, t->tid);
	fputc(')', out);
}

static void put_waker(FILE *out, const struct pair *pair)
{
	if (pair->waker_is == WAKER_NONE)
		fputs("[waited for a CPU]", out);
	else if (pair->waker_is == WAKER_UNKNOWN)
		fputs("[not known]", out);
	else if (pair->waker.context == KFLAME_CTX_IRQ)
		fputs("[an interrupt]", out);
	else if (pair->waker.context == KFLAME_CTX_SOFTIRQ)
		fputs("[a softirq]", out);
	else if (pair->waker.context == KFLAME_CTX_IDLE)
		fputs("[the idle task]", out);
	else
		put_task(out, &pair->waker);
}

/*
 * With --wall a pair may be a thread that ran.
 *
 * Return: a new string such as "reader (pid 7) <- writer (pid 8)" or "reader (pid 7) [ran]"; NULL without memory
 */
static char *pair_text(struct roots *r, const struct pair *pair)
{
	const char *name;
	char *text;
	size_t len;
	bool failed;
	FILE *out;

	if (origin_name(r, pair->origin, &name))
		return NULL;
	out = open_memstream(&text, &len);
	if (!out)
		return NULL;
	put_task(out, &pair->waiter);
	if (pair->waker_is == WAKER_OF_NO_WAIT) {
		fputs(" [ran]", out);
	} else {
		fputs(" <- ", out);
		put_waker(out, pair);
	}
	if (name)
		fprintf(out, " of %s", name);
	failed = ferror(out);
	if (!fclose(out) && !failed)
		return text;
	free(text);
	return NULL;
}

static int pair_frame(struct roots *r, const struct profile_count *c, struct frame *out)
{
	const struct pair pair = pair_of(r->p, c);
	const uint64_t hash = hash_bytes(0, &pair, sizeof(pair));
	uint32_t at = index_find(&r->pair_index, hash, same_pair, r, &pair);
	char *text;
	int err = 0;

	if (at == INDEX_NONE) {
		at = (uint32_t)r->nr;
		err = grow(&r->texts, r->nr, &r->cap, sizeof(*r->texts));
		if (!err)
			err = grow(&r->pairs, r->nr, &r->cap_pairs, sizeof(*r->pairs));
		text = err ? NULL : pair_text(r, &pair);
		if (!text)
			return -ENOMEM;
		r->pairs[at] = pair;
		r->texts[r->nr++] = text;
		err = index_add(&r->pair_index, hash, at);
	}
	out->name = r->texts[at];
	return err;
}

/* A root frame that needs no new text.  Return: its name; NULL for other kinds of roots */
static const char *known_name(const struct roots *r, const struct profile_count *c)
{
	const struct profile_event *e;
	const char *name = NULL;

	switch (r->by) {
	case STACK_ROOT_HOST:
		name = profile_count_host(r->p, c);
		break;
	case STACK_ROOT_RUN:
		name = profile_count_run(r->p, c);
		break;
	case STACK_ROOT_STATE:
		return state_name(c->context);
	case STACK_ROOT_EVENT:
		e = profile_find_event(r->p, c->event);
		name = e ? e->name : NULL;
		break;
	case STACK_ROOT_LABEL:
		name = profile_label(r->p, c);
		return name ? name : "[no label]";
	default:
		return NULL;
	}
	return name && *name ? name : "[unknown]";
}

int roots_frame(struct roots *r, const struct profile_count *c, struct frame *out)
{
	uint64_t key;
	uint32_t at;
	int err;

	*out = (struct frame){ .name = known_name(r, c), .kind = FRAME_ROOT };
	if (out->name)
		return 0;
	if (r->by == STACK_ROOT_WAKER)
		return pair_frame(r, c, out);
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
