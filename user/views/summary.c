// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * summary.c - computes the key figures of a profile
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
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
	struct weight *w = &s->contexts[c->context < last ? c->context : last];

	w->samples += c->samples;
	w->ns += c->weight_ns;
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
		.what = profile_counted(p),
	};
	if (!s->what && p->has_session && p->session.period_ns)
		s->rate_hz = scale(1000000000, 1, p->session.period_ns);
	for (size_t i = 0; i < p->nr_counts; i++)
		add_count(s, &p->counts[i]);
	s->gap_ns = s->contexts[KFLAME_CTX_GAP].ns;
	for (size_t i = 0; i < p->nr_cpus; i++) {
		s->missed += p->cpus[i].missed;
		for (int cause = 0; cause < KFLAME_NR_LOST; cause++)
			s->lost[cause] += p->cpus[i].lost[cause];
	}
}

const char *summary_context_name(unsigned int context)
{
	static const char *const names[SUMMARY_CONTEXTS] = {
		[KFLAME_CTX_TASK] = "tasks", [KFLAME_CTX_SOFTIRQ] = "softirqs",
		[KFLAME_CTX_IDLE] = "idle", [KFLAME_CTX_GAP] = "gaps",
		[KFLAME_CTX_GUEST] = "guests",
		[SUMMARY_CONTEXTS - 1] = "others",
	};

	return names[context];
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
	};

	return cause < KFLAME_NR_LOST && names[cause] ? names[cause] : "another cause";
}

uint64_t summary_lost(const struct summary *s)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++)
		if (i != KFLAME_LOST_FILTER && i != KFLAME_LOST_IDLE)
			sum += s->lost[i];
	return sum;
}

char *summary_title(const struct profile *p)
{
	const char *command = profile_host(p, "command");
	const char *host = profile_host(p, "host");
	char *title;

	if (asprintf(&title, "%s%s%s", host ? host : "Flame graph", command ? ": " : "",
		     command ? command : "") < 0)
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
