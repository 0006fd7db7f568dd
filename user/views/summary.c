// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * summary.c - computes the key figures of a profile
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/waits.h"
#include "views/summary.h"

static uint64_t duration(const struct profile *p)
{
	uint64_t longest = 0;

	if (p->has_session && p->has_stats && p->stats.stop_ns > p->session.start_ns)
		return p->stats.stop_ns - p->session.start_ns;
	for (size_t i = 0; i < p->nr_cpus; i++)
		if (p->cpus[i].active_ns > longest)
			longest = p->cpus[i].active_ns;
	return longest;
}

static void add_count(struct summary *s, const struct profile_count *c)
{
	unsigned int last = SUMMARY_CONTEXTS - 1;
	const uint32_t context = wait_state(c->context);
	struct weight *w = &s->contexts[context < last ? context : last];

	w->samples += c->samples;
	w->ns += c->weight_ns;
	if (!strcmp(c->comm, "kflame"))
		weight_add(&s->own, &(struct weight){ c->samples, c->weight_ns });
	if (c->context & KFLAME_CTX_STILL)
		s->still_ns += c->weight_ns;
}

static void add_lost(struct summary *s, const struct kflame_cpu *cpus, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (int cause = 0; cause < KFLAME_NR_LOST; cause++)
			s->lost[cause] += cpus[i].lost[cause];
}

void summary_make(struct summary *s, const struct profile *p, const struct tree *t)
{
	*s = (struct summary){
		.duration_ns = duration(p),
		.from_ns = p->span.from_ns,
		.to_ns = p->span.to_ns,
		.cpus = p->nr_cpus ? p->nr_cpus : p->session.nr_cpus,
		.counted = { p->samples, p->weight_ns },
		.idle = tree_idle(t),
		.late_ns = p->late_ns,
		.waits = profile_shows_waits(p),
		.wall = p->wall,
		.latency = profile_shows_latency(p),
		.event = p->wall ? "wall" : p->event ? p->event->name : NULL,
		.what = profile_counted(p),
	};
	if (!s->what && !s->waits && !s->latency && p->has_session && p->session.period_ns)
		s->rate_hz = scale(1000000000, 1, p->session.period_ns);
	for (size_t i = 0; i < p->nr_counts; i++)
		add_count(s, &p->counts[i]);
	s->gap_ns = s->contexts[KFLAME_CTX_GAP].ns;
	for (size_t i = 0; i < p->nr_cpus; i++)
		s->missed += p->cpus[i].missed;
	add_lost(s, p->cpus, p->nr_cpus);
	for (size_t i = 0; p->wall && i < p->nr_events; i++)
		if (p->events[i].kind == KFLAME_EVENT_OFFCPU)
			add_lost(s, p->events[i].cpus, p->events[i].nr_cpus);
}

const char *summary_context_name(unsigned int context)
{
	static const char *const names[SUMMARY_CONTEXTS] = {
		[KFLAME_CTX_TASK] = "tasks", [KFLAME_CTX_SOFTIRQ] = "softirqs",
		[KFLAME_CTX_IDLE] = "idle", [KFLAME_CTX_GAP] = "gaps",
		[KFLAME_CTX_GUEST] = "guests",
		[SUMMARY_CONTEXTS - 1] = "others",
	};

	return wait_name(context) ? wait_name(context) : names[context];
}

const char *summary_context_key(unsigned int context)
{
	return wait_key(context) ? wait_key(context) : summary_context_name(context);
}

bool summary_has_context(const struct summary *s, unsigned int context)
{
	return s->wall || context == SUMMARY_CONTEXTS - 1 || !wait_name(context) == !s->waits;
}

const char *summary_lost_name(unsigned int cause)
{
	static const char *const names[KFLAME_NR_LOST] = {
		[KFLAME_LOST_FILTER] = "not asked for (filter)",
		[KFLAME_LOST_IDLE] = "idle, not asked for",
		[KFLAME_LOST_TABLE] = "table full",
		[KFLAME_LOST_STACKS] = "no room for the stack",
		[KFLAME_LOST_NOREGS] = "no registers",
		[KFLAME_LOST_NESTED] = "nested",
		[KFLAME_LOST_ARCHIVE] = "archive full",
		[KFLAME_LOST_RING] = "ring full",
		[KFLAME_LOST_WAITS] = "too many threads or calls",
	};

	return cause < KFLAME_NR_LOST && names[cause] ? names[cause] : "another cause";
}

bool summary_is_chosen(unsigned int cause)
{
	return cause == KFLAME_LOST_FILTER || cause == KFLAME_LOST_IDLE || cause == KFLAME_LOST_LENGTH;
}

uint64_t summary_lost(const struct summary *s)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++)
		if (!summary_is_chosen(i))
			sum += s->lost[i];
	return sum;
}

char *summary_title(const struct profile *p)
{
	const char *command = profile_host(p, "command");
	const char *host = profile_host(p, "host");
	const char *event = p->wall ? "wall" : profile_shows_lengths(p) ? p->event->name : NULL;
	char *title;

	if (asprintf(&title, "%s%s%s%s%s", host ? host : "Flame graph", command ? ": " : "",
		     command ? command : "", event ? ", " : "", event ? event : "") < 0)
		return NULL;
	/* The argument of sh -c may have several lines: make it one */
	for (char *c = title; *c; c++)
		if (*c == '\n' || *c == '\t')
			*c = ' ';
	return title;
}

char *summary_line(const struct summary *s)
{
	char buf[TEXT_NUMBER];
	size_t size;
	char *line;
	FILE *f = open_memstream(&line, &size);

	if (!f)
		return NULL;
	if (summary_is_in_time(s))
		fprintf(f, "%s, ", s->event);
	if (s->rate_hz)
		fprintf(f, "%s Hz, ", text_count(buf, s->rate_hz));
	if (s->duration_ns)
		fprintf(f, "%s, ", text_seconds(buf, s->duration_ns));
	if (s->to_ns)
		fprintf(f, "from %s ", text_seconds(buf, s->from_ns));
	if (s->to_ns)
		fprintf(f, "to %s, ", text_seconds(buf, s->to_ns));
	if (s->cpus)
		fprintf(f, "%s CPU%s, ", text_count(buf, s->cpus), s->cpus == 1 ? "" : "s");
	if (s->waits || s->wall)
		fprintf(f, "%s of %swaiting", text_seconds(buf, s->counted.ns), s->wall ? "running and " : "");
	else if (s->latency)
		fprintf(f, "%s in calls", text_ms(buf, s->counted.ns));
	else
		fprintf(f, "%s %s", text_count(buf, s->counted.samples),
			s->what ? s->what : s->counted.samples == 1 ? "sample" : "samples");
	if (summary_lost(s))
		fprintf(f, ", %s lost", text_count(buf, summary_lost(s)));
	if (fclose(f)) {
		free(line);
		return NULL;
	}
	return line;
}
