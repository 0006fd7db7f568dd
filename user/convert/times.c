// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * times.c - the samples of a profile in order of time
 *
 * A sample names a count of the profile. So a second walk through the profile finds the node of each count.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "convert/threads.h"
#include "convert/times.h"
#include "stacks/frame_set.h"
#include "stacks/load.h"

/* In a merged profile, for example, some counts have no times */
bool source_has_times(const struct source *s)
{
	const struct profile *p = s->profile;
	struct profile_count *left;
	bool has = true;

	if (!p || !p->nr_timeline)
		return false;
	left = calloc(p->nr_counts + 1, sizeof(*left));
	if (!left)
		return false;
	for (size_t i = 0; i < p->nr_timeline && has; i++) {
		struct profile_count *c = &left[p->timeline[i].count];

		has = p->timeline[i].count < p->nr_counts;
		if (!has)
			break;
		c->samples++;
		c->weight_ns += p->timeline[i].weight_ns;
		c->late_ns += p->timeline[i].late_ns;
	}
	for (size_t i = 0; i < p->nr_counts; i++) {
		const struct profile_count *c = &p->counts[i];

		has &= c->samples == left[i].samples && c->weight_ns == left[i].weight_ns && c->late_ns == left[i].late_ns;
	}
	free(left);
	return has;
}

/* The nodes of a tree by caller and frame, and the nodes of counts */
struct places {
	const struct tree *t;
	struct frame_set frames;	/* of the tree, without the root's */
	struct idmap nodes;	/* by caller and index in .frames */
	uint32_t *node;		/* by count, or TREE_NONE */
	uint32_t *late;		/* of late time, the same */
};

static uint64_t key_of(uint32_t caller, uint32_t frame)
{
	return (uint64_t)caller << 32 | frame;
}

static int index_tree(struct places *p)
{
	uint32_t number;
	int err = 0;

	for (uint32_t i = 1; !err && i < p->t->nr_frames; i++)
		err = frame_set_number(&p->frames, &p->t->frames[i], &number);
	for (uint32_t i = 1; !err && i < p->t->nr_nodes; i++)
		err = idmap_set(&p->nodes, key_of(p->t->nodes[i].parent, p->t->nodes[i].frame - 1), i);
	return err;
}

/* The tree cuts deeper stacks */
static int find(struct places *p, const struct frame *frames, size_t nr, uint32_t *node)
{
	const struct frame deeper = { .name = TREE_DEEPER, .kind = FRAME_NOTE };

	*node = TREE_ROOT;
	for (size_t i = 0; i < nr; i++) {
		const bool is_cut = nr > TREE_MAX_DEPTH && i + 1 == TREE_MAX_DEPTH;
		uint32_t number;
		int err = frame_set_number(&p->frames, is_cut ? &deeper : &frames[i], &number);

		if (err)
			return err;
		*node = idmap_find(&p->nodes, key_of(*node, number));
		if (*node == INDEX_NONE || is_cut)
			break;
	}
	return *node == INDEX_NONE ? -EINVAL : 0;
}

/* A thread_fn */
static int place(void *ctx, const struct sample *s, const struct frame *frames, size_t nr)
{
	struct places *p = ctx;

	return find(p, frames, nr, s->is_late ? &p->late[s->count] : &p->node[s->count]);
}

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->weight < y->weight ? -1 : x->weight > y->weight;
}

/* Return: number of moments; @all has room for two of each sample */
static size_t list(struct moment *all, const struct profile *p, const struct places *at, enum tree_unit unit)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->nr_timeline; i++) {
		const struct profile_sample *s = &p->timeline[i];
		const uint32_t node = at->node[s->count], late_node = at->late[s->count];
		const uint64_t late = late_node != TREE_NONE ? s->late_ns : 0;
		const uint64_t weight = unit == TREE_NS ? s->weight_ns - late : 1;
		const uint64_t start = p->session.start_ns;
		const uint64_t time_ns = s->time_ns > start ? s->time_ns - start : 0;

		if (node != TREE_NONE && weight)
			all[nr++] = (struct moment){ time_ns, weight, node };
		if (unit == TREE_NS && late)
			all[nr++] = (struct moment){ time_ns, late, late_node };
	}
	qsort(all, nr, sizeof(*all), by_time);
	return nr;
}

int moments_read(struct source *s, const struct tree *t, enum tree_unit unit, struct moment **all, size_t *nr)
{
	const struct profile *p = s->profile;
	struct places at = { .t = t };
	int err;

	*all = NULL;
	*nr = 0;
	if (!source_has_times(s))
		return 0;
	at.node = malloc((p->nr_counts + 1) * sizeof(*at.node));
	at.late = malloc((p->nr_counts + 1) * sizeof(*at.late));
	*all = calloc(2 * p->nr_timeline + 1, sizeof(**all));
	err = at.node && at.late && *all ? index_tree(&at) : -ENOMEM;
	for (size_t i = 0; !err && i < p->nr_counts; i++)
		at.node[i] = at.late[i] = TREE_NONE;
	if (!err)
		err = threads_each(s, place, &at);
	if (!err)
		*nr = list(*all, p, &at, unit);
	if (err) {
		free(*all);
		*all = NULL;
	}
	free(at.node);
	free(at.late);
	frame_set_exit(&at.frames);
	idmap_exit(&at.nodes);
	return err;
}
