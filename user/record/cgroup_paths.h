/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_paths.h - follows the control groups of --cgroup, which may be removed and created again
 *
 * A service manager removes the control group of a unit that stops. When the unit starts again, the manager
 * creates a new group at the same path. The recorder checks each path several times a second, and passes a
 * new group to the module.
 */
#ifndef KFLAME_RECORD_CGROUP_PATHS_H
#define KFLAME_RECORD_CGROUP_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

#define CHOSEN_CGROUPS_NS	250000000ull	/* how often chosen_cgroups_follow() looks */

/**
 * struct chosen_cgroups - the groups of --cgroup; all zero is none
 * @all:	the groups, in the order of kflame_config.cgroups
 * @looked_ns:	when the paths were last checked
 */
struct chosen_cgroups {
	struct chosen_cgroup {
		const char *path;	/* as the operator wrote it; owned by the caller */
		uint64_t id;		/* id of the group that the module samples */
		uint64_t gone_ns;	/* when the group was found missing; 0: the group exists */
		uint64_t away_ns;	/* total time without the group, up to the last return */
		unsigned int removed;	/* how often the group was found removed */
		bool stays_away;	/* the module does not accept the new group */
	} all[KFLAME_MAX_CGROUPS];
	size_t nr;
	uint64_t looked_ns;
};

/**
 * chosen_cgroups_open() - opens one more group
 * @path:	path, as for cgroup_open(); owned by the caller, must live as long as @c
 *
 * Return: a descriptor, which the caller closes; -1, after an error message.
 */
int chosen_cgroups_open(struct chosen_cgroups *c, const char *path);

/**
 * chosen_cgroups_look() - checks each path, and passes each group that was created again to the module
 * @device:	the session, configured with these groups
 * @features:	KFLAME_FEAT_* of the module
 * @now:	current time in nanoseconds, of any monotonic clock
 */
void chosen_cgroups_look(struct chosen_cgroups *c, int device, uint64_t features, uint64_t now);

/** chosen_cgroups_follow() - calls chosen_cgroups_look() if the last check is CHOSEN_CGROUPS_NS ago */
void chosen_cgroups_follow(struct chosen_cgroups *c, int device, uint64_t features, uint64_t now);

/**
 * chosen_cgroups_tell() - reports on standard error which groups were removed, and for how long
 * @now:	when the recording ended, on the clock of chosen_cgroups_look()
 */
void chosen_cgroups_tell(const struct chosen_cgroups *c, uint64_t now);

#endif
