// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * accounting.c - do a profile's books balance?
 */
#include <inttypes.h>
#include <string.h>

#include "profile/accounting.h"

static const struct {
	const char *key;
	const char *words;
} lost_names[KFLAME_NR_LOST] = {
	[KFLAME_LOST_FILTER] = { "filter", "not requested" },
	[KFLAME_LOST_IDLE] = { "idle", "idle, which was excluded" },
	[KFLAME_LOST_TABLE] = { "table", "table full: no entry left" },
	[KFLAME_LOST_STACKS] = { "stacks", "table full: no room for the stack" },
	[KFLAME_LOST_NOREGS] = { "noregs", "the interrupt left no registers" },
	[KFLAME_LOST_NESTED] = { "nested", "came while another sample was stored" },
	[KFLAME_LOST_RING] = { "ring", "ring full: no room for a copy of the stack" },
	[KFLAME_LOST_LENGTH] = { "length", "beyond --min-block, --max-block, --min or --max, or no positive value" },
	[KFLAME_LOST_WAITS] = { "waits", "too many tasks waited, or too many calls ran, at once" },
	[KFLAME_LOST_ARCHIVE] = { "archive", "the built-in session's archive was full" },
}, stat_names[KFLAME_NR_STATS] = {
	[KFLAME_STAT_EXCHANGES] = { "exchanges", "tables handed out" },
	[KFLAME_STAT_WAKEUPS] = { "wakeups", "wake-ups of the reader" },
	[KFLAME_STAT_ASPACES] = { "aspaces", "address spaces sampled" },
	[KFLAME_STAT_MAPPED] = { "mapped", "walks of their mappings" },
	[KFLAME_STAT_REWALKS] = { "rewalks", "walked again (dlopen)" },
	[KFLAME_STAT_MM_GONE] = { "mm_gone", "samples of an exiting process" },
	[KFLAME_STAT_MM_CAP] = { "mm_cap", "refused: too many processes waiting" },
	[KFLAME_STAT_MM_OOM] = { "mm_oom", "refused: victim of the OOM killer" },
	[KFLAME_STAT_MM_BUSY] = { "mm_busy", "walks given up: lock not available" },
	[KFLAME_STAT_MM_NOMEM] = { "mm_nomem", "walks given up: no memory" },
	[KFLAME_STAT_ASPACE_FULL] = { "aspace_full", "refused: no free slot" },
	[KFLAME_STAT_MAPPINGS] = { "mappings", "mappings reported" },
	[KFLAME_STAT_FILES] = { "files", "files reported" },
	[KFLAME_STAT_WALKED_DEAD] = { "walked_dead", "walked after the process was gone" },
	[KFLAME_STAT_MAP_DROPPED] = { "map_dropped", "records dropped: reader too far behind" },
	[KFLAME_STAT_FILES_TAKEN] = { "files_taken", "files handed out by the module" },
	[KFLAME_STAT_FILES_EXPIRED] = { "files_expired", "files that were not taken in time" },
	[KFLAME_STAT_COPIES] = { "copies", "stacks copied" },
	[KFLAME_STAT_COPY_BYTES] = { "copy_bytes", "bytes of copied stacks" },
	[KFLAME_STAT_TABLES] = { "tables", "unwind tables uploaded" },
	[KFLAME_STAT_TABLE_BYTES] = { "table_bytes", "bytes of unwind tables" },
	[KFLAME_STAT_STEPS_TABLE] = { "steps_table", "user frames left by a table's rule" },
	[KFLAME_STAT_STEPS_FP] = { "steps_fp", "user frames left by frame pointer" },
	[KFLAME_STAT_STEPS_KNOWN] = { "steps_known", "of both, by cached steps" },
	[KFLAME_STAT_PENDING] = { "pending", "frames whose table was not there yet" },
	[KFLAME_STAT_MAPS_LOST] = { "maps_lost", "walked again: mappings were overwritten" },
	[KFLAME_STAT_ORDERED] = { "ordered", "samples with their times" },
	[KFLAME_STAT_ORDER_FULL] = { "order_full", "samples without: no room for their times" },
	[KFLAME_STAT_COPIES_DROPPED] = { "copies_dropped", "copies without room: counted as walked" },
	[KFLAME_STAT_KSTACKS_LEARNT] = { "kstacks_learnt", "kernel stacks by cached steps" },
	[KFLAME_STAT_KSTACKS_LEFT] = { "kstacks_left", "kernel stacks by the kernel's unwinder" },
	[KFLAME_STAT_STEPS_AGAIN] = { "steps_again", "user frames unchanged since the last walk" },
};

const char *books_lost_key(unsigned int cause)
{
	return cause < KFLAME_NR_LOST ? lost_names[cause].key : NULL;
}

const char *books_lost_words(unsigned int cause)
{
	return cause < KFLAME_NR_LOST ? lost_names[cause].words : NULL;
}

const char *books_stat_key(unsigned int i)
{
	return i < KFLAME_NR_STATS ? stat_names[i].key : NULL;
}

const char *books_stat_words(unsigned int i)
{
	return i < KFLAME_NR_STATS ? stat_names[i].words : NULL;
}

bool books_are_there(const struct profile *p)
{
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].nr_cpus)
			return true;
	return p->nr_cpus;
}

void books_sum(const struct kflame_cpu *cpus, size_t nr, struct books *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (size_t i = 0; i < nr; i++) {
		const struct kflame_cpu *c = &cpus[i];

		sum->samples += c->samples;
		sum->counted += c->counted;
		sum->missed += c->missed;
		sum->weight_ns += c->weight_ns;
		sum->counted_ns += c->counted_ns;
		sum->active_ns += c->active_ns;
		sum->stretches += c->stretches;
		sum->handler_ns += c->handler_ns;
		if (c->handler_max_ns > sum->handler_max_ns)
			sum->handler_max_ns = c->handler_max_ns;
		for (unsigned int k = 0; k < KFLAME_NR_LOST; k++) {
			sum->lost[k] += c->lost[k];
			sum->lost_ns[k] += c->lost_ns[k];
		}
	}
}

/* Reports two figures that must be equal and differ.  Return: 1 if they differ, 0 if not. */
static unsigned int differ(FILE *out, const char *of, const char *what, uint64_t a,
			   const char *other, uint64_t b)
{
	if (a == b)
		return 0;
	if (out)
		fprintf(out, "  %s: %s %" PRIu64 " is not %s %" PRIu64 " (%+" PRId64 ")\n", of,
			what, a, other, b, (int64_t)(a - b));
	return 1;
}

/* @event: name of the event, NULL for the timer */
static unsigned int check_cpu(const struct kflame_cpu *c, const char *event, FILE *out)
{
	uint64_t lost = 0, lost_ns = 0;
	unsigned int wrong;
	char name[64];

	snprintf(name, sizeof(name), "%s%sCPU %u", event ? event : "", event ? ", " : "", c->cpu);
	for (unsigned int k = 0; k < KFLAME_NR_LOST; k++) {
		lost += c->lost[k];
		lost_ns += c->lost_ns[k];
	}
	wrong = differ(out, name, "samples", c->samples, "counted + lost", c->counted + lost);
	wrong += differ(out, name, event ? "weight of the samples" : "time of the samples", c->weight_ns,
			"counted + lost", c->counted_ns + lost_ns);
	if (event)
		return wrong;
	wrong += differ(out, name, "active time", c->active_ns, "head + samples + tail",
			(uint64_t)c->head_ns + c->weight_ns + (uint64_t)c->tail_ns);
	return wrong;
}

/* With --timeline, samples with times plus samples without times equal the samples counted, of all events. */
static unsigned int check_order(const struct profile *p, uint64_t counted, FILE *out)
{
	const __u64 *stat = p->stats.count;
	const uint64_t by_tool = p->ordered_by_tool + p->event_ordered_by_tool;
	unsigned int wrong;

	if (!(p->session.flags & KFLAME_CF_TIMELINE) || !p->has_stats)
		return 0;
	wrong = differ(out, "profile", "samples with times in it", p->ordered + p->event_ordered - by_tool,
		       "samples with times", stat[KFLAME_STAT_ORDERED]);
	wrong += differ(out, "profile", "samples counted", counted, "with times + without",
			stat[KFLAME_STAT_ORDERED] + stat[KFLAME_STAT_ORDER_FULL] + by_tool);
	if (!stat[KFLAME_STAT_ORDER_FULL])
		wrong += differ(out, "profile", "time of samples with times", p->ordered_ns,
				"time in it", p->weight_ns);
	return wrong;
}

/* The accounting of an event other than the timer.  @counted: is increased by its samples */
static unsigned int check_event(const struct profile_event *e, uint64_t *counted, FILE *out)
{
	unsigned int wrong = 0;
	struct books sum;

	for (size_t i = 0; i < e->nr_cpus; i++)
		wrong += check_cpu(&e->cpus[i], e->name, out);
	books_sum(e->cpus, e->nr_cpus, &sum);
	wrong += differ(out, e->name, "samples in it", e->samples, "samples counted", sum.counted);
	wrong += differ(out, e->name, "weight in it", e->weight, "weight counted", sum.counted_ns);
	*counted += sum.counted;
	return wrong;
}

unsigned int books_check(const struct profile *p, FILE *out)
{
	unsigned int wrong = 0;
	uint64_t counted;
	struct books sum;

	for (size_t i = 0; i < p->nr_cpus; i++)
		wrong += check_cpu(&p->cpus[i], NULL, out);
	books_sum(p->cpus, p->nr_cpus, &sum);
	wrong += differ(out, "profile", "samples in it", p->samples, "samples counted",
			sum.counted);
	wrong += differ(out, "profile", "time in it", p->weight_ns, "time counted",
			sum.counted_ns);
	counted = sum.counted;
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].id)
			wrong += check_event(&p->events[i], &counted, out);
	wrong += check_order(p, counted, out);
	return wrong;
}
