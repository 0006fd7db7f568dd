/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_root.h - what a stack begins with, before its thread: cgroup, container, process, CPU
 */
#ifndef KFLAME_STACKS_STACK_ROOT_H
#define KFLAME_STACKS_STACK_ROOT_H

#include "profile/profile.h"
#include "stacks/stacks.h"

/** enum stack_root - what comes before the thread in a stack */
enum stack_root {
	STACK_ROOT_NONE,
	STACK_ROOT_CGROUP,
	STACK_ROOT_CONTAINER,
	STACK_ROOT_PID,
	STACK_ROOT_TID,
	STACK_ROOT_HOST,
	STACK_ROOT_RUN,
	STACK_ROOT_CPU,
};

/**
 * roots_create() - begins
 * @p:		the profile, finished; must outlive it
 * @by:		not STACK_ROOT_NONE
 *
 * Return: NULL without memory.
 */
struct roots *roots_create(const struct profile *p, enum stack_root by);

/** roots_destroy() - frees it and every string it gave; takes NULL */
void roots_destroy(struct roots *r);

/**
 * roots_frame() - the outermost frame of a count
 * @out:	gets name and kind; the name lives as long as @r
 *
 * Return: 0 or -ENOMEM.
 */
int roots_frame(struct roots *r, const struct profile_count *c, struct frame *out);

#endif
