/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_work.h - which functions of the kernel do what kind of work
 */
#ifndef KFLAME_PAGE_KERNEL_WORK_H
#define KFLAME_PAGE_KERNEL_WORK_H

#include "stacks/tree.h"

/** enum kernel_work - kinds of work; several may be on one path, as page faults that swap */
enum kernel_work {
	WORK_PAGE_FAULTS,
	WORK_SWAP,
	WORK_RECLAIM,
	WORK_COMPACTION,
	WORK_PROCESSES,		/* their making and their end */
	WORK_OTHER_CPUS,	/* waits until other CPUs answer */
	WORK_CONSOLE,
	NR_KERNEL_WORK,
};

/**
 * struct work_sum - the work of one kind in a call tree
 * @weight:	total of all paths with a function of that kind
 * @node:	the function of that kind with the largest total; 0 for none
 */
struct work_sum {
	struct weight weight;
	uint32_t node;
};

/** kernel_work_sum() - fills in @sums[NR_KERNEL_WORK].  Return: 0 or -ENOMEM */
int kernel_work_sum(struct work_sum *sums, const struct tree *t, enum tree_unit unit);

/** kernel_work_focus() - Return: the functions of a kind as an option --focus=REGEX of views */
const char *kernel_work_focus(enum kernel_work kind);

/**
 * system_calls_find() - finds the system call with the largest total
 * @node:	out: where most of it is
 * @weight:	out: its total in all threads
 *
 * Return: its name without the kernel's prefix; NULL: there is none.
 */
const char *system_calls_find(const struct tree *t, enum tree_unit unit, uint32_t *node, struct weight *weight);

#endif
