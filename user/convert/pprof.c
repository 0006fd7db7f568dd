// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof.c - writes pprof's format: gzipped profile.proto
 *
 * The outermost frames become labels (comm, pid, tid, cgroup, host, run), not locations, as users of pprof
 * expect. But a stack with a thread only keeps it as a location, because pprof shows nothing else.  Samples
 * have both units.
 */
#include <errno.h>
#include <stdlib.h>

#include "convert/formats.h"
#include "convert/pprof_tables.h"
#include "stacks/load.h"

#define MAX_LABELS	6

struct writer {
	struct pprof pprof;
	uint64_t *locations;	/* of the present sample */
	size_t nr, cap;
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

static int put_sample(void *ctx, const struct sample *s)
{
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	Pprof__Sample entry = PPROF__SAMPLE__INIT, *entries = &entry;
	int64_t values[] = { (int64_t)s->samples, (int64_t)s->ns };
	struct labels labels = { .nr = 0 };
	struct writer *w = ctx;
	size_t thread = find_thread(s), first = 0;
	int err;

	/* pprof's numbers are signed, and pprof adds them up: detect overflow */
	if (values[0] < 0 || values[1] < 0)
		return -EOVERFLOW;
	if (!s->samples && !s->ns)
		return 0;
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
	entry.n_value = 2;
	entry.value = values;
	entry.n_label = labels.nr;
	entry.label = labels.entries;
	piece.n_sample = 1;
	piece.sample = &entries;
	pprof_put(&w->pprof, &piece);
	return w->pprof.error;
}

/* Write the types of the values, and what was recorded */
static void put_head(struct pprof *x, const struct source *s, enum tree_unit unit)
{
	Pprof__ValueType samples = PPROF__VALUE_TYPE__INIT, cpu = PPROF__VALUE_TYPE__INIT;
	Pprof__ValueType *types[] = { &samples, &cpu };
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	const struct profile *p = s->profile;
	char *title = source_title(s);
	int64_t comment;

	if (!title) {
		x->error = -ENOMEM;
		return;
	}
	samples.type = pprof_text(x, "samples");
	samples.unit = pprof_text(x, "count");
	cpu.type = pprof_text(x, "cpu");
	cpu.unit = pprof_text(x, "nanoseconds");
	comment = pprof_text(x, title);
	free(title);
	piece.n_sample_type = 2;
	piece.sample_type = types;
	piece.default_sample_type = unit == TREE_NS ? cpu.type : samples.type;
	piece.period_type = &cpu;
	piece.n_comment = 1;
	piece.comment = &comment;
	if (p) {
		piece.period = (int64_t)p->session.period_ns;
		piece.time_nanos = (int64_t)p->session.start_realtime_ns;
		if (p->span.is_cut) {
			piece.time_nanos += (int64_t)p->span.from_ns;
			piece.duration_nanos = (int64_t)(p->span.to_ns - p->span.from_ns);
		} else if (p->has_stats && p->stats.stop_ns > p->session.start_ns)
			piece.duration_nanos = (int64_t)(p->stats.stop_ns - p->session.start_ns);
	}
	pprof_put(x, &piece);
}

int convert_pprof(FILE *out, struct source *s, enum tree_unit unit)
{
	struct writer w = { .nr = 0 };
	int err;

	if (pprof_begin(&w.pprof, out))
		return load_failed(-ENOMEM, "compressing");
		/* Strings of a profile stay where they are.  Strings of a text are valid for one line only */
	if (s->profile)
		w.pprof.met = calloc(PPROF_MET, sizeof(*w.pprof.met));
	if (s->profile)
		w.pprof.kernel_id = profile_host(s->profile, "kernel-build-id");
	put_head(&w.pprof, s, unit);
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
