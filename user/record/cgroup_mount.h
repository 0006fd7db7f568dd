/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_mount.h - finds control groups (cgroup v2) in the file system of this machine
 */
#ifndef KFLAME_RECORD_CGROUP_MOUNT_H
#define KFLAME_RECORD_CGROUP_MOUNT_H

#include <stdint.h>

/**
 * cgroup_mount_open() - opens the mount point of the cgroup v2 hierarchy
 * @at:		out: path of the mount point, which the caller frees; NULL if there is none
 *
 * Return: a descriptor, which the caller closes; -1 if cgroup v2 is not mounted.
 */
int cgroup_mount_open(char **at);

/**
 * cgroup_find() - opens the directory of a control group, without an error message
 * @name:	path relative to the mount point, with or without a leading /; or an absolute path
 *
 * Return: a descriptor, which the caller closes; -1 if there is no such group.
 */
int cgroup_find(const char *name);

/**
 * cgroup_open() - opens the directory of a control group, or explains why it cannot
 * @name:	path, as for cgroup_find()
 *
 * Return: a descriptor, which the caller closes; -1, after an error message that says what to do.
 */
int cgroup_open(const char *name);

#endif
