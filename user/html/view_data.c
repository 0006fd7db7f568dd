// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_data.c - collects call paths, contexts and facts
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "html/view_data.h"
#include "stacks/tree.h"

int view_data_init(struct view_data *d)
{
	static const struct frame root = { .name = "all", .kind = FRAME_ROOT };
	uint32_t frame;

	*d = (struct view_data){ 0 };
	if (grow(&d->paths, 0, &d->cap_paths, sizeof(*d->paths)) || frame_set_add(&d->frames, &root, &frame))
		return -ENOMEM;
	d->paths[d->nr_paths++] = (struct view_path){ .frame = frame };
	return 0;
}

int view_data_value(struct view_data *d, enum view_dim dim, const char *text, uint32_t *value)
{
	const struct frame f = { .name = *text ? text : "[no name]", .kind = FRAME_ROOT };

	return frame_set_number(&d->values[dim], &f, value);
}

static bool same_context(const void *ctx, uint32_t i, const void *key)
{
	const struct view_data *d = ctx;

	return !memcmp(&d->contexts[i], key, sizeof(struct view_context));
}

int view_data_context(struct view_data *d, const struct view_context *c, uint32_t *context)
{
	const uint64_t hash = hash_bytes(0, c, sizeof(*c));

	*context = index_find(&d->context_ids, hash, same_context, d, c);
	if (*context != INDEX_NONE)
		return 0;
	if (grow(&d->contexts, d->nr_contexts, &d->cap_contexts, sizeof(*d->contexts)))
		return -ENOMEM;
	*context = (uint32_t)d->nr_contexts;
	d->contexts[d->nr_contexts++] = *c;
	return index_add(&d->context_ids, hash, *context);
}

int view_data_event(struct view_data *d, const struct view_event *e, uint32_t *value)
{
	int err = view_data_value(d, VIEW_EVENT, e->name, value);

	if (err || *value < d->nr_events)
		return err;
	err = grow(&d->events, d->nr_events, &d->cap_events, sizeof(*d->events));
	if (!err)
		d->events[d->nr_events++] = *e;
	return err;
}

static int find_path(struct view_data *d, uint32_t parent, const struct frame *f, uint32_t *path)
{
	uint32_t frame;
	uint64_t key;
	int err = frame_set_number(&d->frames, f, &frame);

	if (err)
		return err;
	key = (uint64_t)parent << 32 | frame;
	*path = idmap_find(&d->path_ids, key);
	if (*path != INDEX_NONE)
		return 0;
	err = grow(&d->paths, d->nr_paths, &d->cap_paths, sizeof(*d->paths));
	if (err)
		return err;
	*path = (uint32_t)d->nr_paths;
	d->paths[d->nr_paths++] = (struct view_path){
		.parent = parent, .frame = frame, .depth = d->paths[parent].depth + 1,
	};
	return idmap_set(&d->path_ids, key, *path);
}

static int add_to_fact(struct view_data *d, uint32_t path, uint32_t context, uint64_t samples, uint64_t weight,
		       uint32_t *fact)
{
	const uint64_t key = (uint64_t)path << 32 | context;
	uint32_t i = idmap_find(&d->fact_ids, key);
	int err;

	d->sum_samples += samples;
	d->sum_weight += weight;
	if (samples >= VIEW_EXACT || weight >= VIEW_EXACT || d->sum_samples >= VIEW_EXACT ||
	    d->sum_weight >= VIEW_EXACT)
		return -EOVERFLOW;
	if (i == INDEX_NONE) {
		err = grow(&d->facts, d->nr_facts, &d->cap_facts, sizeof(*d->facts));
		if (!err)
			err = idmap_set(&d->fact_ids, key, (uint32_t)d->nr_facts);
		if (err)
			return err;
		i = (uint32_t)d->nr_facts;
		d->facts[d->nr_facts++] = (struct view_fact){ .path = path, .context = context };
	}
	d->facts[i].samples += samples;
	d->facts[i].weight += weight;
	if (fact)
		*fact = i;
	return 0;
}

int view_data_add(struct view_data *d, const struct frame *frames, size_t nr, uint32_t context,
		  uint64_t samples, uint64_t weight, uint32_t *fact)
{
	static const struct frame deeper = { .name = TREE_DEEPER, .kind = FRAME_NOTE };
	const bool is_cut = nr >= TREE_MAX_DEPTH;
	uint32_t path = VIEW_ROOT;
	size_t same = 0;
	int err = 0;

	/* As in a call tree, where the thread is one of the frames */
	if (is_cut)
		nr = TREE_MAX_DEPTH - 1;
	while (same < nr - is_cut && same < d->nr_last &&
	       frame_is_same(&d->frames.all[d->paths[d->last[same]].frame], &frames[same]))
		path = d->last[same++];
	d->nr_last = same;
	for (size_t i = same; i < nr && !err; i++) {
		err = find_path(d, path, is_cut && i == nr - 1 ? &deeper : &frames[i], &path);
		if (!err)
			err = grow(&d->last, i, &d->cap_last, sizeof(*d->last));
		if (!err)
			d->last[d->nr_last++] = path;
	}
	return err ? err : add_to_fact(d, path, context, samples, weight, fact);
}

void view_data_exit(struct view_data *d)
{
	frame_set_exit(&d->frames);
	for (int i = 0; i < VIEW_DIMS; i++)
		frame_set_exit(&d->values[i]);
	free(d->paths);
	free(d->contexts);
	free(d->facts);
	free(d->events);
	free(d->fact_order);
	free(d->frame_order);
	free(d->last);
	idmap_exit(&d->path_ids);
	idmap_exit(&d->fact_ids);
	index_exit(&d->context_ids);
	*d = (struct view_data){ 0 };
}
