// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lengths.c - what each event weighed, such as how long it took: a table of percentiles, and histograms
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "profile/histogram.h"
#include "views/lengths.h"

#define LENGTH	13	/* width of a length of time, in columns */
#define BAR	52	/* width of the longest bar */
#define ROWS	64	/* powers of two */

/* A row of the table. @e: the event */
struct row {
	const struct profile_event *e;
	uint32_t group;
	struct histogram h;
};

/* Find the next row from @event and @group on, and advance both behind it.  Return: false at the end */
static bool next_row(const struct profile *p, size_t *event, uint32_t *group, struct row *row)
{
	for (; *event < p->nr_events; ++*event, *group = 0)
		while (*group < KFLAME_NR_GROUPS) {
			*row = (struct row){ .e = &p->events[*event], .group = *group };
			histogram_add(&row->h, row->e, (*group)++);
			if (row->h.samples)
				return true;
		}
	return false;
}

/* "950 ns", "1.05 ms": three digits */
static const char *short_time(char *buf, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const uint64_t hundredths = scale(ns, 100, units[i].ns), tenths = scale(ns, 10, units[i].ns);

		if (ns < units[i].ns)
			continue;
		if (hundredths < 1000)
			snprintf(buf, TEXT_NUMBER, "%u.%02u %s", (unsigned int)hundredths / 100,
				 (unsigned int)hundredths % 100, units[i].name);
		else if (tenths < 1000)
			snprintf(buf, TEXT_NUMBER, "%u.%u %s", (unsigned int)tenths / 10, (unsigned int)tenths % 10,
				 units[i].name);
		else
			snprintf(buf, TEXT_NUMBER, "%" PRIu64 " %s", scale(ns, 1, units[i].ns), units[i].name);
		return buf;
	}
	snprintf(buf, TEXT_NUMBER, "%" PRIu64 " ns", ns);
	return buf;
}

/* A length of time, or the number of bytes or of whatever else the event counts */
static const char *short_weight(char *buf, const struct row *row, uint64_t weight)
{
	return row->e->unit == KFLAME_UNIT_NS ? short_time(buf, weight) : text_count(buf, weight);
}

static uint64_t mean(const struct histogram *h)
{
	return scale(h->weight, 1, h->samples);
}

/* What took so long, or what was counted */
static const char *group_name(const struct row *row)
{
	if (row->e->unit == KFLAME_UNIT_BYTES)
		return "bytes";
	if (row->e->unit != KFLAME_UNIT_NS)
		return row->e->counted;
	if (row->e->kind == KFLAME_EVENT_PAIR)
		return strncmp(row->e->name, PROFILE_OUTSTANDING, strlen(PROFILE_OUTSTANDING)) ? "from begin to end" : "since the begin";
	return profile_event_is_probe(row->e->kind) ? "from call to return" : histogram_group_name(row->group);
}

/* Is an event one of several, with hits that weigh one? Of one event, the head of the report has the hits */
static bool has_hits(const struct profile *p, const struct profile_event *e)
{
	return p->nr_events > 1 && e->unit == KFLAME_UNIT_EVENTS && e->weight;
}

static void put_head(FILE *out, bool *has_head)
{
	if (!*has_head)
		fprintf(out, "\nEvents in the whole recording; p50 and p99 are exact to within 6.25%%\n"
			"%11s  %15s  %*s  %*s  %*s  %*s  %s\n", "Hits", "Total", LENGTH, "Mean", LENGTH, "p50",
			LENGTH, "p99", LENGTH, "Longest", "Event");
	*has_head = true;
}

void lengths_put_table(FILE *out, const struct profile *p)
{
	char buf[TEXT_NUMBER];
	bool has_head = false;
	size_t event = 0;
	uint32_t group = 0;
	struct row row;

	while (next_row(p, &event, &group, &row)) {
		put_head(out, &has_head);
		fprintf(out, "%11s", text_count(buf, row.h.samples));
		fprintf(out, "  %15s", row.e->unit == KFLAME_UNIT_NS ? text_us(buf, row.h.weight) :
								       text_count(buf, row.h.weight));
		fprintf(out, "  %*s", LENGTH, short_weight(buf, &row, mean(&row.h)));
		fprintf(out, "  %*s", LENGTH, short_weight(buf, &row, histogram_percentile(&row.h, 50)));
		fprintf(out, "  %*s", LENGTH, short_weight(buf, &row, histogram_percentile(&row.h, 99)));
		fprintf(out, "  %*s", LENGTH, short_weight(buf, &row, row.h.longest));
		fprintf(out, "  %s, %s\n", row.e->name, group_name(&row));
	}
	for (size_t i = 0; i < p->nr_events; i++) {
		if (!has_hits(p, &p->events[i]))
			continue;
		put_head(out, &has_head);
		fprintf(out, "%11s  %15s  %*s  %*s  %*s  %*s  %s\n", text_count(buf, p->events[i].weight), "-", LENGTH, "-",
			LENGTH, "-", LENGTH, "-", LENGTH, "-", p->events[i].name);
	}
}

/* ---------------------------------------------------------------- histograms */

/* The power of two in which a bucket is; 0 also for the weight 0 */
static unsigned int power_of(uint32_t bucket)
{
	const uint64_t first = histogram_first(bucket);

	return first ? 63 - (unsigned int)__builtin_clzll(first) : 0;
}

static void put_bar(FILE *out, uint64_t count, uint64_t most)
{
	const int width = (int)scale(count, BAR, most);

	fputc('|', out);
	for (int i = 0; i < BAR; i++)
		fputc(i < width ? '@' : ' ', out);
	fputs("|\n", out);
}

/* Rows from the first power of two with samples to the last one, with those between that have none */
static void put_histogram(FILE *out, const struct row *row)
{
	uint64_t sums[ROWS] = { 0 }, most = 0;
	unsigned int from = ROWS, to = 0;
	char low[TEXT_NUMBER], high[TEXT_NUMBER], count[TEXT_NUMBER];

	for (uint32_t b = 0; b < KFLAME_BUCKETS; b++) {
		const unsigned int power = power_of(b);

		if (!row->h.count[b])
			continue;
		if (__builtin_add_overflow(sums[power], row->h.count[b], &sums[power]))
			sums[power] = UINT64_MAX;
		from = power < from ? power : from;
		to = power;
	}
	for (unsigned int i = 0; i < ROWS; i++)
		most = sums[i] > most ? sums[i] : most;
	fprintf(out, "\n%s, %s: %s\n", row->e->name, group_name(row),
		text_count(count, row->h.samples));
	for (unsigned int i = from; i <= to && i < ROWS; i++) {
		const uint64_t first = i ? UINT64_C(1) << i : 0;
		char range[3 * TEXT_NUMBER];

		snprintf(range, sizeof(range), "[%s, %s)", short_weight(low, row, first),
			 i < 63 ? short_weight(high, row, UINT64_C(2) << i) : "...");
		fprintf(out, "%-20s  %11s ", range, text_count(count, sums[i]));
		put_bar(out, sums[i], most);
	}
}

static bool has_lengths(const struct profile_event *e)
{
	return e->kind == KFLAME_EVENT_OFFCPU || (profile_event_is_probe(e->kind) && e->unit != KFLAME_UNIT_EVENTS);
}

/* Say why an event has no histogram: only lengths have one */
static void put_missing(FILE *out, const struct profile_event *e)
{
	if (has_lengths(e) && e->samples)
		fprintf(out, "\n%s has no histogram: the profile was recorded by a kflame that is older than histograms, or was cut short.\n",
			e->name);
	else if (has_lengths(e))
		fprintf(out, "\n%s has no histogram: nothing was recorded.\n", e->name);
	else
		fprintf(out, "\n%s has no histogram: only waits (record --off-cpu) and what --weight weighs have one.\n",
			e->name);
}

void lengths_put_histograms(FILE *out, const struct profile *p, bool chosen)
{
	size_t event = 0;
	uint32_t group = 0;
	struct row row;
	bool any = false;

	while (next_row(p, &event, &group, &row)) {
		if (chosen && !row.e->is_shown)
			continue;
		put_histogram(out, &row);
		any = true;
	}
	for (size_t i = 0; i < p->nr_events; i++)
		if (chosen ? p->events[i].is_shown && !any : !histogram_is_there(&p->events[i]) &&
							      (!any || has_lengths(&p->events[i])))
			put_missing(out, &p->events[i]);
}

/* --------------------------------------------------------------------- JSON */

/* @name: without the unit */
static void add_weight(struct json *j, struct json_object *o, const struct row *row, const char *name, uint64_t weight)
{
	char key[32];

	snprintf(key, sizeof(key), "%s%s", name, row->e->unit == KFLAME_UNIT_NS ? "_ns" : "");
	json_add_count(j, o, key, weight);
}

static struct json_object *bucket_object(struct json *j, const struct row *row, uint32_t bucket)
{
	struct json_object *o = json_object_new_object();

	add_weight(j, o, row, "from", histogram_first(bucket));
	add_weight(j, o, row, "to", histogram_last(bucket));
	json_add_count(j, o, "count", row->h.count[bucket]);
	return o;
}

static struct json_object *row_object(struct json *j, const struct row *row)
{
	struct json_object *o = json_object_new_object(), *buckets = json_object_new_array();

	json_add_text(j, o, "event", row->e->name);
	json_add_text(j, o, "of", group_name(row));
	json_add_count(j, o, "hits", row->h.samples);
	add_weight(j, o, row, "total", row->h.weight);
	add_weight(j, o, row, "mean", mean(&row->h));
	add_weight(j, o, row, "p50", histogram_percentile(&row->h, 50));
	add_weight(j, o, row, "p99", histogram_percentile(&row->h, 99));
	add_weight(j, o, row, "longest", row->h.longest);
	json_add(j, o, "percentiles_within_percent", json_object_new_double(HISTOGRAM_ERROR_PERCENT));
	for (uint32_t b = 0; b < KFLAME_BUCKETS; b++)
		if (row->h.count[b])
			json_object_array_add(buckets, bucket_object(j, row, b));
	json_add(j, o, "buckets", buckets);
	return o;
}

void lengths_json(struct json *j, const struct profile *p)
{
	size_t event = 0;
	uint32_t group = 0;
	bool any = false;
	struct row row;

	while (next_row(p, &event, &group, &row)) {
		if (!any)
			json_list(j, "lengths");
		any = true;
		json_row(j, row_object(j, &row));
	}
	if (any)
		json_list_end(j);
}
