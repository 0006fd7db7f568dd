/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_descriptor.h - paths that name a descriptor of this process: /dev/stdout, /dev/fd/3
 */
#ifndef KFLAME_BASE_OWN_DESCRIPTOR_H
#define KFLAME_BASE_OWN_DESCRIPTOR_H

/**
 * own_descriptor() - whether a path leads to one of our descriptors
 * @path:	of a file to write
 *
 * Links that somebody else made are not followed.
 *
 * Where that is a regular file the path may be renamed or opened anew by mistake: what is in the
 * file would be lost, and with it whatever the shell wants there before and after.
 *
 * Return: its number, which may be of none that is open; -1 where it leads elsewhere.
 */
int own_descriptor(const char *path);

#endif
