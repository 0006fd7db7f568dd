// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * path_tree.c - stacks of frame ids in a radix tree
 *
 * A callee is found by a hash of all frames from the outermost one to the callee.  Splitting a span does
 * not change this hash.  No function here recurses, so the depth of a stack is no problem.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stacks/path_tree.h"

_Static_assert(TREE_MAX_DEPTH < 1 << 15, "lengths of spans are 15 bits");

/* The key of a span: its first frame, and the span that calls it */
struct beginning {
	uint32_t parent;
	uint32_t frame;
};

static bool begins(const void *paths, uint32_t span, const void *key)
{
	const struct span *s = &((const struct paths *)paths)->spans[span];
	const struct beginning *b = key;

	return s->parent == b->parent && s->frame == b->frame;
}

/* The hash of a stack up to @frame; @callers: the hash of the stack without @frame */
static uint32_t hash_path(uint32_t callers, uint32_t frame)
{
	uint64_t x = ((uint64_t)callers << 32 | frame) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(x >> 32) ^ (uint32_t)x;
}

/*
 * Splits @span: its outer @nr frames, which the new stack shares, become a span of their own.
 * Return: the number of the new span; TREE_NONE without memory.
 */
static uint32_t split(struct paths *p, uint32_t span, uint16_t nr)
{
	struct span outer = p->spans[span], *inner;
	uint32_t last = outer.depth + nr - 2u;		/* index of its last frame in the stack */
	uint32_t hash = hash_path(p->hashes[last], p->frames[outer.first + nr]);

	outer.nr = nr;
	outer.self = (struct weight){ 0, 0 };
	if (grow(&p->spans, p->nr, &p->cap, sizeof(*p->spans)) || index_add(&p->index, hash, span))
		return TREE_NONE;
	index_replace(&p->index, p->hashes[outer.depth - 1], span, p->nr);
	inner = &p->spans[span];
	inner->parent = p->nr;
	inner->first += nr;
	inner->frame = p->frames[inner->first];
	inner->nr = (uint16_t)(inner->nr - nr) & 0x7fff;
	inner->depth = (uint16_t)(inner->depth + nr);
	p->spans[p->nr] = outer;
	return p->nr++;
}

/* Adds a span with the frames from @i on.  Return: its number; TREE_NONE without memory */
static uint32_t add_span(struct paths *p, uint32_t parent, const uint32_t *frames, size_t i,
			 size_t nr)
{
	size_t left = nr - i;

	while (p->cap_frames - p->nr_frames < left)
		if (grow(&p->frames, p->cap_frames, &p->cap_frames, sizeof(*p->frames)))
			return TREE_NONE;
	if (grow(&p->spans, p->nr, &p->cap, sizeof(*p->spans)) ||
	    index_add(&p->index, p->hashes[i], p->nr))
		return TREE_NONE;
	memcpy(p->frames + p->nr_frames, frames + i, left * sizeof(*frames));
	p->spans[p->nr] = (struct span){
		.parent = parent, .first = p->nr_frames, .frame = frames[i],
		.nr = (uint16_t)left, .depth = (uint16_t)(i + 1),
	};
	p->nr_frames += (uint32_t)left;
	return p->nr++;
}

/* Finds or adds the span that begins with frame @i, called from the last frame of @parent */
static uint32_t callee(struct paths *p, uint32_t parent, const uint32_t *frames, size_t i,
		       size_t nr)
{
	const struct beginning b = { parent, frames[i] };
	uint32_t span = index_find(&p->index, p->hashes[i], begins, p, &b);

	return span != INDEX_NONE ? span : add_span(p, parent, frames, i, nr);
}

/* How many frames of @span the stack shares; *@i is the next frame of the stack */
static uint16_t go_through(const struct paths *p, uint32_t span, const uint32_t *frames, size_t *i,
			   size_t nr)
{
	const struct span *s = &p->spans[span];
	size_t k = *i + 1 - s->depth;

	while (k < s->nr && *i < nr && p->frames[s->first + k] == frames[*i]) {
		k++;
		(*i)++;
	}
	return (uint16_t)k;
}

/* Goes back along the last stack to the span where the shared frames end */
static size_t go_back(struct paths *p, size_t same)
{
	while (p->nr_way > 1 && p->spans[p->way[p->nr_way - 1]].depth > same)
		p->nr_way--;
	return same;
}

void paths_announce(struct paths *p, size_t i, uint32_t frame)
{
	p->hashes[i] = hash_path(i ? p->hashes[i - 1] : 0, frame);
	index_prefetch(&p->index, p->hashes[i]);
}

/*
 * Prefetches the spans of a stack.  The spans are scattered in memory.  Without this, a tree of unsorted
 * stacks would spend most of its time waiting for one span after the other.
 */
static void look_ahead(const struct paths *p, size_t same, size_t nr)
{
	for (size_t i = same; i < nr; i++) {
		uint32_t span = index_peek(&p->index, p->hashes[i]);

		if (span != INDEX_NONE)
			__builtin_prefetch(&p->spans[span]);
	}
}

int paths_add(struct paths *p, size_t same, const uint32_t *frames, size_t nr,
	      const struct weight *w)
{
	size_t i = go_back(p, same);
	uint32_t span = p->way[p->nr_way - 1];

	look_ahead(p, same, nr);
	for (;;) {
		uint16_t went = go_through(p, span, frames, &i, nr);

		if (went < p->spans[span].nr) {
			span = split(p, span, went);
			p->way[p->nr_way - 1] = span;
		}
		if (span == TREE_NONE)
			return -ENOMEM;
		if (i == nr)
			break;
		span = callee(p, span, frames, i, nr);
		if (span == TREE_NONE)
			return -ENOMEM;
		p->way[p->nr_way++] = span;
		i++;		/* callee() has matched the first frame */
	}
	weight_add(&p->spans[span].self, w);
	return 0;
}

size_t paths_stack(const struct paths *p, uint32_t span, uint32_t *frames)
{
	size_t nr = 0;

	while (span != TREE_ROOT) {
		const struct span *s = &p->spans[span];

		if (!nr)
			nr = s->depth + s->nr - 1u;
		memcpy(frames + s->depth - 1, p->frames + s->first, s->nr * sizeof(*frames));
		span = s->parent;
	}
	return nr;
}

uint32_t *paths_by_depth(const struct paths *p)
{
	uint32_t *first = calloc(TREE_MAX_DEPTH + 2, sizeof(*first));
	uint32_t *spans = malloc(p->nr * sizeof(*spans));

	if (!first || !spans) {
		free(first);
		free(spans);
		return NULL;
	}
	for (uint32_t i = 0; i < p->nr; i++)
		first[p->spans[i].depth + 1]++;
	for (uint32_t depth = 1; depth < TREE_MAX_DEPTH + 2; depth++)
		first[depth] += first[depth - 1];
	for (uint32_t i = 0; i < p->nr; i++)
		spans[first[p->spans[i].depth]++] = i;
	free(first);
	return spans;
}

int paths_init(struct paths *p)
{
	*p = (struct paths){ 0 };
	if (grow(&p->spans, 0, &p->cap, sizeof(*p->spans)))
		return -ENOMEM;
	p->spans[TREE_ROOT] = (struct span){ .parent = TREE_NONE };
	p->nr = 1;
	p->way[0] = TREE_ROOT;
	p->nr_way = 1;
	return 0;
}

void paths_exit(struct paths *p)
{
	index_exit(&p->index);
	free(p->spans);
	free(p->frames);
	p->spans = NULL;
	p->frames = NULL;
	p->nr = 0;
	p->nr_frames = 0;
}
