// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wakers.c - reads who ended waits
 *
 * A waker has stacks and a name, and no counts.  The counts of waits name it.  A record of a waker cannot
 * name another waker, so there are no chains of them.
 */
#include <errno.h>
#include <string.h>

#include "profile/addresses.h"
#include "profile/private.h"

#define UPPER	(~0ull << 32)

static bool same_waker(const void *ctx, uint32_t i, const void *key)
{
	const struct profile *p = ctx;
	const struct profile_waker *a = &p->wakers[i], *b = key;

	return a->aspace == b->aspace && a->kstack == b->kstack && a->ustack == b->ustack &&
	       a->context == b->context && a->tgid == b->tgid && a->tid == b->tid &&
	       !memcmp(a->comm, b->comm, sizeof(a->comm));
}

static uint64_t hash_waker(const struct profile_waker *w)
{
	uint64_t hash = hash_u64((uint64_t)w->aspace << 32 | w->context, (uint64_t)w->kstack << 32 | w->ustack);

	return hash_bytes(hash_u64(hash, (uint64_t)w->tgid << 32 | w->tid), w->comm, sizeof(w->comm));
}

int profile_intern_waker(struct profile *p, const struct profile_waker *w, uint32_t *i)
{
	const uint64_t hash = hash_waker(w);
	int err;

	*i = index_find(&p->reader->waker_index, hash, same_waker, p, w);
	if (*i != INDEX_NONE)
		return 0;
	*i = (uint32_t)p->nr_wakers;
	err = grow(&p->wakers, p->nr_wakers, &p->cap_wakers, sizeof(*p->wakers));
	if (!err)
		err = index_add(&p->reader->waker_index, hash, *i);
	if (!err)
		p->wakers[p->nr_wakers++] = *w;
	return err;
}

/* Wakers and the counts that name them have ids with the same upper half, and come together. */
static int number(struct profile *p, uint64_t id, uint32_t i)
{
	struct profile_reader *reader = p->reader;

	if ((id & UPPER) != reader->wakers_of) {
		idmap_exit(&reader->wakers);
		reader->wakers_of = id & UPPER;
	}
	return idmap_set(&reader->wakers, id, i);
}

static bool is_context(uint32_t context)
{
	return context == KFLAME_CTX_TASK || context == KFLAME_CTX_IDLE || context == KFLAME_CTX_SOFTIRQ ||
	       context == KFLAME_CTX_IRQ;
}

int profile_take_waker(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_waker *r = (const void *)rec;
	struct profile_waker w = {
		.aspace = PROFILE_NONE, .context = r->context, .tgid = r->tgid, .tid = r->tid,
	};
	uint32_t i;
	int err = r->id && is_context(r->context) ? 0 : -EBADMSG;

	if (!err && r->aspace)
		err = profile_aspace_index(p, r->aspace, &w.aspace);
	if (err)
		return err;
	if (p->addresses) {
		err = profile_addresses_count(p->addresses, r->kstack, r->ustack, w.aspace, 0);
		if (err > 0)
			p->lost_stacks++;
		return err < 0 ? err : 0;
	}
	/* Bytes after the NUL are no part of the name. */
	memcpy(w.comm, r->comm, strnlen((const char *)r->comm, sizeof(w.comm) - 1));
	w.kstack = profile_stack_index(p, r->kstack, KFLAME_STACK_KERNEL);
	w.ustack = profile_stack_index(p, r->ustack, KFLAME_STACK_USER);
	err = profile_intern_waker(p, &w, &i);
	return err ? err : number(p, r->id, i);
}

uint32_t profile_waker_index(struct profile *p, uint64_t id)
{
	uint32_t i;

	if (!id || p->addresses)
		return PROFILE_NONE;
	i = idmap_find(&p->reader->wakers, id);
	if (i != INDEX_NONE)
		return i;
	p->lost_stacks++;
	return PROFILE_LOST;
}
