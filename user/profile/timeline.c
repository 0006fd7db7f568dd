// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timeline.c - the samples in order of time, and the part of a profile within a time range
 *
 * Every sample is also counted in a COUNT record.  To show a part of a recording, the counts are
 * computed again from the samples of that part.  The commands then need no code for it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "profile/private.h"

#define UPPER	(~0ull << 32)

/* Is this the id of a count of the module (0) or of the tool (1)?  Index of .counts and .count_ids */
static unsigned int whose(uint64_t id)
{
	return id >> 63;
}

int profile_number_count(struct profile *p, uint64_t id, uint32_t i)
{
	struct profile_reader *reader = p->reader;

	if (!reader->keeps_timeline || !id)
		return 0;
	/* Counts with the same upper half are consecutive. Their samples precede the next upper half. */
	if ((id & UPPER) != reader->counts[whose(id)]) {
		idmap_exit(&reader->count_ids[whose(id)]);
		reader->counts[whose(id)] = id & UPPER;
	}
	return idmap_set(&reader->count_ids[whose(id)], id, i);
}

static bool is_sane(const struct profile *p, const struct kflame_rec_sample *r)
{
	const struct idmap *ids = &p->reader->count_ids[whose(r->counts)];
	const bool of_events = r->rec.type == KFLAME_REC_EVENT_SAMPLE;

	if (!r->nr || r->nr > (r->rec.size - sizeof(*r)) / sizeof(r->sample[0]))
		return false;
	for (uint32_t i = 0; i < r->nr; i++) {
		const struct kflame_sample *s = &r->sample[i];
		uint32_t count;

		/* Kernel times are signed. Within these limits no difference of two times overflows. */
		if (!s->weight_ns || s->late_ns > s->weight_ns || s->time_ns > INT64_MAX ||
		    s->weight_ns > INT64_MAX - s->time_ns)
			return false;
		if (!p->reader->keeps_timeline)
			continue;
		count = idmap_find(ids, r->counts | s->count);
		if (count == INDEX_NONE || !p->counts[count].event == of_events)
			return false;
	}
	return true;
}

int profile_take_sample(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_sample *r = (const void *)rec;
	const bool of_events = rec->type == KFLAME_REC_EVENT_SAMPLE;
	const uint32_t by_tool = whose(r->counts) ? r->nr : 0;

	if (!is_sane(p, r))
		return -EBADMSG;
	*(of_events ? &p->event_ordered : &p->ordered) += r->nr;
	*(of_events ? &p->event_ordered_by_tool : &p->ordered_by_tool) += by_tool;
	for (uint32_t i = 0; i < r->nr; i++) {
		const struct kflame_sample *s = &r->sample[i];
		int err;

		p->ordered_ns += of_events ? 0 : s->weight_ns;
		if (!p->reader->keeps_timeline)
			continue;
		err = grow(&p->timeline, p->nr_timeline, &p->cap_timeline, sizeof(*p->timeline));
		if (err)
			return err;
		p->timeline[p->nr_timeline++] = (struct profile_sample){
			.time_ns = s->time_ns, .weight_ns = s->weight_ns, .late_ns = s->late_ns,
			.count = idmap_find(&p->reader->count_ids[whose(r->counts)],
					    r->counts | s->count),
			.cpu = r->cpu,
		};
	}
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct profile_sample *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->count > y->count) - (x->count < y->count);
}

bool profile_range_is_set(const struct profile_range *r)
{
	return r->from.is_set || r->to.is_set;
}

/* A bound in ns since the start of a recording of @length ns */
static uint64_t bound_ns(const struct profile_bound *b, uint64_t length)
{
	if (!b->is_share)
		return b->ns;
	return (uint64_t)((unsigned __int128)length * b->ns / PROFILE_SHARE_ALL);
}

/* How many of .samples a sample in .timeline is: see profile_use_event() */
static uint64_t samples_in(const struct profile *p, const struct profile_sample *s)
{
	return profile_counted(p) ? s->weight_ns : 1;
}

/* Return: samples whose time is not known, of the event in use or of all events */
static uint64_t untimed(const struct profile *p)
{
	uint64_t all = p->samples, timed = 0;

	for (size_t i = 0; !p->event && i < p->nr_events; i++)
		all += p->events[i].samples;
	for (size_t i = 0; i < p->nr_timeline; i++)
		timed += samples_in(p, &p->timeline[i]);
	return timed < all ? all - timed : 0;
}

/* Sets when the recording began, and when it ended, as far as that is known */
static void find_span(struct profile *p)
{
	const struct profile_sample *s = p->timeline;
	size_t nr = p->nr_timeline;

	p->span.start_ns = p->has_session && p->session.start_ns <= s[0].time_ns ?
			   p->session.start_ns : s[0].time_ns;
	/*
	 * A sample of the timer stands for the time after it, so the last one extends the recording.  Other
	 * samples are of the time before it.
	 */
	p->span.end_ns = s[nr - 1].time_ns + (p->counts[s[nr - 1].count].event ? 1 : s[nr - 1].weight_ns);
	if (p->has_stats && p->stats.stop_ns > s[nr - 1].time_ns && p->stats.stop_ns <= INT64_MAX)
		p->span.end_ns = p->stats.stop_ns;
}

/* Sets all sums to zero: those of the counts, of the event in use, or of all events */
static void clear_sums(struct profile *p)
{
	for (size_t i = 0; i < p->nr_counts; i++)
		p->counts[i].samples = p->counts[i].weight_ns = p->counts[i].late_ns = 0;
	p->samples = p->weight_ns = p->late_ns = 0;
	for (size_t i = 0; !p->event && i < p->nr_events; i++)
		p->events[i].samples = p->events[i].weight = 0;
}

/* A wait or a call is recorded when it ends, a sample of the timer when its time begins */
static bool is_at_end(const struct profile *p, const struct profile_sample *s)
{
	const struct profile_event *e;

	if (p->event || p->wall)
		return profile_shows_lengths(p) || (p->wall && p->counts[s->count].event);
	/* All events are here: see struct naming */
	e = profile_find_event(p, p->counts[s->count].event);
	return e && e->id && e->unit == KFLAME_UNIT_NS;
}

void profile_sample_span(const struct profile *p, const struct profile_sample *s, uint64_t *from, uint64_t *to)
{
	const uint64_t at = s->time_ns - p->span.start_ns;

	*from = *to = at;
	if (is_at_end(p, s))
		*from = at > s->weight_ns ? at - s->weight_ns : 0;
	else
		*to = at + s->weight_ns;
}

/* Adds a sample to its count, and to the sums that its count belongs to */
static void count_sample(struct profile *p, const struct profile_sample *s)
{
	struct profile_count *c = &p->counts[s->count];
	const uint64_t samples = samples_in(p, s), weight = profile_counted(p) ? 0 : s->weight_ns;
	struct profile_event *e = c->event && !p->event ? profile_find_event(p, c->event) : NULL;

	c->samples += samples;
	c->weight_ns += weight;
	c->late_ns += s->late_ns;
	*(e ? &e->samples : &p->samples) += samples;
	*(e ? &e->weight : &p->weight_ns) += weight;
	p->late_ns += s->late_ns;
}

/*
 * Computes the counts again from the samples that are left.  @place: zero for each count; out: their new
 * indices
 */
static void count_anew(struct profile *p, uint32_t *place)
{
	size_t nr = 0;

	clear_sums(p);
	for (size_t i = 0; i < p->nr_timeline; i++) {
		count_sample(p, &p->timeline[i]);
		place[p->timeline[i].count] = 1;
	}
	for (size_t i = 0; i < p->nr_counts; i++) {
		const bool is_left = place[i];

		place[i] = (uint32_t)nr;
		if (is_left)
			p->counts[nr++] = p->counts[i];
	}
	p->nr_counts = nr;
	for (size_t i = 0; i < p->nr_timeline; i++)
		p->timeline[i].count = place[p->timeline[i].count];
}

/*
 * Shortens a wait to its part between @from and @to, so that the times in a range add up to its length.
 *
 * Return: whether the sample is in the range.
 */
static bool clip(const struct profile *p, struct profile_sample *s, uint64_t from, uint64_t to)
{
	uint64_t begin, end;

	profile_sample_span(p, s, &begin, &end);
	if (!is_at_end(p, s) || begin == end)
		return begin >= from && begin < to;
	if (begin >= to || end <= from)
		return false;
	begin = begin > from ? begin : from;
	end = end < to ? end : to;
	s->time_ns = p->span.start_ns + end;
	s->weight_ns = end - begin;
	return true;
}

/* Drops samples outside the range.  Return: 0; -ENOMEM; -ENODATA for an empty range, after a message */
static int cut(struct profile *p, const char *name, const struct profile_range *r)
{
	uint64_t length = p->span.end_ns - p->span.start_ns;
	uint64_t from = r->from.is_set ? bound_ns(&r->from, length) : 0;
	uint64_t to = r->to.is_set ? bound_ns(&r->to, length) : UINT64_MAX;
	uint32_t *place;
	size_t nr = 0;

	if (from >= to || from >= length) {
		complain("%s has %.3f s, and nothing of it is left: look at --from and --to", name,
			 (double)length / 1e9);
		return -ENODATA;
	}
	place = calloc(p->nr_counts + 1, sizeof(*place));
	if (!place)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_timeline; i++)
		if (clip(p, &p->timeline[i], from, to))
			p->timeline[nr++] = p->timeline[i];
	p->nr_timeline = nr;
	count_anew(p, place);
	free(place);
	p->span.is_cut = true;
	p->span.from_ns = from < length ? from : length;
	p->span.to_ns = to < length ? to : length;
	return 0;
}

int profile_use_timeline(struct profile *p, const char *name, const struct profile_range *r)
{
	const uint64_t left_out = untimed(p);

	if (!p->nr_timeline) {
		complain("%s does not say when its samples were: record with --timeline", name);
		return -ENODATA;
	}
	if (left_out)
		complain("%s: %llu samples have no time, and are left out", name,
			 (unsigned long long)left_out);
	qsort(p->timeline, p->nr_timeline, sizeof(*p->timeline), by_time);
	find_span(p);
	return profile_range_is_set(r) ? cut(p, name, r) : 0;
}

void profile_drop_timeline(struct profile *p)
{
	free(p->timeline);
	p->timeline = NULL;
	p->nr_timeline = p->cap_timeline = 0;
}
