/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send_labels.h - the labels of a profile, as servers get them
 *
 * The labels are those of the profile, not of the configuration now.
 */
#ifndef KFLAME_AGENT_SEND_LABELS_H
#define KFLAME_AGENT_SEND_LABELS_H

#include "profile/profile.h"

/** struct send_label - a label; @name is not terminated */
struct send_label {
	const char *name, *value;
	size_t name_len;
};

/** send_labels_service() - Return: the name of the service: "label.service", or else the host */
const char *send_labels_service(const struct profile *p);

/**
 * send_labels_next() - gets one label after the other, except the service
 * @at:	in, out: begins with 0
 *
 * Return: false: there are no more.
 */
bool send_labels_next(const struct profile *p, size_t *at, struct send_label *label);

/** send_label_is() - Return: whether the label has that name */
bool send_label_is(const struct send_label *label, const char *name);

#endif
