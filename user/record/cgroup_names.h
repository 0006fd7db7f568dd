/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_names.h - finds the paths of the cgroups whose ids are in a profile
 *
 * A cgroup may be removed before the recording ends. So its path is looked up when its id is first reported.
 */
#ifndef KFLAME_RECORD_CGROUP_NAMES_H
#define KFLAME_RECORD_CGROUP_NAMES_H

#include "profile/profile.h"
#include "profile/writer.h"

/** struct cgroups - the cgroups looked up so far; all zero is an empty set */
struct cgroups {
	struct cgroup {
		uint64_t id;
		char *path;		/* NULL if the path was not found */
	} *all;
	size_t nr, cap;
	struct idmap ids;
	size_t looked;			/* leading address spaces that are reported and need no second look */
	uint64_t bytes;			/* size of the profile at the last look */
	bool opened;
	int mount;			/* descriptor of the cgroup v2 mount point; -1: none */
	char *at;			/* path of the mount point */
};

/** cgroups_update() - looks up the cgroups that the profile reported since the last call */
void cgroups_update(struct cgroups *c, const struct profile *p);

/**
 * cgroups_name() - writes a CGROUP record for each cgroup whose path was found
 * @p:		the complete profile
 * @to:		receives the records
 */
void cgroups_name(struct cgroups *c, const struct profile *p, struct records *to);

/**
 * cgroups_path() - looks up one cgroup, unless that was done before
 * @id:		0: no cgroup
 * @tgid:	a process that was in it
 *
 * Return: its path, owned by @c; NULL if it was not found.
 */
const char *cgroups_path(struct cgroups *c, uint64_t id, uint32_t tgid);

/** cgroups_exit() - frees the set, and leaves it empty */
void cgroups_exit(struct cgroups *c);

#endif
