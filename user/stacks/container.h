/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * container.h - the container that a cgroup belongs to, by its path
 */
#ifndef KFLAME_STACKS_CONTAINER_H
#define KFLAME_STACKS_CONTAINER_H

/**
 * container_name() - the usual name of a container
 * @path:	path of a cgroup
 *
 * For Docker, containerd, CRI-O and Podman, in Kubernetes or not, the name is the first 12 digits of the
 * container's id.  LXC containers and systemd machines have names of their own.  For a container within
 * a container, the name is that of the inner one.
 *
 * Return: a string to be freed: the name, or @path if it names no container; NULL without memory.
 */
char *container_name(const char *path);

#endif
