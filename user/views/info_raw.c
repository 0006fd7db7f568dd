// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * info_raw.c - describes the contents of a profile as key=value lines, for programs
 *
 * kflame-info(1) lists the keys. Existing keys must not change.
 */
#include <inttypes.h>

#include "base/text.h"
#include "profile/accounting.h"
#include "profile/waits.h"
#include "views/info.h"

static void number(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, "%s=%" PRIu64 "\n", key, value);
}

static void text(FILE *out, const char *key, const char *value)
{
	if (!value)
		return;
	fprintf(out, "%s=", key);
	text_put(out, value);
	fputc('\n', out);
}

static void print_session(FILE *out, const struct profile *p)
{
	const struct kflame_rec_session *s = &p->session;

	text(out, "release", (const char *)s->release);
	text(out, "machine", (const char *)s->machine);
	text(out, "module", (const char *)s->version);
	number(out, "abi", s->abi);
	number(out, "kway", s->kway);
	number(out, "flags", s->flags);
	number(out, "asked_period_ns", s->asked_period_ns);
	number(out, "period_ns", s->period_ns);
	number(out, "resolution_ns", s->resolution_ns);
	number(out, "start_ns", s->start_ns);
	number(out, "start_realtime_ns", s->start_realtime_ns);
	number(out, "entries", s->entries);
	number(out, "kdepth", s->kdepth);
	number(out, "udepth", s->udepth);
	number(out, "budget_permille", s->budget_permille);
	number(out, "nr_cpus", s->nr_cpus);
	number(out, "events", s->events);
}

static void print_sums(FILE *out, const struct profile *p)
{
	struct books sum;

	books_sum(p->cpus, p->nr_cpus, &sum);
	number(out, "samples", sum.samples);
	number(out, "counted", sum.counted);
	number(out, "missed", sum.missed);
	number(out, "weight_ns", sum.weight_ns);
	number(out, "counted_ns", sum.counted_ns);
	number(out, "active_ns", sum.active_ns);
	number(out, "stretches", sum.stretches);
	number(out, "handler_ns", sum.handler_ns);
	number(out, "handler_max_ns", sum.handler_max_ns);
	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++)
		if (books_lost_key(i)) {
			fprintf(out, "lost.%s=%" PRIu64 "\n", books_lost_key(i), sum.lost[i]);
			fprintf(out, "lost_ns.%s=%" PRIu64 "\n", books_lost_key(i),
				sum.lost_ns[i]);
		}
}

static void print_cpu(FILE *out, const struct kflame_cpu *c)
{
	fprintf(out, "cpu.%u.samples=%llu\n", c->cpu, c->samples);
	fprintf(out, "cpu.%u.counted=%llu\n", c->cpu, c->counted);
	fprintf(out, "cpu.%u.missed=%llu\n", c->cpu, c->missed);
	fprintf(out, "cpu.%u.weight_ns=%llu\n", c->cpu, c->weight_ns);
	fprintf(out, "cpu.%u.counted_ns=%llu\n", c->cpu, c->counted_ns);
	fprintf(out, "cpu.%u.active_ns=%llu\n", c->cpu, c->active_ns);
	fprintf(out, "cpu.%u.head_ns=%lld\n", c->cpu, (long long)c->head_ns);
	fprintf(out, "cpu.%u.tail_ns=%lld\n", c->cpu, (long long)c->tail_ns);
	fprintf(out, "cpu.%u.period_ns=%llu\n", c->cpu, c->period_ns);
	fprintf(out, "cpu.%u.stretches=%llu\n", c->cpu, c->stretches);
	fprintf(out, "cpu.%u.handler_ns=%llu\n", c->cpu, c->handler_ns);
	fprintf(out, "cpu.%u.handler_max_ns=%llu\n", c->cpu, c->handler_max_ns);
	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++)
		if (books_lost_key(i))
			fprintf(out, "cpu.%u.lost.%s=%llu\n", c->cpu, books_lost_key(i),
				c->lost[i]);
}

static void print_waits(FILE *out, const struct profile *p, const struct profile_event *e)
{
	struct info_waits w;

	info_waits(p, e->id, &w);
	for (uint32_t i = 0; i < INFO_STATES; i++)
		if (wait_key(i))
			fprintf(out, "event.%" PRIu32 ".%s_ns=%" PRIu64 "\n", e->id, wait_key(i), w.state_ns[i]);
	fprintf(out, "event.%" PRIu32 ".still_ns=%" PRIu64 "\n", e->id, w.still_ns);
	fprintf(out, "event.%" PRIu32 ".ended=%" PRIu64 "\n", e->id, w.ended);
	fprintf(out, "event.%" PRIu32 ".woken=%" PRIu64 "\n", e->id, w.woken);
}

static void print_events(FILE *out, const struct profile *p)
{
	struct books sum;

	for (size_t i = 0; i < p->nr_events; i++) {
		const struct profile_event *e = &p->events[i];

		fprintf(out, "event.%" PRIu32 ".name=%s\n", e->id, e->name);
		fprintf(out, "event.%" PRIu32 ".unit=%" PRIu32 "\n", e->id, e->unit);
		if (!e->id)
			continue;
		books_sum(e->cpus, e->nr_cpus, &sum);
		fprintf(out, "event.%" PRIu32 ".samples=%" PRIu64 "\n", e->id, sum.samples);
		fprintf(out, "event.%" PRIu32 ".counted=%" PRIu64 "\n", e->id, sum.counted);
		fprintf(out, "event.%" PRIu32 ".weight=%" PRIu64 "\n", e->id, sum.weight_ns);
		fprintf(out, "event.%" PRIu32 ".counted_weight=%" PRIu64 "\n", e->id, sum.counted_ns);
		fprintf(out, "event.%" PRIu32 ".handler_ns=%" PRIu64 "\n", e->id, sum.handler_ns);
		if (e->unit == KFLAME_UNIT_NS && !profile_event_is_probe(e->kind))
			print_waits(out, p, e);
		for (unsigned int k = 0; k < KFLAME_NR_LOST; k++)
			if (books_lost_key(k))
				fprintf(out, "event.%" PRIu32 ".lost.%s=%" PRIu64 "\n", e->id,
					books_lost_key(k), sum.lost[k]);
	}
}

static void print_ends(FILE *out, const struct profile *p)
{
	struct info_end ends[INFO_ENDS];

	for (uint32_t kind = KFLAME_STACK_KERNEL; kind <= KFLAME_STACK_USER; kind++) {
		const char *name = kind == KFLAME_STACK_USER ? "user" : "kernel";

		info_ends(p, kind, ends);
		for (uint32_t i = 0; i < INFO_ENDS; i++)
			if (ends[i].stacks) {
				fprintf(out, "end.%s.%u.stacks=%" PRIu64 "\n", name, i,
					ends[i].stacks);
				fprintf(out, "end.%s.%u.samples=%" PRIu64 "\n", name, i,
					ends[i].samples);
			}
	}
}

static void print_files(FILE *out, const struct profile *p)
{
	for (size_t i = 0; i < p->nr_files; i++) {
		const struct profile_file *f = &p->files[i];

		fprintf(out, "file.%llu.path=", f->rec.id);
		text_put(out, f->path);
		fprintf(out, "\nfile.%llu.named=%s\n", f->rec.id, info_named_words(f));
		fprintf(out, "file.%llu.symbols=%zu\n", f->rec.id, f->syms.nr);
	}
}

static void print_cgroups(FILE *out, const struct profile *p)
{
	for (size_t i = 0; i < p->nr_cgroups; i++) {
		fprintf(out, "cgroup.%" PRIu64 ".path=", p->cgroups[i].id);
		text_put(out, p->cgroups[i].path);
		fputc('\n', out);
	}
}

unsigned int info_print_raw(FILE *out, const struct profile *p)
{
	unsigned int wrong = books_are_there(p) ? books_check(p, NULL) : 0;

	text(out, "host", profile_host(p, "host"));
	text(out, "command", profile_host(p, "command"));
	text(out, "exit", profile_host(p, "exit"));
	text(out, "tool", profile_host(p, "tool"));
	if (p->has_session)
		print_session(out, p);
	if (books_are_there(p))
		print_sums(out, p);
	for (size_t i = 0; i < p->nr_cpus; i++)
		print_cpu(out, &p->cpus[i]);
	print_events(out, p);
	if (p->has_stats) {
		number(out, "stop_ns", p->stats.stop_ns);
		for (unsigned int i = 0; i < KFLAME_NR_STATS; i++)
			if (books_stat_key(i))
				fprintf(out, "stat.%s=%llu\n", books_stat_key(i),
					p->stats.count[i]);
	}
	number(out, "profile.samples", p->samples);
	number(out, "profile.weight_ns", p->weight_ns);
	number(out, "profile.late_ns", p->late_ns);
	number(out, "profile.stacks", p->nr_stacks);
	number(out, "profile.counts", p->nr_counts);
	number(out, "profile.aspaces", p->nr_aspaces);
	number(out, "profile.files", p->nr_files);
	number(out, "profile.ksyms", p->ksyms.nr);
	number(out, "profile.sources", p->nr_sources);
	number(out, "profile.records", p->records);
	number(out, "profile.bytes", p->bytes);
	number(out, "profile.damaged", p->damaged);
	number(out, "profile.unknown", p->unknown);
	number(out, "profile.lost_stacks", p->lost_stacks);
	number(out, "complete", p->state == PROFILE_WHOLE);
	print_ends(out, p);
	print_files(out, p);
	print_cgroups(out, p);
	fprintf(out, "books=%s\n", !books_are_there(p) ? "missing" : wrong ? "off" : "balanced");
	return wrong;
}
