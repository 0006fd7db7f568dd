/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_self.h - annotations of the functions with the most self time, all at once
 *
 * Unlike in annotate.h, callees do not count, but inlined functions do: with the line that they were inlined at.
 *
 * An annotation has sums of the whole profile. A viewer needs the sums of any part. So this also has the address
 * that each count ended at (a spot), and which row of which annotations that is.
 */
#ifndef KFLAME_VIEWS_ANNOTATE_SELF_H
#define KFLAME_VIEWS_ANNOTATE_SELF_H

#include "base/hash.h"
#include "stacks/frame_set.h"
#include "stacks/stacks.h"
#include "views/annotate.h"

#define SELF_NONE	UINT32_MAX

/**
 * struct self_spot - an address where samples ended
 * @code:	the code there
 * @offset:	as in struct annotated_at
 * @is_start:	an instruction begins there; false: it is within a call
 */
struct self_spot {
	struct annotated_code code;
	uint64_t offset;
	bool is_start;
};

/**
 * struct self_use - a spot in the code of a function
 * @function:	index of the annotation
 * @spot:	index of the spot
 * @is_self:	the function itself was there; false: a function that was inlined into it
 * @weight:	of all samples, whatever their event
 * @frame, @place: of the function in one of the samples
 */
struct self_use {
	uint32_t function;
	uint32_t spot;
	bool is_self;
	struct weight weight;
	struct frame frame;
	struct place place;
};

/**
 * struct self_annotations - the annotations, the heaviest first; self_annotations_exit() frees them
 * @all:	annotations without samples of callees; .function has no kind
 * @nr_left_out: functions with self time that are not among them
 * @spot_of:	spot of each count of the profile, or SELF_NONE
 * @uses:	spots of each function, by function
 * @is_late:	reading source lines took too long, so some are missing
 */
struct self_annotations {
	struct annotation *all;
	size_t nr;
	size_t nr_left_out;
	uint32_t *spot_of;
	struct self_spot *spots;
	size_t nr_spots, cap_spots;
	struct self_use *uses;
	size_t nr_uses, cap_uses;
	bool is_late;
	/* Private to annotate_self.c */
	struct frame_set functions;
	uint32_t *rank;			/* index in .all of each function, or SELF_NONE */
	uint32_t nr_ranks;
	struct index spot_ids;
	struct idmap use_ids;
};

/**
 * annotate_self() - annotates the functions with the most self time
 * @p:		must outlive the annotations; may have the counts of all events
 * @most:	how many functions at most
 *
 * The time of each event counts by its share of that event. Functions that code was inlined into have its time, too.
 * Idle CPUs do not count.
 *
 * Return: 0 or -ENOMEM.  The caller calls self_annotations_exit() in any case.
 */
int annotate_self(struct self_annotations *s, const struct profile *p, const struct naming *naming, size_t most);

/** self_function_of() - Return: index of the annotation of a function, inlined or not; SELF_NONE: it has none */
uint32_t self_function_of(struct self_annotations *s, const struct frame *f);

/** self_line_of() - Return: the line of the function that a spot belongs to; NULL: there is none */
const struct annotated_line *self_line_of(const struct self_annotations *s, const struct self_use *use);

/** self_row_of() - Return: the instruction or address of a spot in a function; NULL: there is none */
const struct annotated_at *self_row_of(const struct self_annotations *s, const struct self_use *use);

void self_annotations_exit(struct self_annotations *s);

#endif
