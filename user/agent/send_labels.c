// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send_labels.c - the labels of a profile, as servers get them
 */
#include <string.h>

#include "agent/send_labels.h"

const char *send_labels_service(const struct profile *p)
{
	const char *host = profile_host(p, "host"), *service = profile_host(p, PROFILE_LABEL_KEY "service");

	return service ? service : host ? host : "kflame";
}

bool send_label_is(const struct send_label *label, const char *name)
{
	return strlen(name) == label->name_len && !memcmp(label->name, name, label->name_len);
}

bool send_labels_next(const struct profile *p, size_t *at, struct send_label *label)
{
	const size_t skip = strlen(PROFILE_LABEL_KEY);

	while (*at < p->nr_host) {
		const char *text = p->host[(*at)++], *equals = strchr(text, '=');

		if (strncmp(text, PROFILE_LABEL_KEY, skip) || !equals || equals < text + skip)
			continue;
		*label = (struct send_label){ text + skip, equals + 1, (size_t)(equals - text) - skip };
		if (!send_label_is(label, "service"))
			return true;
	}
	return false;
}
