/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_set.h - a set of distinct frames, each with an id
 *
 * Millions of stacks consist of some thousand functions.  An id takes a sixth of the memory of a struct
 * frame, and two ids are compared in one step.
 */
#ifndef KFLAME_STACKS_FRAME_SET_H
#define KFLAME_STACKS_FRAME_SET_H

#include "base/hash.h"
#include "stacks/stacks.h"

struct string_block;

/**
 * struct frame_set - the set; all zero is an empty one
 * @all:	the frames by id; the set owns their strings
 * @nr:		number of frames
 */
struct frame_set {
	struct frame *all;
	uint32_t nr;
	/* Private to frame_set.c */
	size_t cap;
	struct index index;
	struct string_block *blocks;
	char *free_bytes;
	size_t nr_free;
};

/**
 * frame_set_number() - finds a frame, or adds it; strings are copied
 * @number:	out: its id; ids are assigned from 0 on
 *
 * Return: 0 or -ENOMEM.
 */
int frame_set_number(struct frame_set *s, const struct frame *f, uint32_t *number);

/** frame_set_add() - adds @f even if an equal frame is there; frame_set_number() never finds it */
int frame_set_add(struct frame_set *s, const struct frame *f, uint32_t *number);

/** frame_set_exit() - frees the contents of @s */
void frame_set_exit(struct frame_set *s);

/** frame_is_same() - Return: whether name, file and kind are equal */
bool frame_is_same(const struct frame *a, const struct frame *b);

/** frame_compare() - the order of frames: by name, file, kind.  Return: less than, 0 or more than 0 */
int frame_compare(const struct frame *a, const struct frame *b);

#endif
