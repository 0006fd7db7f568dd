// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge_head.c - merges the records that describe whole recordings
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "profile/merge.h"
#include "profile/private.h"

void merge_add_books(struct kflame_cpu *sum, const struct kflame_cpu *c)
{
	sum->samples += c->samples;
	sum->counted += c->counted;
	sum->missed += c->missed;
	sum->weight_ns += c->weight_ns;
	sum->counted_ns += c->counted_ns;
	sum->active_ns += c->active_ns;
	/* Unsigned, because damaged values may be so large that the sum wraps. */
	sum->head_ns = (__s64)((uint64_t)sum->head_ns + (uint64_t)c->head_ns);
	sum->tail_ns = (__s64)((uint64_t)sum->tail_ns + (uint64_t)c->tail_ns);
	sum->stretches += c->stretches;
	sum->handler_ns += c->handler_ns;
	if (c->handler_max_ns > sum->handler_max_ns)
		sum->handler_max_ns = c->handler_max_ns;
	if (c->period_ns > sum->period_ns)
		sum->period_ns = c->period_ns;
	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++) {
		sum->lost[i] += c->lost[i];
		sum->lost_ns[i] += c->lost_ns[i];
	}
}

/* Keeps a text if all inputs have it.  Return: 0 or -ENOMEM. */
static int keep_common(const struct merge *m, char **all, const char *one)
{
	if (!m->inputs) {
		*all = one ? strdup(one) : NULL;
		return one && !*all ? -ENOMEM : 0;
	}
	if (*all && (!one || strcmp(*all, one))) {
		free(*all);
		*all = NULL;
	}
	return 0;
}

static int add_host(struct merge *m, const struct profile *p)
{
	const char *host = profile_host(p, "host");
	int err = keep_common(m, &m->host, host);

	if (!err)
		err = keep_common(m, &m->command, profile_host(p, "command"));
	if (!err && intern_bytes(&m->head_hosts, host ? host : "", host ? strlen(host) : 0, NULL) == INDEX_NONE)
		err = -ENOMEM;
	return err;
}

static int finish_host(struct merge *m)
{
	const size_t hosts = m->head_hosts.nr;
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return -ENOMEM;
	if (m->host)
		fprintf(f, "host=%s%c", m->host, 0);
	else
		fprintf(f, "host=%zu host%s%c", hosts, text_plural(hosts), 0);
	if (m->command)
		fprintf(f, "command=%s%c", m->command, 0);
	/* "tool" says that the names were looked up, so that a reader does not look them up again. */
	fprintf(f, "tool=%s%c", kflame_version, 0);
	if (fclose(f))
		m->r.failed = true;
	else
		records_host(&m->r, text, len);
	free(text);
	return merge_take(m);
}

/* Sets @all to "several" if @one differs from it */
static void join(__u8 *all, const __u8 *one, size_t size)
{
	if (memcmp(all, one, size)) {
		memset(all, 0, size);
		memcpy(all, "several", sizeof("several"));
	}
}

/* From the first start to the last end, by wall-clock time: monotonic clocks of machines differ */
static void add_session(struct merge *m, const struct profile *p)
{
	struct kflame_rec_session *s = &m->sum->session;
	const struct kflame_rec_session *one = &p->session;
	const uint64_t start = profile_began(p), stop = profile_ended(p);

	if (!m->inputs) {
		*s = *one;
		s->rec = (struct kflame_rec){ .type = KFLAME_REC_SESSION, .size = sizeof(*s) };
		s->start_realtime_ns = start;
	}
	s->flags |= one->flags;
	s->events &= one->events;
	if (one->nr_cpus > s->nr_cpus)
		s->nr_cpus = one->nr_cpus;
	if (start < s->start_realtime_ns)
		s->start_realtime_ns = start;
	if (stop > m->end_ns)
		m->end_ns = stop;
	if (one->period_ns != s->period_ns)
		s->asked_period_ns = s->period_ns = 0;
	join(s->release, one->release, sizeof(s->release));
	join(s->machine, one->machine, sizeof(s->machine));
	join(s->version, one->version, sizeof(s->version));
	for (unsigned int k = 0; k < KFLAME_NR_STATS; k++)
		m->sum->stats.count[k] += p->stats.count[k];
}

/* For each CPU number, adds up the accounting of all inputs that have this CPU */
static int add_books(struct profile *sum, const struct profile *p)
{
	size_t at = 0;

	for (size_t i = 0; i < p->nr_cpus; i++) {
		const uint32_t cpu = p->cpus[i].cpu;
		const struct kflame_cpu none = { .cpu = cpu };
		int err;

		while (at < sum->nr_cpus && sum->cpus[at].cpu < cpu)
			at++;
		if (at == sum->nr_cpus || sum->cpus[at].cpu != cpu) {
			err = profile_add_cpu(&sum->cpus, &sum->nr_cpus, &sum->cap_cpus, &none);
			/* The numbers of CPUs are more than Linux has: the counts are kept. */
			if (err == -EBADMSG)
				return 0;
			if (err)
				return err;
		}
		merge_add_books(&sum->cpus[at], &p->cpus[i]);
	}
	return 0;
}

int merge_head_add(struct merge *m, const struct profile *p)
{
	int err = add_host(m, p);

	if (!err)
		err = add_books(m->sum, p);
	if (!err)
		add_session(m, p);
	return err;
}

int merge_head_finish(struct merge *m)
{
	struct profile *sum = m->sum;

	/* The monotonic clocks of machines differ, so the times of samples are not merged. */
	sum->session.flags &= ~KFLAME_CF_TIMELINE;
	sum->stats.count[KFLAME_STAT_ORDERED] = sum->stats.count[KFLAME_STAT_ORDER_FULL] = 0;
	sum->stats.stop_ns = sum->session.start_ns + (m->end_ns - sum->session.start_realtime_ns);
	sum->stats.rec = (struct kflame_rec){ .type = KFLAME_REC_STATS, .size = sizeof(sum->stats) };
	sum->has_session = sum->has_stats = true;
	return finish_host(m);
}
