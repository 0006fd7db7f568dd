// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * origins.c - the host and the recording that each count of a merged profile comes from
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/private.h"

/* Return: the value of @key in "key=value" strings; NULL if it is not there */
static const char *value_of(const char *text, size_t len, const char *key)
{
	const size_t key_len = strlen(key);

	for (const char *at = text; at && at < text + len; at += strlen(at) + 1)
		if (!strncmp(at, key, key_len) && at[key_len] == '=')
			return at + key_len + 1;
	return NULL;
}

int profile_add_origin(struct profile *p, const char *text, size_t len)
{
	struct profile_origin o = { .len = len };
	int err;

	if (p->nr_origins >= PROFILE_MAX_ORIGINS)
		return -EBADMSG;
	err = grow(&p->origins, p->nr_origins, &p->cap_origins, sizeof(*p->origins));
	if (err)
		return err;
	o.text = malloc(len + 1);
	if (!o.text)
		return -ENOMEM;
	memcpy(o.text, text, len);
	o.host = value_of(o.text, len, "host");
	o.run = value_of(o.text, len, "run");
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
		err = profile_add_origin(p, (const char *)r->text, r->text_len);
		if (!err)
			err = idmap_set(&p->reader->origins, r->id, (uint32_t)p->nr_origins);
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

const char *profile_count_key(const struct profile *p, const struct profile_count *c, const char *key)
{
	const struct profile_origin *o = c->origin ? &p->origins[c->origin - 1] : NULL;

	return o ? value_of(o->text, o->len, key) : profile_host(p, key);
}
