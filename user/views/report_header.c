// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_header.c - writes what was recorded, and all counters
 */
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "profile/waits.h"
#include "views/report_text.h"
#include "views/trust.h"

static void print_date(FILE *out, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	char date[64];
	struct tm tm;

	if (realtime_ns && gmtime_r(&seconds, &tm) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &tm))
		fprintf(out, ", %s", date);
}

void report_put_host(FILE *out, const struct profile *p)
{
	const char *host = profile_host(p, "host");
	const char *command = profile_host(p, "command");

	fputs("host     ", out);
	text_put(out, host ? host : "(unknown)");
	if (p->has_session) {
		fputs(", Linux ", out);
		text_put(out, (const char *)p->session.release);
		putc(' ', out);
		text_put(out, (const char *)p->session.machine);
		print_date(out, p->session.start_realtime_ns);
	}
	putc('\n', out);
	if (command) {
		fputs("command  ", out);
		text_put(out, command);
		putc('\n', out);
	}
}

/* The profile also has samples of kflame itself: report them.  --no-self leaves them out */
static void print_own(FILE *out, const struct summary *s)
{
	const bool in_time = summary_is_in_time(s);
	const enum tree_unit unit = in_time ? TREE_NS : TREE_SAMPLES;
	const uint64_t own = tree_weight(&s->own, unit);
	const uint64_t busy = tree_weight(&s->counted, unit) - tree_weight(&s->idle, unit);
	char buf[TEXT_NUMBER];

	if (own < busy / 100 || !own)
		return;
	if (in_time)
		fprintf(out, "itself   %s of the %s is kflame's own (--no-self leaves it out)\n",
			text_percent(buf, own, busy, 1), s->waits ? "waiting" : "time");
	else
		fprintf(out, "itself   %s of the samples of work are kflame's own (--no-self leaves them out)\n",
			text_percent(buf, own, busy, 1));
}

static void print_lost(FILE *out, const struct summary *s)
{
	const char *comma = "";
	char buf[TEXT_NUMBER];

	if (!summary_lost(s))
		return;
	fprintf(out, "lost     %s: ", text_count(buf, summary_lost(s)));
	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++) {
		if (summary_is_chosen(i) || !s->lost[i])
			continue;
		fprintf(out, "%s%s %s", comma, summary_lost_name(i), text_count(buf, s->lost[i]));
		comma = ", ";
	}
	putc('\n', out);
}

static void print_left_out(FILE *out, const struct summary *s)
{
	char buf[TEXT_NUMBER];

	if (s->lost[KFLAME_LOST_FILTER])
		fprintf(out, "filtered %s samples that were not asked for\n",
			text_count(buf, s->lost[KFLAME_LOST_FILTER]));
	if (s->lost[KFLAME_LOST_IDLE])
		fprintf(out, "filtered %s samples of idle CPUs\n",
			text_count(buf, s->lost[KFLAME_LOST_IDLE]));
	if (!s->lost[KFLAME_LOST_LENGTH])
		return;
	text_count(buf, s->lost[KFLAME_LOST_LENGTH]);
	if (s->waits || s->wall)
		fprintf(out, "filtered %s samples of waits that were too short or too long (--min-block, --max-block)\n", buf);
	else
		fprintf(out, "filtered %s returns whose %s (--min, --max)\n", buf,
			s->latency ? "calls were too short or too long" : "values were too small or too large");
}

/* How long threads waited, and with --wall also ran, by state */
static void print_states(FILE *out, const struct summary *s)
{
	const char *before = s->wall ? "spent    " : "waited   ";
	char buf[TEXT_NUMBER];

	for (unsigned int i = 0; i < SUMMARY_CONTEXTS; i++) {
		if (!s->contexts[i].ns)
			continue;
		fprintf(out, "%s%s %s", before, i < SUMMARY_CONTEXTS - 1 ? state_name(i) : summary_context_name(i),
			text_ms(buf, s->contexts[i].ns));
		before = ", ";
	}
	if (*before == ',')
		putc('\n', out);
	if (s->still_ns)
		fprintf(out, "still    %s of that in waits that had not ended\n", text_ms(buf, s->still_ns));
}

/* Of waits that were sampled: how well their times are known. @s has waits */
static void print_sampling(FILE *out, const struct profile *p, const struct summary *s)
{
	char each[TEXT_NUMBER];

	if (p->event->kind != KFLAME_EVENT_SLEEPERS || !s->counted.samples)
		return;
	fprintf(out, "sampled  each look at a waiting thread stands for about %s. Shorter waits may be missing. The time of a stack that was met N times has an error of about 1/sqrt(N)\n",
		text_ms(each, s->counted.ns / s->counted.samples));
}

static void print_contexts(FILE *out, const struct summary *s)
{
	const char *comma = "";
	char buf[TEXT_NUMBER];

	fputs("counted  ", out);
	for (unsigned int i = 0; i < SUMMARY_CONTEXTS; i++) {
		if (!summary_has_context(s, i) || (i == KFLAME_CTX_GUEST && !s->contexts[i].samples))
			continue;
		fprintf(out, "%s%s %s", comma, summary_context_name(i),
			text_count(buf, s->contexts[i].samples));
		comma = ", ";
	}
	putc('\n', out);
}

static void print_missed(FILE *out, const struct summary *s)
{
	char buf[TEXT_NUMBER];

	if (s->missed)
		fprintf(out, "missed   %s expiries of the timer: samples that came late stand for them\n",
			text_count(buf, s->missed));
}

/* Report parts of the profile that could not be used, if there are any */
static void print_damage(FILE *out, const struct profile *p)
{
	char buf[TEXT_NUMBER];

	if (p->damaged)
		fprintf(out, "damaged  %s records, which were skipped\n",
			text_count(buf, p->damaged));
	if (p->unknown)
		fprintf(out, "unknown  %s records of a newer kflame, which were skipped\n",
			text_count(buf, p->unknown));
	if (p->lost_stacks)
		fprintf(out, "damaged  %s counts whose stack is not in the profile\n",
			text_count(buf, p->lost_stacks));
}

/* Events of the profile that the tables do not show */
static void print_other_events(FILE *out, const struct profile *p)
{
	const char *before = "not here ";

	if (!p->event)
		return;
	for (size_t i = 0; i < p->nr_events; i++) {
		const struct profile_event *e = &p->events[i];

		if (e->is_shown)
			continue;
		fprintf(out, "%s%s", before, e->name);
		before = ", ";
	}
	if (*before == ',')
		fputs(" (--event NAME shows one)\n", out);
}

/* How much of the time was idle, late or a gap */
static void print_times(FILE *out, const struct report *r)
{
	const struct summary *s = &r->summary;
	char buf[TEXT_NUMBER];

	fputs("idle     ", out);
	if (!s->wall)
		fprintf(out, "%s of the samples, ", text_percent(buf, s->idle.samples, s->counted.samples, 1));
	fprintf(out, "%s of the time%s\n", text_percent(buf, s->idle.ns, s->counted.ns, 1),
		r->without_idle ? "; not in the tables (--idle counts it in)" : "");
	fprintf(out, "late     %s of the time (interrupts off, or the CPU stolen)",
		text_percent(buf, s->late_ns, s->counted.ns, 1));
	fprintf(out, ", gaps %s\n", text_percent(buf, s->gap_ns, s->counted.ns, 1));
}

/* With --latency, what the time in the tables is */
static void print_latency(FILE *out, const struct profile *p)
{
	const uint64_t tenths = scale(p->ran_ns, 10, p->weight_ns);
	char buf[TEXT_NUMBER], whole[TEXT_NUMBER];

	fprintf(out, "latency  %s in which at least one thread ran, %s.%u threads at once on average; shares are of it\n",
		text_ms(buf, p->weight_ns), text_count(whole, tenths / 10), (unsigned int)(tenths % 10));
}

void report_header(FILE *out, const struct report *r)
{
	const struct profile *p = r->p;
	const struct summary *s = &r->summary;
	char *line = summary_line(s);
	char buf[TEXT_NUMBER];

	trust_put(out, p, s);
	report_put_host(out, p);
	fprintf(out, "%s %s\n", summary_is_in_time(s) ? "recorded" : "sampled ", line ? line : "");
	free(line);
	if (p->event == &p->joint)
		fprintf(out, "events   %s\n", p->event->name);
	if (p->ran_ns)
		print_latency(out, p);
	else if (!s->what && !summary_is_in_time(s))
		fprintf(out, "time     %s, on all CPUs together\n", text_seconds(buf, s->counted.ns));
	if (s->waits || s->wall)
		print_states(out, s);
	else
		print_contexts(out, s);
	if (s->waits)
		print_sampling(out, p, s);
	else
		print_missed(out, s);
	print_own(out, s);
	print_lost(out, s);
	print_left_out(out, s);
	print_other_events(out, p);
	print_damage(out, p);
	if (!s->what && !s->waits && !s->latency && !p->ran_ns)
		print_times(out, r);
	if (r->is_filtered && !p->ran_ns)
		fprintf(out, "filtered out: %s (--include, --exclude, --focus)\n",
			text_percent(buf, tree_weight(&r->dropped, r->o.unit),
				     tree_weight(&s->counted, r->o.unit), 1));
}
