/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_names.h - finds names during the recording
 *
 * symbols/lookup.h finds all names once, at the end.  This one is called repeatedly: it keeps files open, and
 * keeps the names found so far.
 */
#ifndef KFLAME_TOP_LIVE_NAMES_H
#define KFLAME_TOP_LIVE_NAMES_H

#include "profile/profile.h"
#include "record/held_files.h"
#include "record/perf_maps.h"

struct live_names;

/**
 * live_names_create() - creates an empty set of names
 * @device:	descriptor of /dev/kflame, used if /proc/kallsyms hides addresses; must stay open
 *
 * Return: an object for live_names_destroy(); NULL if memory is short.
 */
struct live_names *live_names_create(int device);

/** live_names_destroy() - frees @n; NULL is allowed */
void live_names_destroy(struct live_names *n);

/**
 * live_names_update() - finds the names that some counts need
 * @p:		the same profile in every call, with more data each time
 * @held:	its files; a file that is not held yet gets its names in a later call
 * @maps:	names from just-in-time compilers
 * @counts:	counts of the profile, or copies of them
 *
 * Return: 0 or -ENOMEM.
 */
int live_names_update(struct live_names *n, const struct profile *p,
		      const struct held_files *held, struct perf_maps *maps,
		      const struct profile_count *counts, size_t nr);

/**
 * live_names_lend() - gives a copy of the profile all names
 * @view:	a copy of struct profile. Its files, address spaces and kernel symbols point into @n from
 *		here on, until the next call or live_names_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int live_names_lend(struct live_names *n, struct profile *view);

#endif
