// SPDX-License-Identifier: GPL-2.0-only
/*
 * socket_label.c - the peer of a socket, as a label
 *
 * One end of a connection has a port that the kernel has chosen, and that differs each time. The other end
 * has the port of a service. The kernel chooses high numbers, so the label has the lower one of both. Then
 * all connections to a service, or of one client, have one label.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "source/labelled.h"
#include "source/socket_label.h"

/* An address, " port " and a number */
#define ROOM	72

#ifdef CONFIG_INET

/* The socket may be changing, so a label may have the peer of one instant and the port of another. */
static u32 peer_label(struct kf_labels *labels, const struct sock *sk)
{
	const u16 local = ntohs(READ_ONCE(inet_sk(sk)->inet_sport)), remote = ntohs(READ_ONCE(sk->sk_dport));
	char text[ROOM];

	if (!remote && !local)
		return 0;
	if (!remote)
		snprintf(text, sizeof(text), "local port %u", local);
#if IS_ENABLED(CONFIG_IPV6)
	else if (sk->sk_family == AF_INET6 && !ipv6_addr_v4mapped(&sk->sk_v6_daddr))
		snprintf(text, sizeof(text), "%pI6c port %u", &sk->sk_v6_daddr, min(local, remote));
#endif
	else
		snprintf(text, sizeof(text), "%pI4 port %u", &sk->sk_daddr, min(local, remote));
	return kf_text_label(labels, text);
}

/* Raw sockets have the number of a protocol in the port's place. */
static bool has_ports(const struct sock *sk)
{
	return (sk->sk_family == AF_INET || sk->sk_family == AF_INET6) &&
	       (sk->sk_type == SOCK_STREAM || sk->sk_type == SOCK_DGRAM);
}

#endif

/**
 * kf_socket_label() - the label of a TCP or UDP socket
 * @labels:	the session's
 * @sock:	address of a struct sock, to which somebody holds a reference meanwhile
 *
 * Context: interrupts off, no NMI.
 * Return: as kf_labels_intern(); 0 for other sockets, and for one that has no port yet.
 */
u32 kf_socket_label(struct kf_labels *labels, unsigned long sock)
{
#ifdef CONFIG_INET
	const struct sock *sk = (const void *)sock;

	if (has_ports(sk))
		return peer_label(labels, sk);
#endif
	return 0;
}
