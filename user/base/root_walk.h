/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root_walk.h - follow a path below a directory that stands for /, one component after the other
 *
 * The fallback of root_open() where the kernel has no openat2() (before Linux 5.6), or a filter forbids it.
 */
#ifndef KFLAME_BASE_ROOT_WALK_H
#define KFLAME_BASE_ROOT_WALK_H

/**
 * root_walk() - open a file below @root
 * @root:	the directory
 * @path:	path below @root
 * @flags:	flags of open(2), without O_CREAT
 *
 * Absolute symbolic links begin at @root, and ".." stops there.  Each directory on the way stays open.  So
 * somebody who renames a directory meanwhile cannot lead the walk out of @root.
 *
 * Return: a descriptor or a negative errno.
 */
int root_walk(const char *root, const char *path, int flags);

#endif
