// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge.c - adds profiles up, one after the other
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/message.h"
#include "profile/merge.h"
#include "profile/private.h"

struct merge *merge_create(const struct merge_how *how)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->how = *how;
	m->sum = profile_create();
	if (m->sum)
		return m;
	free(m);
	return NULL;
}

static void forget_input(struct merge *m)
{
	idmap_exit(&m->in.files);
	idmap_exit(&m->in.origins);
	idmap_exit(&m->in.aspaces);
	idmap_exit(&m->in.kstacks);
	idmap_exit(&m->in.ustacks);
	idmap_exit(&m->in.wakers);
	memset(&m->in, 0, sizeof(m->in));
}

void merge_destroy(struct merge *m)
{
	if (!m)
		return;
	forget_input(m);
	profile_destroy(m->sum);
	records_exit(&m->r);
	free(m->first);
	free(m->host);
	free(m->command);
	intern_exit(&m->head_hosts);
	intern_exit(&m->hosts);
	intern_exit(&m->origins);
	intern_exit(&m->kernels);
	intern_exit(&m->texts);
	intern_exit(&m->labels);
	intern_exit(&m->functions);
	intern_exit(&m->pathless);
	index_exit(&m->file_index);
	index_exit(&m->slot_index);
	index_exit(&m->jit_index);
	index_exit(&m->aspace_index);
	index_exit(&m->ksym_index);
	index_exit(&m->symbol_index);
	index_exit(&m->cgroup_index);
	free(m->files);
	free(m->slots);
	for (size_t i = 0; i < m->nr_jits; i++)
		free(m->jits[i].name);
	free(m->jits);
	idmap_exit(&m->mapped);
	free(m->aspaces);
	free(m->ksyms);
	free(m->symbols);
	idmap_exit(&m->cgroup_hosts);
	for (size_t i = 0; i < KFLAME_MAX_EVENTS; i++)
		for (size_t group = 0; group < KFLAME_NR_GROUPS; group++)
			free(m->histograms[i][group]);
	free(m);
}

int merge_take(struct merge *m)
{
	int err = m->r.failed ? -ENOMEM : 0;

	for (size_t at = 0; !err && at < m->r.len;) {
		const struct kflame_rec *rec = (const void *)(m->r.data + at);

		err = profile_take(m->sum, rec);
		at += rec->size;
	}
	m->r.len = 0;
	return err;
}

/* ---------------------------------------------------------------- stacks and wakers */

/* A label is the first frame of a record, as in a stream.  Return: 0 or -ENOMEM */
static int put_label(struct merge *m, uint32_t label, uint64_t *ip)
{
	const char *name = m->in.p->labels[label].name;
	bool added;
	const uint32_t id = intern_bytes(&m->labels, name ? name : "", name ? strlen(name) : 0, &added);

	if (id == INDEX_NONE)
		return -ENOMEM;
	/* A stack may name a label that is not there. */
	if (added && name)
		records_label(&m->r, id + 1, name);
	*ip = KFLAME_LABEL | (id + 1);
	return merge_take(m);
}

static int translate_kernel(struct merge *m, const struct profile_stack *s, uint64_t *ip, uint32_t *made)
{
	const uint32_t first = s->label != PROFILE_NONE;
	struct profile_stack given = { .kind = s->kind, .end = s->end, .candidate = s->candidate, .nr = s->nr + first };
	int err = first ? put_label(m, s->label, ip) : 0;

	if (given.candidate != KFLAME_NO_CANDIDATE)
		given.candidate += first;
	for (uint32_t i = 0; !err && i < s->nr; i++)
		err = merge_kernel_address(m, profile_stack_ip(s, i), i > 0, &ip[first + i]);
	if (err)
		return err;
	if (first && s->nr)
		ip[1]++;
	given.pc = given.nr ? ip[0] : 0;
	given.callers = ip + !!given.nr;
	err = profile_split_label(m->sum, &given);
	return err ? err : profile_intern_stack(m->sum, &given, made);
}

static int kernel_stack(struct merge *m, uint32_t stack, uint32_t *made)
{
	const struct profile_stack *s;
	uint64_t *ip;
	int err;

	*made = stack;
	if (stack >= m->in.p->nr_stacks)
		return 0;
	*made = idmap_find(&m->in.kstacks, stack);
	if (*made != INDEX_NONE)
		return 0;
	s = &m->in.p->stacks[stack];
	ip = malloc((s->nr + 2) * sizeof(*ip));
	err = ip ? translate_kernel(m, s, ip, made) : -ENOMEM;
	free(ip);
	return err ? err : idmap_set(&m->in.kstacks, stack, *made);
}

static int waker_of(struct merge *m, uint32_t waker, uint32_t *made)
{
	const uint64_t key = (uint64_t)m->in.host << 32 | waker;
	struct profile_waker w;
	uint32_t from;
	int err;

	*made = waker;
	if (waker >= m->in.p->nr_wakers)
		return 0;
	*made = idmap_find(&m->in.wakers, key);
	if (*made != INDEX_NONE)
		return 0;
	w = m->in.p->wakers[waker];
	from = w.aspace;
	err = merge_aspace(m, from, &w.aspace);
	if (!err)
		err = merge_user_stack(m, from, w.aspace, w.ustack, &w.ustack);
	if (!err)
		err = kernel_stack(m, w.kstack, &w.kstack);
	if (!err)
		err = profile_intern_waker(m->sum, &w, made);
	return err ? err : idmap_set(&m->in.wakers, key, *made);
}

/* ---------------------------------------------------------------- origins and counts */

/* The window in which a recording began */
static void put_window(FILE *out, const struct profile *p, uint64_t window_ns)
{
	const uint64_t ns = profile_began(p);
	const time_t at = (time_t)((ns - ns % window_ns) / 1000000000);
	struct tm tm;
	char text[40];

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &tm));
	fprintf(out, "run=%s%c", text, 0);
}

static void put_run(FILE *out, const struct merge *m, const struct profile_count *c)
{
	const char *run = profile_count_run(m->in.p, c);

	if (m->how.no_runs)
		return;
	if (m->how.window_ns && !run)
		put_window(out, m->in.p, m->how.window_ns);
	else if (m->how.window_ns)
		fprintf(out, "run=%s%c", run, 0);
	else
		fprintf(out, "run=%s%s%s%c", m->in.name, run ? ": " : "", run ? run : "", 0);
}

static void put_if_label(FILE *out, const char *text)
{
	if (!strncmp(text, PROFILE_LABEL_KEY, sizeof(PROFILE_LABEL_KEY) - 1))
		fprintf(out, "%s%c", text, 0);
}

static void put_labels(FILE *out, const struct profile *p, const struct profile_count *c)
{
	if (c->origin) {
		const struct profile_origin *o = &p->origins[c->origin - 1];

		for (const char *at = o->text; at < o->text + o->len; at += strlen(at) + 1)
			put_if_label(out, at);
	}
	for (size_t i = 0; !c->origin && i < p->nr_host; i++)
		put_if_label(out, p->host[i]);
}

/* Finds or adds the origin of a count.  Return: 0, -EOVERFLOW after a message, or -ENOMEM */
static int add_origin(struct merge *m, const struct profile_count *c, uint32_t *to)
{
	const char *host = profile_count_host(m->in.p, c);
	bool added = false;
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);
	int err = 0;

	if (!f)
		return -ENOMEM;
	if (host)
		fprintf(f, "host=%s%c", host, 0);
	put_run(f, m, c);
	put_labels(f, m->in.p, c);
	if (fclose(f)) {
		free(text);
		return -ENOMEM;
	}
	*to = intern_bytes(&m->origins, text, len, &added);
	if (*to == INDEX_NONE)
		err = -ENOMEM;
	else if (added)
		err = profile_add_origin(m->sum, text, len);
	free(text);
	if (err == -EBADMSG) {
		complain("with %s, these are more than %u runs: --by-time adds up the runs of a host in each window of time, and --no-runs all runs of a host",
			 m->in.name, PROFILE_MAX_ORIGINS);
		return -EOVERFLOW;
	}
	return err;
}

static int origin_of(struct merge *m, const struct profile_count *c, uint32_t *to)
{
	const char *host;
	int err = 0;

	/* Nearly all inputs have one origin. */
	*to = m->in.last_to;
	if (*to && m->in.last_origin == c->origin)
		return 0;
	host = profile_count_host(m->in.p, c);
	*to = idmap_find(&m->in.origins, c->origin);
	if (*to == INDEX_NONE) {
		err = add_origin(m, c, to);
		if (!err)
			err = idmap_set(&m->in.origins, c->origin, *to);
	}
	if (err)
		return err;
	++*to;
	m->in.host = intern_bytes(&m->hosts, host ? host : "", host ? strlen(host) : 0, NULL);
	m->in.last_origin = c->origin;
	m->in.last_to = *to;
	return m->in.host == INDEX_NONE ? -ENOMEM : 0;
}

static int add_count(struct merge *m, const struct profile_count *from)
{
	struct profile_count c = *from;
	uint32_t at;
	int err = origin_of(m, from, &c.origin);

	if (!err)
		err = merge_aspace(m, from->aspace, &c.aspace);
	if (!err)
		err = merge_user_stack(m, from->aspace, c.aspace, from->ustack, &c.ustack);
	if (!err)
		err = kernel_stack(m, from->kstack, &c.kstack);
	if (!err)
		err = waker_of(m, from->waker, &c.waker);
	if (err)
		return err;
	c.cpu = 0;
	c.event = merge_event_id(m, m->in.p, from->event);
	/* Idle CPUs and gaps belong to no thread: the name of the idle thread has the CPU's number. */
	if (c.context == KFLAME_CTX_IDLE || c.context == KFLAME_CTX_GAP)
		memcpy(memset(c.comm, 0, sizeof(c.comm)), "swapper", sizeof("swapper"));
	err = profile_add_count(m->sum, &c, &at);
	if (err == -EBADMSG) {
		complain("with %s, the counts do not fit in 64 bits", m->in.name);
		return -EOVERFLOW;
	}
	return err;
}

/* ---------------------------------------------------------------- inputs */

static int refuse(const struct merge *m, const struct profile *p, const char *name)
{
	const uint64_t first = m->sum->session.period_ns;

	if (!m->inputs || m->how.any_period || p->session.period_ns == first)
		return 0;
	complain("%s has a sample every %" PRIu64 " ns, %s every %" PRIu64 " ns, so a sample stands for a different time in each. --any-period adds them up: then look at times (--time), not at samples",
		 m->first, first, name, (uint64_t)p->session.period_ns);
	return -EINVAL;
}

static int add_events(struct merge *m, const struct profile *p, const char *name)
{
	const int err = merge_events_add(m, p);

	if (err == -E2BIG) {
		complain("with %s, these are profiles of more than %d events: leave some out", name,
			 KFLAME_MAX_EVENTS);
		return -EOVERFLOW;
	}
	if (err == -EDOM) {
		complain("with %s, an event of one name has different weights, such as latencies and values (--weight): merge only profiles with the same weight",
			 name);
		return -EINVAL;
	}
	return err;
}

static void begin_input(struct merge *m, const struct profile *p, const char *name)
{
	const char *base = profile_host(p, "kernel-base");

	m->in.p = p;
	m->in.name = name;
	m->in.kernel_base = base ? strtoull(base, NULL, 0) : 0;
	for (size_t i = 0; i < p->nr_sources && !m->in.has_kernel_lines; i++)
		m->in.has_kernel_lines = p->sources[i].file == PROFILE_KERNEL;
	m->in.kernel = merge_kernel_of(m, p);
}

int merge_add(struct merge *m, const struct profile *p, const char *name)
{
	int err = refuse(m, p, name);

	if (!err && !m->inputs) {
		m->first = strdup(name);
		err = m->first ? 0 : -ENOMEM;
	}
	if (!err)
		err = add_events(m, p, name);
	if (err)
		return err;
	begin_input(m, p, name);
	err = m->in.kernel == INDEX_NONE ? -ENOMEM : merge_head_add(m, p);
	for (size_t i = 0; !err && i < p->nr_counts; i++)
		err = add_count(m, &p->counts[i]);
	forget_input(m);
	m->inputs++;
	return err;
}

struct profile *merge_finish(struct merge *m)
{
	struct profile *p = m->sum;
	int err = m->inputs ? merge_head_finish(m) : -ENODATA;

	if (!err)
		err = merge_events_finish(m);
	if (!err) {
		profile_sort_symbols(&p->ksyms);
		for (size_t i = 0; i < p->nr_files; i++)
			profile_sort_symbols(&p->files[i].syms);
		for (size_t i = 0; i < p->nr_aspaces; i++)
			profile_sort_symbols(&p->aspaces[i].syms);
		p->state = PROFILE_WHOLE;
		m->sum = NULL;
	}
	merge_destroy(m);
	return err ? NULL : p;
}
