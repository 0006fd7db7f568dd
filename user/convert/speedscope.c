// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * speedscope.c - writes speedscope's own format: a sampled profile of all threads, and one for each thread
 *
 * The format's version is 1 (https://www.speedscope.app/file-format-schema.json). A shared table has each
 * frame once. A stack is a list of frame indices, outermost first. A second list has the weight of each
 * stack. With --timeline, stacks are in order of time. Numbers of JavaScript are exact up to 2^53.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "convert/formats.h"
#include "convert/threads.h"
#include "convert/times.h"

/* Frames of threads are no frames of stacks: they have no number */
static void put_frames(FILE *out, const struct tree *t, const uint32_t *number)
{
	fputs("\"shared\":{\"frames\":[", out);
	for (uint32_t i = 1; i < t->nr_frames; i++) {
		if (number[i] == UINT32_MAX)
			continue;
		fputs(number[i] ? ",\n{\"name\":" : "\n{\"name\":", out);
		json_string(out, t->frames[i].name);
		if (t->frames[i].file) {
			fputs(",\"file\":", out);
			json_string(out, t->frames[i].file);
		}
		putc('}', out);
	}
	fputs("]},\n", out);
}

/* A stack, with what it weighs */
struct row {
	uint32_t node;
	uint64_t weight;
};

/* What put_stacks() needs: room for the path to a node and for all rows, and the number of each frame */
struct stacks {
	const struct tree *t;
	enum tree_unit unit;
	uint32_t *path;
	uint32_t *number;
	struct row *rows;
	struct moment *moments;	/* NULL: there are no times */
	size_t nr_moments;
};

/* Samples in order of time. Those with the same stack that follow each other are one row */
static size_t list_moments(const struct stacks *x, const struct part *p)
{
	size_t nr = 0;

	for (size_t i = 0; i < x->nr_moments; i++) {
		const struct moment *m = &x->moments[i];

		if (m->node < p->begin || m->node >= p->end)
			continue;
		if (nr && x->rows[nr - 1].node == m->node)
			x->rows[nr - 1].weight += m->weight;
		else
			x->rows[nr++] = (struct row){ m->node, m->weight };
	}
	return nr;
}

/* Without times, a row has all samples of a stack */
static size_t list_stacks(const struct stacks *x, const struct part *p)
{
	size_t nr = 0;

	for (uint32_t i = p->begin; i < p->end; i++) {
		uint64_t weight = tree_weight(&x->t->nodes[i].self, x->unit);

		if (weight && x->t->nodes[i].depth > p->base)
			x->rows[nr++] = (struct row){ i, weight };
	}
	return nr;
}

static void put_path(FILE *out, const struct stacks *x, const struct part *p, uint32_t node)
{
	const uint32_t depth = x->t->nodes[node].depth;

	for (uint32_t d = depth; d > p->base; d--, node = x->t->nodes[node].parent)
		x->path[d] = x->number[x->t->nodes[node].frame];
	for (uint32_t d = p->base + 1; d <= depth; d++)
		fprintf(out, d == p->base + 1 ? "%" PRIu32 : ",%" PRIu32, x->path[d]);
}

static void put_stacks(FILE *out, const struct stacks *x, const struct part *p)
{
	const size_t nr = x->moments ? list_moments(x, p) : list_stacks(x, p);

	fputs("\"samples\":[", out);
	for (size_t i = 0; i < nr; i++) {
		fputs(i ? ",\n[" : "\n[", out);
		put_path(out, x, p, x->rows[i].node);
		putc(']', out);
	}
	fputs("],\n\"weights\":[", out);
	for (size_t i = 0; i < nr; i++)
		fprintf(out, i ? ",\n%" PRIu64 : "\n%" PRIu64, x->rows[i].weight);
	putc(']', out);
}

/* The thread's name and ids, or the title for all threads */
static void put_name(FILE *out, const struct part *p, const char *title)
{
	char *name;

	if (!p->thread) {
		json_string(out, title);
		return;
	}
	/* Without memory, only the ids are missing */
	if (asprintf(&name, "%s (%s)", p->thread->name, p->thread->file) < 0)
		name = NULL;
	json_string(out, name ? name : p->thread->name);
	free(name);
}

static void put_profile(FILE *out, const struct stacks *x, const struct part *p, const char *title)
{
	fputs("{\"type\":\"sampled\",\"name\":", out);
	put_name(out, p, title);
	fprintf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\n",
		x->unit == TREE_NS ? "nanoseconds" : "none", tree_weight(&p->total, x->unit));
	put_stacks(out, x, p);
	putc('}', out);
}

static void number_frames(const struct stacks *x, uint32_t base)
{
	uint32_t next = 0;

	for (uint32_t i = 1; base && i < x->t->nr_nodes; i++)
		if (x->t->nodes[i].depth == 1)
			x->number[x->t->nodes[i].frame] = UINT32_MAX;
	for (uint32_t i = 1; i < x->t->nr_frames; i++)
		if (x->number[i] != UINT32_MAX)
			x->number[i] = next++;
}

static int put_file(FILE *out, const struct tree *t, enum tree_unit unit, const char *title,
		    struct source *s)
{
	struct stacks x = { .t = t, .unit = unit };
	struct part p = threads_all(s, t);
	int err = -ENOMEM;

	x.path = calloc(TREE_MAX_DEPTH + 2, sizeof(*x.path));
	x.number = calloc(t->nr_frames, sizeof(*x.number));
	if (x.path && x.number)
		err = moments_read(s, t, unit, &x.moments, &x.nr_moments);
	if (!err) {
		x.rows = calloc(t->nr_nodes + x.nr_moments, sizeof(*x.rows));
		err = x.rows ? 0 : -ENOMEM;
	}
	if (!err) {
		number_frames(&x, p.base);
		fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		      "\"exporter\":\"kflame\",\"name\":", out);
		json_string(out, title);
		fputs(",\"activeProfileIndex\":0,\n", out);
		put_frames(out, t, x.number);
		fputs("\"profiles\":[", out);
		put_profile(out, &x, &p, title);
		while (threads_next(t, unit, &p)) {
			fputs(",\n", out);
			put_profile(out, &x, &p, title);
		}
		fputs("]}\n", out);
	}
	free(x.path);
	free(x.number);
	free(x.rows);
	free(x.moments);
	return err;
}

int convert_speedscope(FILE *out, struct source *s, enum tree_unit unit)
{
	return convert_by_threads(out, s, unit, put_file);
}
