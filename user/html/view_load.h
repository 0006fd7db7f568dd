/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_load.h - fills a struct view_data in, from a profile or from folded stacks
 *
 * If a function fails, it reports on standard error what went wrong, and what to do.
 */
#ifndef KFLAME_HTML_VIEW_LOAD_H
#define KFLAME_HTML_VIEW_LOAD_H

#include "html/view_data.h"
#include "profile/profile.h"
#include "stacks/stack_root.h"

/**
 * struct view_counts - the facts of each count of a profile
 * @fact:	of count i: index [2 * i] has its facts; [2 * i + 1] its late time, or VIEW_NONE
 */
struct view_counts {
	uint32_t *fact;
};

/**
 * view_load_profile() - adds all counts of a profile
 * @p:		with the counts of all events and CPUs
 * @side:	name of the side in a comparison; NULL: there is one profile
 * @spots:	spot of each count; NULL: none
 * @counts:	out: to be freed with free(@counts->fact); NULL: not wanted
 *
 * Return: 0 or a negative errno.
 */
int view_load_profile(struct view_data *d, const struct profile *p, const char *side, const uint32_t *spots,
		      struct view_counts *counts);

/** view_dim_of() - Return: the dimension of a root; VIEW_DIMS for none, VIEW_EVENT for an event */
enum view_dim view_dim_of(enum stack_root root);

/** view_load_folded() - adds folded stacks; @path, @status: as for load_folded().  Return: 0 or a negative errno */
int view_load_folded(struct view_data *d, const char *path, const char *side, int *status);

#endif
