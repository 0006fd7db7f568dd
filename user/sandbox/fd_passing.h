/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fd_passing.h - messages over a Unix socket that carry file descriptors
 */
#ifndef KFLAME_SANDBOX_FD_PASSING_H
#define KFLAME_SANDBOX_FD_PASSING_H

#include <sys/types.h>
#include <sys/uio.h>

#define FD_PASSING_MOST	8	/* descriptors in one message */

/** struct fd_message - a received message */
struct fd_message {
	int fds[FD_PASSING_MOST];	/* close-on-exec; the receiver closes them */
	size_t nr_fds;
	pid_t sender;		/* set if the socket has SO_PASSCRED; else 0 */
};

/**
 * fd_send() - send a message
 * @fds:	descriptors to pass, at most FD_PASSING_MOST; the caller still owns them
 * @flags:	of sendmsg(2)
 *
 * Return: 0 or a negative errno.
 */
int fd_send(int socket, struct iovec *parts, size_t nr, const int *fds, size_t nr_fds, int flags);

/**
 * fd_receive() - wait for a message
 * @m:		gets the descriptors and the sender
 *
 * Return: length of the message; 0 if the other end is closed; -1 for an error.  For 0 and -1, @m has no
 * descriptors.
 */
ssize_t fd_receive(int socket, void *to, size_t room, struct fd_message *m);

/** fd_message_close() - close all descriptors of a message */
void fd_message_close(struct fd_message *m);

#endif
