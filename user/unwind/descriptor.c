// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * descriptor.c - messages that may bring a descriptor along
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "unwind/descriptor.h"

union control {
	struct cmsghdr align;
	char space[CMSG_SPACE(sizeof(int))];
};

int descriptor_send(int socket, struct iovec *parts, size_t nr, int fd, int flags)
{
	union control control = { 0 };
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = nr };
	ssize_t n;

	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		*CMSG_FIRSTHDR(&m) = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
		};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &fd, sizeof(fd));
	}
	do
		n = sendmsg(socket, &m, MSG_NOSIGNAL | flags);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

ssize_t descriptor_receive(int socket, void *to, size_t room, int *fd)
{
	struct iovec data = { to, room };
	union control control;
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	const struct cmsghdr *c;
	ssize_t n;

	*fd = -1;
	do
		n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return n;
}
