// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof.c - writes pprof's format: gzipped profile.proto
 *
 * The outermost frames become labels (comm, pid, tid, cgroup, host, run), not locations, as users of pprof
 * expect. But a stack with a thread only keeps it as a location, because pprof shows nothing else.
 *
 * A sample has a value for each type of value: samples and time of the timer, then the weight of each
 * other event. All values but its own are zero.
 */
#include <errno.h>
#include <stdlib.h>

#include "convert/formats.h"
#include "convert/pprof_tables.h"
#include "stacks/load.h"

#define MAX_LABELS	6
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
	Pprof__Label all[MAX_LABELS];
	Pprof__Label *entries[MAX_LABELS];
	size_t nr;
};

static void add_label(struct pprof *x, struct labels *l, const char *key, const char *text,
		      int64_t number)
{
	Pprof__Label *label = &l->all[l->nr];

	if (!text && !number)
		return;
	pprof__label__init(label);
	label->key = pprof_text(x, key);
	label->str = pprof_text(x, text);
	label->num = number;
	l->entries[l->nr++] = label;
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
static void put_values(const struct writer *w, const struct sample *s, int64_t *values)
{
	if (s->event) {
		values[w->value_of[s->event - w->p->events]] = (int64_t)s->ns;
		return;
	}
	/* An event in use that is not counted in time has only the first value. */
	values[0] = (int64_t)s->samples;
	values[1] = (int64_t)s->ns;
}

static int put_sample(void *ctx, const struct sample *s)
{
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	Pprof__Sample entry = PPROF__SAMPLE__INIT, *entries = &entry;
	int64_t values[MAX_VALUES] = { 0 };
	struct labels labels = { .nr = 0 };
	struct writer *w = ctx;
	size_t thread = find_thread(s), first = 0;
	int err;

	/* pprof's numbers are signed, and pprof adds them up: detect overflow */
	if (s->samples > INT64_MAX || s->ns > INT64_MAX)
		return -EOVERFLOW;
	if (!s->samples && !s->ns)
		return 0;
	put_values(w, s, values);
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
	if (err || w->pprof.error)
		return err ? err : w->pprof.error;
	entry.n_location_id = w->nr;
	entry.location_id = w->locations;
	entry.n_value = w->nr_values;
	entry.value = values;
	entry.n_label = labels.nr;
	entry.label = labels.entries;
	piece.n_sample = 1;
	piece.sample = &entries;
	pprof_put(&w->pprof, &piece);
	return w->pprof.error;
}

/* The types of values that samples have, the one to show first, and the type of the timer's period */
struct value_types {
	Pprof__ValueType all[MAX_VALUES];
	Pprof__ValueType *entries[MAX_VALUES];
	size_t nr;
	int64_t first;
	Pprof__ValueType *period;
};

static Pprof__ValueType *add_type(struct pprof *x, struct value_types *t, const char *type, const char *unit)
{
	Pprof__ValueType *v = &t->all[t->nr];

	pprof__value_type__init(v);
	v->type = pprof_text(x, type);
	v->unit = pprof_text(x, unit);
	t->entries[t->nr++] = v;
	return v;
}

static const char *unit_of(const struct profile_event *e)
{
	return e->unit == KFLAME_UNIT_NS ? "nanoseconds" : e->unit == KFLAME_UNIT_BYTES ? "bytes" : "count";
}

static void list_types(struct writer *w, struct value_types *t, enum tree_unit unit)
{
	const struct profile *p = w->p;
	const struct profile_event *in_use = p && profile_counted(p) ? p->event : NULL;
	Pprof__ValueType *samples, *cpu;

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

/* Write the types of the values, and what was recorded */
static void put_head(struct writer *w, const struct source *s, enum tree_unit unit)
{
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	const struct profile *p = s->profile;
	char *title = source_title(s);
	struct value_types types;
	int64_t comment;

	if (!title) {
		w->pprof.error = -ENOMEM;
		return;
	}
	list_types(w, &types, unit);
	comment = pprof_text(&w->pprof, title);
	free(title);
	piece.n_sample_type = types.nr;
	piece.sample_type = types.entries;
	piece.default_sample_type = types.first;
	piece.period_type = types.period;
	piece.n_comment = 1;
	piece.comment = &comment;
	if (p) {
		piece.period = types.period ? (int64_t)p->session.period_ns : 0;
		piece.time_nanos = (int64_t)p->session.start_realtime_ns;
		if (p->span.is_cut) {
			piece.time_nanos += (int64_t)p->span.from_ns;
			piece.duration_nanos = (int64_t)(p->span.to_ns - p->span.from_ns);
		} else if (p->has_stats && p->stats.stop_ns > p->session.start_ns)
			piece.duration_nanos = (int64_t)(p->stats.stop_ns - p->session.start_ns);
	}
	pprof_put(&w->pprof, &piece);
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
