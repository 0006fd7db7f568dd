/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_mount.h - where this machine has its control groups (cgroup v2)
 */
#ifndef KFLAME_RECORD_CGROUP_MOUNT_H
#define KFLAME_RECORD_CGROUP_MOUNT_H

#include <stdint.h>

/**
 * cgroup_mount_open() - opens the mount of the v2 hierarchy
 * @at:		gets its path, to be freed; NULL for none
 *
 * Return: a descriptor of the caller's; -1 for none.
 */
int cgroup_mount_open(char **at);

/**
 * cgroup_find() - opens the directory of a control group, if it is there
 * @name:	its path: below the mount, with or without a leading /, or whole
 *
 * Return: a descriptor of the caller's; -1 for none.
 */
int cgroup_find(const char *name);

/**
 * cgroup_open() - opens the directory of a control group
 * @name:	as for cgroup_find()
 *
 * Return: a descriptor of the caller's; -1, after an error message that says what to do.
 */
int cgroup_open(const char *name);

#endif
