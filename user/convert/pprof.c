// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof.c - writes pprof's format: gzipped profile.proto
 *
 * The outermost frames become labels (comm, pid, tid, cgroup, host, run, state, label), not locations, as users of
 * pprof expect. But a stack with a thread only keeps it as a location, because pprof shows nothing else.
 *
 * A sample has a value for each type of value: samples and time of the timer, then the weight of each
 * other event. All values but its own are zero.
 */
#include <errno.h>
#include <stdlib.h>

#include "convert/formats.h"
#include "convert/pprof_fields.h"
#include "convert/pprof_tables.h"
#include "stacks/load.h"

#define MAX_LABELS	8
#define MAX_VALUES	(PROFILE_MAX_EVENTS + 1)	/* the timer has two */

struct writer {
	struct pprof pprof;
	uint64_t *locations;	/* of the present sample */
	size_t nr, cap;
	size_t nr_values;
	size_t value_of[PROFILE_MAX_EVENTS];	/* index of an event's value, by its index in the profile */
	const struct profile *p;	/* NULL: the input is text */
	bool any;
};

/* Add the locations of a stack from frame @first on, innermost first */
static int add_locations(struct writer *w, const struct sample *s, size_t first)
{
	size_t end = s->nr;

	w->nr = 0;
	for (size_t i = s->nr; i-- > first;) {
		int err;

		if (s->places[i].inlined && i > first)
			continue;
		err = grow(&w->locations, w->nr, &w->cap, sizeof(*w->locations));
		if (err)
			return err;
		w->locations[w->nr++] = pprof_location(&w->pprof, &s->frames[i], &s->places[i],
						       end - i);
		end = i;
	}
	return w->pprof.error;
}

struct labels {
	struct label {
		uint64_t key;	/* id of a string */
		uint64_t text;	/* id of a string; 0: the label has a number */
		uint64_t number;
	} all[MAX_LABELS];
	size_t nr;
};

static void add_label(struct pprof *x, struct labels *l, const char *key, const char *text,
		      uint64_t number)
{
	struct label *label = &l->all[l->nr];

	if (!text && !number)
		return;
	label->key = pprof_text(x, key);
	label->text = pprof_text(x, text);
	label->number = number;
	l->nr++;
}

/* Return: index of the thread's frame; .nr for none */
static size_t find_thread(const struct sample *s)
{
	size_t i = 0;

	while (i < s->nr && s->frames[i].kind == FRAME_ROOT)
		i++;
	return i < s->nr && s->frames[i].kind == FRAME_COMM ? i : s->nr;
}

/* Set the values of a sample: those of its event */
static void set_values(const struct writer *w, const struct sample *s, uint64_t *values)
{
	if (s->event) {
		values[w->value_of[s->event - w->p->events]] = s->ns;
		return;
	}
	/* An event in use, other than the timer, has only the first value. */
	values[0] = w->p && profile_shows_lengths(w->p) ? s->ns : s->samples;
	values[1] = s->ns;
}

/* Write a sample with the locations of its stack */
static void put_entry(struct writer *w, const uint64_t *values, const struct labels *labels)
{
	struct protobuf *m = &w->pprof.piece;
	size_t start = protobuf_begin(m, PPROF_PROFILE_SAMPLE);

	protobuf_packed(m, PPROF_SAMPLE_LOCATION_ID, w->locations, w->nr);
	protobuf_packed(m, PPROF_SAMPLE_VALUE, values, w->nr_values);
	for (size_t i = 0; i < labels->nr; i++) {
		size_t label = protobuf_begin(m, PPROF_SAMPLE_LABEL);

		protobuf_number(m, PPROF_LABEL_KEY, labels->all[i].key);
		protobuf_number(m, PPROF_LABEL_STR, labels->all[i].text);
		protobuf_number(m, PPROF_LABEL_NUM, labels->all[i].number);
		protobuf_end(m, label);
	}
	protobuf_end(m, start);
	pprof_put(&w->pprof);
}

static int put_sample(void *ctx, const struct sample *s)
{
	uint64_t values[MAX_VALUES] = { 0 };
	struct labels labels = { .nr = 0 };
	struct writer *w = ctx;
	size_t thread = find_thread(s), first = 0;
	int err;

	/* pprof's numbers are signed, and pprof adds them up: detect overflow */
	if (s->samples > INT64_MAX || s->ns > INT64_MAX)
		return -EOVERFLOW;
	if (!s->samples && !s->ns)
		return 0;
	set_values(w, s, values);
	w->any = true;
	if (thread == 0 && s->nr > 1)
		first = 1;
	err = add_locations(w, s, first);
	add_label(&w->pprof, &labels, "comm", thread < s->nr ? s->frames[thread].name : NULL, 0);
	add_label(&w->pprof, &labels, "pid", NULL, s->tgid);
	add_label(&w->pprof, &labels, "tid", NULL, s->tid);
	add_label(&w->pprof, &labels, "cgroup", s->cgroup, 0);
	add_label(&w->pprof, &labels, "host", s->host, 0);
	add_label(&w->pprof, &labels, "run", s->run, 0);
	add_label(&w->pprof, &labels, "state", s->state, 0);
	add_label(&w->pprof, &labels, "label", s->label, 0);
	if (err || w->pprof.error)
		return err ? err : w->pprof.error;
	put_entry(w, values, &labels);
	return w->pprof.error;
}

/* The types of values that samples have, the one to show first, and the type of the timer's period */
struct value_types {
	struct value_type {
		uint64_t type, unit;	/* ids of strings */
	} all[MAX_VALUES];
	size_t nr;
	uint64_t first;
	const struct value_type *period;
};

static const struct value_type *add_type(struct pprof *x, struct value_types *t, const char *type,
					 const char *unit)
{
	struct value_type *v = &t->all[t->nr++];

	v->type = pprof_text(x, type);
	v->unit = pprof_text(x, unit);
	return v;
}

static void put_type(struct protobuf *m, unsigned int field, const struct value_type *v)
{
	size_t start = protobuf_begin(m, field);

	protobuf_number(m, PPROF_VALUE_TYPE_TYPE, v->type);
	protobuf_number(m, PPROF_VALUE_TYPE_UNIT, v->unit);
	protobuf_end(m, start);
}

static const char *unit_of(const struct profile_event *e)
{
	return e->unit == KFLAME_UNIT_NS ? "nanoseconds" : e->unit == KFLAME_UNIT_BYTES ? "bytes" : "count";
}

static void list_types(struct writer *w, struct value_types *t, enum tree_unit unit)
{
	const struct profile *p = w->p;
	const struct profile_event *in_use = p && p->event && p->event->id ? p->event : NULL;
	const struct value_type *samples, *cpu;

	*t = (struct value_types){ .nr = 0 };
	if (in_use) {
		t->first = add_type(&w->pprof, t, in_use->name, unit_of(in_use))->type;
	} else if (!p || p->event || profile_find_event(p, 0)) {
		samples = add_type(&w->pprof, t, "samples", "count");
		cpu = add_type(&w->pprof, t, "cpu", "nanoseconds");
		t->first = unit == TREE_NS ? cpu->type : samples->type;
		t->period = cpu;
	}
	for (size_t i = 0; p && !p->event && i < p->nr_events; i++) {
		if (!p->events[i].id)
			continue;
		w->value_of[i] = t->nr;
		add_type(&w->pprof, t, p->events[i].name, unit_of(&p->events[i]));
	}
	if (!t->first)
		t->first = t->all[0].type;
	w->nr_values = t->nr;
}

/* Write when the recording began, and how long it was */
static void put_times(struct protobuf *m, const struct profile *p)
{
	uint64_t begin = p->session.start_realtime_ns, duration = 0;

	if (p->span.is_cut) {
		begin += p->span.from_ns;
		duration = p->span.to_ns - p->span.from_ns;
	} else if (p->has_stats && p->stats.stop_ns > p->session.start_ns) {
		duration = p->stats.stop_ns - p->session.start_ns;
	}
	protobuf_number(m, PPROF_PROFILE_TIME_NANOS, begin);
	protobuf_number(m, PPROF_PROFILE_DURATION_NANOS, duration);
}

/* Write the types of the values, and what was recorded */
static void put_head(struct writer *w, const struct source *s, enum tree_unit unit)
{
	struct protobuf *m = &w->pprof.piece;
	char *title = source_title(s);
	struct value_types types;
	uint64_t comment;

	if (!title) {
		w->pprof.error = -ENOMEM;
		return;
	}
	list_types(w, &types, unit);
	comment = pprof_text(&w->pprof, title);
	free(title);
	for (size_t i = 0; i < types.nr; i++)
		put_type(m, PPROF_PROFILE_SAMPLE_TYPE, &types.all[i]);
	if (w->p)
		put_times(m, w->p);
	if (types.period)
		put_type(m, PPROF_PROFILE_PERIOD_TYPE, types.period);
	if (types.period && w->p)
		protobuf_number(m, PPROF_PROFILE_PERIOD, w->p->session.period_ns);
	protobuf_packed(m, PPROF_PROFILE_COMMENT, &comment, 1);
	protobuf_number(m, PPROF_PROFILE_DEFAULT_SAMPLE_TYPE, types.first);
	pprof_put(&w->pprof);
}

int convert_pprof(FILE *out, struct source *s, enum tree_unit unit)
{
	struct writer w = { .p = s->profile };
	int err;

	if (pprof_begin(&w.pprof, out))
		return load_failed(-ENOMEM, "compressing");
	/* Strings of a profile stay where they are.  Strings of a text are valid for one line only */
	if (s->profile)
		w.pprof.met = calloc(PPROF_MET, sizeof(*w.pprof.met));
	if (s->profile)
		w.pprof.kernel_id = profile_host(s->profile, "kernel-build-id");
	put_head(&w, s, unit);
	err = source_each(s, put_sample, &w);
	free(w.locations);
	if (!err)
		err = pprof_end(&w.pprof);
	else
		pprof_end(&w.pprof);
	if (!err && !w.any)
		err = convert_nothing(unit, false);
	return err;
}
