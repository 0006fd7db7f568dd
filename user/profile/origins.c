// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * origins.c - the host and the recording that each count of a merged profile comes from
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/private.h"

#define MAX_ORIGINS	65536	/* far more than a merged profile has in practice */

/* Splits "key=value" strings.  Return: 0 or -ENOMEM. */
static int take_texts(struct profile_origin *o, const char *at, const char *end)
{
	for (; at < end; at += strlen(at) + 1) {
		char **to = !strncmp(at, "host=", 5) ? &o->host :
			    !strncmp(at, "run=", 4) ? &o->run : NULL;

		if (!to || *to)
			continue;
		*to = strdup(strchr(at, '=') + 1);
		if (!*to)
			return -ENOMEM;
	}
	return 0;
}

static int add_origin(struct profile *p, const struct kflame_rec_origin *r)
{
	struct profile_origin o = { 0 };
	int err;

	if (p->nr_origins >= MAX_ORIGINS)
		return -EBADMSG;
	err = grow(&p->origins, p->nr_origins, &p->cap_origins, sizeof(*p->origins));
	if (!err)
		err = take_texts(&o, (const char *)r->text, (const char *)r->text + r->text_len);
	if (!err)
		err = idmap_set(&p->reader->origins, r->id, (uint32_t)p->nr_origins + 1);
	if (err) {
		free(o.host);
		free(o.run);
		return err;
	}
	p->origins[p->nr_origins++] = o;
	return 0;
}

int profile_take_origin(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_origin *r = (const void *)rec;
	uint32_t place = idmap_find(&p->reader->origins, r->id);
	int err;

	p->reader->origin = 0;
	if (!r->id || r->text_len > rec->size - sizeof(*r) ||
	    (r->text_len && r->text[r->text_len - 1]))
		return -EBADMSG;
	if (place == INDEX_NONE) {
		err = add_origin(p, r);
		if (err)
			return err;
		place = (uint32_t)p->nr_origins;
	}
	p->reader->origin = place;
	return 0;
}

const char *profile_count_host(const struct profile *p, const struct profile_count *c)
{
	return c->origin ? p->origins[c->origin - 1].host : profile_host(p, "host");
}

const char *profile_count_run(const struct profile *p, const struct profile_count *c)
{
	return c->origin ? p->origins[c->origin - 1].run : NULL;
}
