/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_root.h - the root frame of a stack, before its thread: cgroup, container, process, CPU, state, event or label
 */
#ifndef KFLAME_STACKS_STACK_ROOT_H
#define KFLAME_STACKS_STACK_ROOT_H

#include "profile/profile.h"
#include "stacks/stacks.h"

/** enum stack_root - the kind of root frame, which is before the thread in a stack */
enum stack_root {
	STACK_ROOT_NONE,
	STACK_ROOT_CGROUP,
	STACK_ROOT_CONTAINER,
	STACK_ROOT_PID,
	STACK_ROOT_TID,
	STACK_ROOT_HOST,
	STACK_ROOT_RUN,
	STACK_ROOT_CPU,
	STACK_ROOT_STATE,
	STACK_ROOT_WAKER,
	STACK_ROOT_EVENT,
	STACK_ROOT_LABEL,
};

/**
 * roots_create() - creates the root frames for a profile
 * @p:		the profile after profile_finish(); it must outlive the result
 * @by:		not STACK_ROOT_NONE
 *
 * Return: NULL without memory.
 */
struct roots *roots_create(const struct profile *p, enum stack_root by);

/** roots_destroy() - frees it and every string that it returned; does nothing for NULL */
void roots_destroy(struct roots *r);

/** roots_show_states() - Return: whether the root frames are STACK_ROOT_STATE */
bool roots_show_states(const struct roots *r);

/**
 * roots_frame() - the root frame of a count
 * @out:	out: name and kind; the name lives as long as @r
 *
 * Return: 0 or -ENOMEM.
 */
int roots_frame(struct roots *r, const struct profile_count *c, struct frame *out);

#endif
