// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fd_passing.c - messages over a Unix socket that carry file descriptors
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/fd_passing.h"

/* Room for descriptors and for the sender's credentials */
union control {
	struct cmsghdr align;
	char space[CMSG_SPACE(FD_PASSING_MOST * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
};

int fd_send(int socket, struct iovec *parts, size_t nr, const int *fds, size_t nr_fds, int flags)
{
	union control control = { 0 };
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = nr };
	ssize_t n;

	if (nr_fds > FD_PASSING_MOST)
		return -EINVAL;
	if (nr_fds) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
		*CMSG_FIRSTHDR(&m) = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(nr_fds * sizeof(int)), .cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
		};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), fds, nr_fds * sizeof(int));
	}
	do
		n = sendmsg(socket, &m, MSG_NOSIGNAL | flags);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static void take_control(struct msghdr *from, struct fd_message *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(from); c; c = CMSG_NXTHDR(from, c)) {
		size_t len = c->cmsg_len - CMSG_LEN(0);
		struct ucred sender;

		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_RIGHTS && len <= sizeof(m->fds)) {
			memcpy(m->fds, CMSG_DATA(c), len);
			m->nr_fds = len / sizeof(int);
		} else if (c->cmsg_type == SCM_CREDENTIALS && len == sizeof(sender)) {
			memcpy(&sender, CMSG_DATA(c), sizeof(sender));
			m->sender = sender.pid;
		}
	}
}

ssize_t fd_receive(int socket, void *to, size_t room, struct fd_message *m)
{
	struct iovec data = { to, room };
	union control control;
	struct msghdr from = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
			       .msg_controllen = sizeof(control) };
	ssize_t n;

	*m = (struct fd_message){ 0 };
	do
		n = recvmsg(socket, &from, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		take_control(&from, m);
	return n;
}

void fd_message_close(struct fd_message *m)
{
	while (m->nr_fds)
		close(m->fds[--m->nr_fds]);
}
