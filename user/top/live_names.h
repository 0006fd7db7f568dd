/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_names.h - names of what is recorded, while it is recorded
 *
 * symbols/lookup.h looks all up once, at the end.  Here files stay open, and what was found stays.
 */
#ifndef KFLAME_TOP_LIVE_NAMES_H
#define KFLAME_TOP_LIVE_NAMES_H

#include "profile/profile.h"
#include "record/held_files.h"
#include "record/perf_maps.h"

struct live_names;

/**
 * live_names_create() - begins
 * @device:	of /dev/kflame, asked where /proc/kallsyms does not tell; must stay open
 *
 * Return: for live_names_destroy(); NULL without memory.
 */
struct live_names *live_names_create(int device);

/** live_names_destroy() - takes NULL */
void live_names_destroy(struct live_names *n);

/**
 * live_names_update() - looks up what some counts need
 * @p:		the same as ever, with more in it
 * @held:	its files; those that are not held yet get their names later
 * @maps:	what just-in-time compilers tell
 * @counts:	some of the profile's, or copies
 *
 * Return: 0 or -ENOMEM.
 */
int live_names_update(struct live_names *n, const struct profile *p,
		      const struct held_files *held, struct perf_maps *maps,
		      const struct profile_count *counts, size_t nr);

/**
 * live_names_lend() - gives a copy of the profile all names
 * @view:	a copy of struct profile; its files, address spaces and kernel symbols are @n's from
 *		here on, until the next call or live_names_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int live_names_lend(struct live_names *n, struct profile *view);

#endif
