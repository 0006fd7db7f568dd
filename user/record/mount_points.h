/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mount_points.h - whole paths of files, for labels that have the path within a file system
 */
#ifndef KFLAME_RECORD_MOUNT_POINTS_H
#define KFLAME_RECORD_MOUNT_POINTS_H

#include "profile/profile.h"
#include "profile/writer.h"

/** struct mount_points - mounted directories; all zero is none */
struct mount_points {
	struct mount_point *all;	/* private to mount_points.c */
	size_t nr, cap;
};

/**
 * mount_points_add() - reads the mounts of a mount namespace
 * @path:	such as "/proc/self/mountinfo"
 *
 * A file that cannot be read adds nothing.
 *
 * Return: 0 or -ENOMEM.
 */
int mount_points_add(struct mount_points *m, const char *path);

/** mount_points_exit() - frees them; @m is empty afterwards */
void mount_points_exit(struct mount_points *m);

/**
 * mount_points_path() - the whole path of a file
 * @m:		mounts at one time
 * @others:	mounts at another time of the recording
 *
 * The kernel gives the number of a device that does not exist any more to another one, if the device is virtual, as of a
 * tmpfs or a container.  So of these, only mounts that are in both lists are used.  Of several mounts of one
 * directory, the first one is taken.
 *
 * Return: the path, to be freed; NULL if it is not known, or without memory.
 */
char *mount_points_path(const struct mount_points *m, const struct mount_points *others,
			const struct profile_label *l);

/**
 * mount_points_name() - adds the whole paths of a profile's labels, as this process sees mounts
 * @before:	mounts when the recording began
 * @to:		the records are added here
 *
 * A file whose mount is not known keeps its device, and its path there.
 */
void mount_points_name(const struct mount_points *before, const struct profile *p, struct records *to);

#endif
