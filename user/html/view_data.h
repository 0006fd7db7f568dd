/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_data.h - a profile as the viewer needs it: call paths, and facts that point to them
 *
 * A path has functions only. Who ran them (thread, process, CPU, ...) is the context of a fact. So a browser can
 * put any of these before the functions, in any order, and add up the facts of any part of a recording.
 */
#ifndef KFLAME_HTML_VIEW_DATA_H
#define KFLAME_HTML_VIEW_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "stacks/frame_set.h"

#define VIEW_ROOT	0u		/* the path without functions */
#define VIEW_NONE	UINT32_MAX	/* no value: an idle CPU has no process */
#define VIEW_EXACT	(1ull << 53)	/* a browser adds up smaller integers exactly */

/** enum view_dim - what a context says */
enum view_dim {
	VIEW_COMM,
	VIEW_PID,
	VIEW_TID,
	VIEW_CGROUP,
	VIEW_CONTAINER,
	VIEW_HOST,
	VIEW_RUN,
	VIEW_CPU,
	VIEW_STATE,
	VIEW_WAKER,
	VIEW_LABEL,
	VIEW_EVENT,
	VIEW_SIDE,
	VIEW_DIMS
};

/**
 * struct view_context - who ran: index of a value in each of view_data.values, or VIEW_NONE
 * @spot:	where in the code: see struct self_annotations; VIEW_NONE without source and instructions
 */
struct view_context {
	uint32_t value[VIEW_DIMS];
	uint32_t spot;
};

/** struct view_path - a function with one particular sequence of callers; @order: its number in the file */
struct view_path {
	uint32_t parent;	/* always less than its own index */
	uint32_t frame;		/* in .frames */
	uint32_t depth;
	uint32_t order;
};

/** struct view_fact - how often a path was seen in a context */
struct view_fact {
	uint32_t path;
	uint32_t context;
	uint64_t samples;
	uint64_t weight;	/* in the unit of its event, as in struct profile_count */
};

/** struct view_event - what the values of VIEW_EVENT measure */
struct view_event {
	char name[128];
	char counted[160];	/* what weights count, in the plural; empty: time */
	bool is_wait;		/* its time is time in which threads waited */
	bool is_timer;		/* its time is time on a CPU */
};

/** struct view_data - the data; all zero is an empty one, but for view_data_init() */
struct view_data {
	struct frame_set frames;
	struct frame_set values[VIEW_DIMS];
	struct view_path *paths;
	size_t nr_paths, cap_paths;
	struct view_context *contexts;
	size_t nr_contexts, cap_contexts;
	struct view_fact *facts;
	size_t nr_facts, cap_facts;
	struct view_event *events;	/* of each value of VIEW_EVENT */
	size_t nr_events, cap_events;
	uint32_t *fact_order;		/* after view_data_sort(): number in the file of each fact */
	uint32_t *frame_order;		/* the same of each frame */
	uint64_t sum_samples, sum_weight;
	/* Private to view_data.c */
	struct idmap path_ids;
	struct idmap fact_ids;
	struct index context_ids;
	uint32_t *last;			/* paths of the last stack, by depth */
	size_t nr_last, cap_last;
};

/** view_data_init() - makes the root's path.  Return: 0 or -ENOMEM; the caller calls view_data_exit() in any case */
int view_data_init(struct view_data *d);

/** view_data_value() - finds or adds a value of a dimension.  Return: 0 or -ENOMEM */
int view_data_value(struct view_data *d, enum view_dim dim, const char *text, uint32_t *value);

/** view_data_context() - finds or adds a context.  Return: 0 or -ENOMEM */
int view_data_context(struct view_data *d, const struct view_context *c, uint32_t *context);

/** view_data_event() - adds the properties of event @e, unless its value has some.  Return: 0 or -ENOMEM */
int view_data_event(struct view_data *d, const struct view_event *e, uint32_t *value);

/**
 * view_data_add() - adds to a fact
 * @frames:	functions and notes, outermost first; no thread
 * @fact:	out: its index; NULL: not wanted
 *
 * Return: 0; -ENOMEM; -EOVERFLOW if a browser could not add up all facts exactly.
 */
int view_data_add(struct view_data *d, const struct frame *frames, size_t nr, uint32_t context,
		  uint64_t samples, uint64_t weight, uint32_t *fact);

/** view_data_sort() - numbers paths, frames and facts as they are in the file.  Return: 0 or -ENOMEM */
int view_data_sort(struct view_data *d);

void view_data_exit(struct view_data *d);

#endif
