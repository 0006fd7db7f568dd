/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_names.h - the paths of the cgroups that a profile tells the ids of
 *
 * A cgroup may be gone when the recording ends: each is looked up when it is first reported.
 */
#ifndef KFLAME_RECORD_CGROUP_NAMES_H
#define KFLAME_RECORD_CGROUP_NAMES_H

#include "profile/profile.h"
#include "profile/writer.h"

/** struct cgroups - those that were looked up; all zero is none */
struct cgroups {
	struct cgroup {
		uint64_t id;
		char *path;		/* NULL where it was not found */
	} *all;
	size_t nr, cap;
	struct idmap ids;
	size_t looked;			/* address spaces looked at; those before them were reported */
	uint64_t bytes;			/* of the profile, looked at */
	bool opened;
	int mount;			/* of cgroup v2; -1 for none */
	char *at;			/* where that is */
};

/** cgroups_update() - looks up what the profile tells that is new */
void cgroups_update(struct cgroups *c, const struct profile *p);

/**
 * cgroups_name() - CGROUP records for all that were found
 * @p:		the profile, finished
 * @to:		gets the records
 */
void cgroups_name(struct cgroups *c, const struct profile *p, struct records *to);

/** cgroups_exit() - frees them, and makes it none */
void cgroups_exit(struct cgroups *c);

#endif
