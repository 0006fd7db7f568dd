/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * socket_label.h - the peer of a socket, as a label
 */
#ifndef KF_SOCKET_LABEL_H
#define KF_SOCKET_LABEL_H

#include <linux/types.h>

struct kf_labels;

u32 kf_socket_label(struct kf_labels *labels, unsigned long sock);

#endif
