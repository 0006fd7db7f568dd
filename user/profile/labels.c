// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * labels.c - reads what samples are about
 *
 * A label is recorded as the innermost frame of a kernel stack.  In a profile in memory it is no frame, but a
 * member of the stack.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/private.h"

bool profile_is_label(uint64_t ip)
{
	return (ip & KFLAME_LABEL_MASK) == KFLAME_LABEL && (uint32_t)ip;
}

/* The index of a label: stacks may name it before its own record.  Return: 0 or -ENOMEM */
static int index_of(struct profile *p, uint32_t id, uint32_t *index)
{
	int err;

	*index = idmap_find(&p->reader->labels, id);
	if (*index != INDEX_NONE)
		return 0;
	*index = (uint32_t)p->nr_labels;
	err = grow(&p->labels, p->nr_labels, &p->cap_labels, sizeof(*p->labels));
	if (!err)
		err = idmap_set(&p->reader->labels, id, *index);
	if (!err)
		p->labels[p->nr_labels++] = (struct profile_label){ .id = id };
	return err;
}

/* Without its mount point, a path has its device before it.  Return: 0 or -ENOMEM */
static int set_name(struct profile_label *l, const char *text)
{
	const char *major = l->is_major ? PROFILE_MAJOR : "";
	char *name;
	int len;

	if (l->kind == KFLAME_LABEL_FILE)
		len = asprintf(&name, "%s[%" PRIu32 ":%" PRIu32 "]%s", major, l->dev_major, l->dev_minor, text);
	else
		len = asprintf(&name, "%s%s", major, text);
	if (len < 0)
		return -ENOMEM;
	free(l->name);
	l->name = name;
	l->path = name + strlen(name) - strlen(text);
	return 0;
}

int profile_take_label(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_label *r = (const void *)rec;
	struct profile_label *l;
	uint32_t i;
	char *text;
	int err;

	if (!r->id || !r->text_len || (r->kind & ~KFLAME_LABEL_MAJOR) > KFLAME_LABEL_FILE)
		return -EBADMSG;
	if (r->root_len != KFLAME_LABEL_NO_ROOT && r->root_len > r->text_len)
		return -EBADMSG;
	text = profile_take_string(rec, r->text, r->text_len, &err);
	if (!text)
		return err;
	err = index_of(p, r->id, &i);
	if (!err) {
		l = &p->labels[i];
		l->kind = r->kind & KFLAME_LABEL_KIND;
		l->is_major = r->kind & KFLAME_LABEL_MAJOR;
		l->dev_major = r->dev_major;
		l->dev_minor = r->dev_minor;
		l->root_len = r->root_len;
		err = set_name(l, text);
	}
	free(text);
	return err;
}

int profile_split_label(struct profile *p, struct profile_stack *s)
{
	const uint64_t label = s->pc;

	s->label = PROFILE_NONE;
	if (s->kind != KFLAME_STACK_KERNEL || !s->nr || !profile_is_label(label))
		return 0;
	if (s->candidate != KFLAME_NO_CANDIDATE)
		s->candidate = s->candidate ? s->candidate - 1 : KFLAME_NO_CANDIDATE;
	s->pc = 0;
	/* See KFLAME_LABEL: the program counter is recorded as if it were a return address. */
	if (--s->nr) {
		s->pc = *s->callers++;
		s->pc -= !!s->pc;
	}
	return index_of(p, (uint32_t)label, &s->label);
}

/* The frames of a stack with a label become callers of @ip.  Return: 0 or -ENOMEM; *@made is to be freed */
static int join(struct profile_stack *s, uint64_t ip, uint64_t **made)
{
	*made = malloc((s->nr + 1) * sizeof(**made));
	if (!*made)
		return -ENOMEM;
	if (s->nr) {
		(*made)[0] = s->pc + 1;
		memcpy(*made + 1, s->callers, (s->nr - 1) * sizeof(**made));
	}
	if (s->candidate != KFLAME_NO_CANDIDATE)
		s->candidate++;
	s->label = PROFILE_NONE;
	s->is_like = false;
	s->callers = *made;
	s->pc = ip;
	s->nr++;
	return 0;
}

int profile_exchange_label(struct profile *p, struct profile_stack *s, uint64_t ip, uint64_t **made)
{
	*made = NULL;
	if (s->label == PROFILE_NONE) {
		s->pc = ip;
		return profile_split_label(p, s);
	}
	return profile_is_label(ip) ? index_of(p, (uint32_t)ip, &s->label) : join(s, ip, made);
}

const char *profile_label(const struct profile *p, const struct profile_count *c)
{
	const struct profile_label *l;

	if (c->kstack >= p->nr_stacks || p->stacks[c->kstack].label == PROFILE_NONE)
		return NULL;
	l = &p->labels[p->stacks[c->kstack].label];
	return l->name ? l->name : "[damaged: label]";
}

bool profile_has_labels(const struct profile *p)
{
	for (size_t i = 0; i < p->nr_counts; i++)
		if (profile_label(p, &p->counts[i]))
			return true;
	return false;
}
