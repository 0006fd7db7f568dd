/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_paths.h - the control groups of --cgroup, which may be removed and made again
 *
 * A service manager removes the control group of a unit that stops, and makes another one at the same
 * path when it starts. The recorder looks at each path some times a second, and passes the new
 * group on to the module.
 */
#ifndef KFLAME_RECORD_CGROUP_PATHS_H
#define KFLAME_RECORD_CGROUP_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

#define CHOSEN_CGROUPS_NS	250000000ull	/* how often chosen_cgroups_follow() looks */

/**
 * struct chosen_cgroups - all zero is none
 * @all:	in the order of kflame_config.cgroups
 * @looked_ns:	when they were last looked at
 */
struct chosen_cgroups {
	struct chosen_cgroup {
		const char *path;	/* as it was asked for; the caller's */
		uint64_t id;		/* of the group that the module samples */
		uint64_t gone_ns;	/* since when there is none; 0: it is there */
		uint64_t away_ns;	/* how long there was none, all times together */
		unsigned int removed;	/* how often */
		bool stays_away;	/* the module cannot be given the new one */
	} all[KFLAME_MAX_CGROUPS];
	size_t nr;
	uint64_t looked_ns;
};

/**
 * chosen_cgroups_open() - opens one more
 * @path:	as for cgroup_open(); stays the caller's, and lives as long as @c
 *
 * Return: a descriptor of the caller's; -1, after an error message.
 */
int chosen_cgroups_open(struct chosen_cgroups *c, const char *path);

/**
 * chosen_cgroups_look() - looks at each path, and gives the module each group that was made again
 * @device:	the session, configured with these groups
 * @features:	KFLAME_FEAT_* of the module
 * @now:	in nanoseconds, of any clock that only grows
 */
void chosen_cgroups_look(struct chosen_cgroups *c, int device, uint64_t features, uint64_t now);

/** chosen_cgroups_follow() - chosen_cgroups_look(), if that was CHOSEN_CGROUPS_NS ago */
void chosen_cgroups_follow(struct chosen_cgroups *c, int device, uint64_t features, uint64_t now);

/**
 * chosen_cgroups_tell() - says on standard error which groups were gone, and how long
 * @now:	when the recording ended
 */
void chosen_cgroups_tell(const struct chosen_cgroups *c, uint64_t now);

#endif
