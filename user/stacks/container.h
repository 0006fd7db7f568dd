/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * container.h - the container that a cgroup belongs to, by its path
 */
#ifndef KFLAME_STACKS_CONTAINER_H
#define KFLAME_STACKS_CONTAINER_H

/**
 * container_name() - what people call it
 * @path:	of a cgroup
 *
 * The first 12 digits of a container's id (Docker, containerd, CRI-O, Podman, in
 * Kubernetes or not), the name of an LXC container or of a machine of systemd; of one
 * within another the inner one.  Otherwise the path.
 *
 * Return: a string to be freed; NULL without memory.
 */
char *container_name(const char *path);

#endif
