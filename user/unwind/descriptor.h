/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * descriptor.h - messages that may bring a descriptor along
 */
#ifndef KFLAME_DESCRIPTOR_H
#define KFLAME_DESCRIPTOR_H

#include <sys/types.h>
#include <sys/uio.h>

/**
 * descriptor_send() - sends a message
 * @fd:		goes with it, and stays the caller's; -1 for none
 * @flags:	of sendmsg(2)
 *
 * Return: 0 or a negative errno.
 */
int descriptor_send(int socket, struct iovec *parts, size_t nr, int fd, int flags);

/**
 * descriptor_receive() - waits for a message
 * @fd:		gets what came with it, the caller's; -1 for none
 *
 * Return: its length; 0 at the end, -1 for an error.
 */
ssize_t descriptor_receive(int socket, void *to, size_t room, int *fd);

#endif
