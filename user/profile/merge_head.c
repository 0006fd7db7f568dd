// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge_head.c - merges the records that describe whole recordings
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "profile/merge.h"

static const char *host_of(const struct profile *p)
{
	const char *host = profile_host(p, "host");

	return host ? host : "";
}

/* The text that all inputs have for a key; NULL if texts differ or an input has none */
static const char *common(const struct merge_input *in, size_t nr, const char *key)
{
	const char *first = profile_host(in[0].p, key);

	for (size_t i = 1; first && i < nr; i++) {
		const char *other = profile_host(in[i].p, key);

		if (!other || strcmp(first, other))
			return NULL;
	}
	return first;
}

static size_t count_hosts(const struct merge_input *in, size_t nr)
{
	size_t hosts = 0;

	for (size_t i = 0; i < nr; i++) {
		size_t k = 0;

		while (k < i && strcmp(host_of(in[k].p), host_of(in[i].p)))
			k++;
		hosts += k == i;
	}
	return hosts;
}

static void put_host(struct merge *m, const struct merge_input *in, size_t nr)
{
	const char *host = common(in, nr, "host"), *command = common(in, nr, "command");
	const size_t hosts = count_hosts(in, nr);
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);

	if (!f) {
		m->r.failed = true;
		return;
	}
	if (host)
		fprintf(f, "host=%s%c", host, 0);
	else
		fprintf(f, "host=%zu host%s%c", hosts, text_plural(hosts), 0);
	if (command)
		fprintf(f, "command=%s%c", command, 0);
	/* "tool" says that the names were looked up, so that a reader does not look them up again. */
	fprintf(f, "tool=%s%c", kflame_version, 0);
	if (fclose(f))
		m->r.failed = true;
	else
		records_host(&m->r, text, len);
	free(text);
}

/* Sets @all to "several" if @one differs from it */
static void join(__u8 *all, const __u8 *one, size_t size)
{
	if (memcmp(all, one, size)) {
		memset(all, 0, size);
		memcpy(all, "several", sizeof("several"));
	}
}

static uint64_t duration(const struct profile *p)
{
	if (!p->has_session || !p->has_stats || p->stats.stop_ns < p->session.start_ns)
		return 0;
	return p->stats.stop_ns - p->session.start_ns;
}

/* From the first start to the last end, by wall-clock time: monotonic clocks of machines differ */
static void put_session(struct merge *m, const struct merge_input *in, size_t nr)
{
	struct kflame_rec_stats stats = { .rec.type = KFLAME_REC_STATS };
	struct kflame_rec_session s = in[0].p->session;
	uint64_t end = 0;

	s.rec.type = KFLAME_REC_SESSION;
	s.nr_cpus = 0;
	for (size_t i = 0; i < nr; i++) {
		const struct kflame_rec_session *one = &in[i].p->session;
		uint64_t stop = one->start_realtime_ns + duration(in[i].p);

		s.flags |= one->flags;
		s.events &= one->events;
		s.nr_cpus = s.nr_cpus > one->nr_cpus ? s.nr_cpus : one->nr_cpus;
		if (one->start_realtime_ns < s.start_realtime_ns)
			s.start_realtime_ns = one->start_realtime_ns;
		if (stop > end)
			end = stop;
		if (one->period_ns != s.period_ns)
			s.asked_period_ns = s.period_ns = 0;
		join(s.release, one->release, sizeof(s.release));
		join(s.machine, one->machine, sizeof(s.machine));
		join(s.version, one->version, sizeof(s.version));
		for (unsigned int k = 0; k < KFLAME_NR_STATS; k++)
			stats.count[k] += in[i].p->stats.count[k];
	}
	/* The monotonic clocks of machines differ, so the times of samples are not merged. */
	s.flags &= ~KFLAME_CF_TIMELINE;
	stats.count[KFLAME_STAT_ORDERED] = stats.count[KFLAME_STAT_ORDER_FULL] = 0;
	stats.stop_ns = s.start_ns + (end - s.start_realtime_ns);
	records_add(&m->r, &s, sizeof(s), NULL, 0);
	records_add(&m->r, &stats, sizeof(stats), NULL, 0);
}

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

/* For each CPU number, adds up the accounting of all inputs that have this CPU */
static void put_books(struct merge *m, const struct merge_input *in, size_t nr)
{
	size_t *next = calloc(nr, sizeof(*next));

	if (!next) {
		m->r.failed = true;
		return;
	}
	for (;;) {
		struct kflame_rec_cpu sum = { .rec.type = KFLAME_REC_CPU, .books.cpu = UINT32_MAX };
		bool any = false;

		for (size_t i = 0; i < nr; i++)
			if (next[i] < in[i].p->nr_cpus &&
			    (!any || in[i].p->cpus[next[i]].cpu < sum.books.cpu)) {
				sum.books.cpu = in[i].p->cpus[next[i]].cpu;
				any = true;
			}
		if (!any)
			break;
		for (size_t i = 0; i < nr; i++)
			if (next[i] < in[i].p->nr_cpus &&
			    in[i].p->cpus[next[i]].cpu == sum.books.cpu)
				merge_add_books(&sum.books, &in[i].p->cpus[next[i]++]);
		records_add(&m->r, &sum, sizeof(sum), NULL, 0);
	}
	free(next);
}

void merge_head(struct merge *m, const struct merge_input *in, size_t nr)
{
	put_session(m, in, nr);
	put_host(m, in, nr);
	put_books(m, in, nr);
	merge_put_events(m, in, nr);
}
