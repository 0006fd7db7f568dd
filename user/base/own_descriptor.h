/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_descriptor.h - recognise paths that name a descriptor of this process: /dev/stdout, /dev/fd/3
 */
#ifndef KFLAME_BASE_OWN_DESCRIPTOR_H
#define KFLAME_BASE_OWN_DESCRIPTOR_H

/**
 * own_descriptor() - get the descriptor of this process that a path leads to
 * @path:	of a file to write
 *
 * If such a descriptor is a regular file, the tool must not rename or reopen it: the file would lose its
 * content, and the shell's other output to the same file.
 *
 * Links that another user made are not followed.
 *
 * Return: the descriptor, which may not be open; -1 if the path leads elsewhere.
 */
int own_descriptor(const char *path);

#endif
