// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept.c - samples that are taken now and counted later, see store/kept.h
 */
#include <linux/errno.h>
#include <linux/mm.h>

#include "base/storing.h"
#include "store/kept.h"

size_t kf_chunks_bytes(u32 nr)
{
	return (size_t)nr * sizeof(struct kf_chunk);
}

/* Make a pool of @nr chunks; may sleep. Return: 0 or -ENOMEM */
int kf_chunks_init(struct kf_chunks *pool, u32 nr)
{
	u32 i;

	pool->chunk = kvcalloc(nr, sizeof(*pool->chunk), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!pool->chunk)
		return -ENOMEM;
	raw_spin_lock_init(&pool->lock);
	for (i = 0; i + 1 < nr; i++)
		pool->chunk[i].next = i + 2;
	pool->free = 1;
	return 0;
}

void kf_chunks_exit(struct kf_chunks *pool)
{
	kvfree(pool->chunk);
	pool->chunk = NULL;
}

static u32 take_chunk(struct kf_chunks *pool)
{
	const bool was = kf_sample_lock(&pool->lock);
	const u32 n = pool->free;

	if (n) {
		pool->free = pool->chunk[n - 1].next;
		pool->chunk[n - 1].next = 0;
	}
	kf_sample_unlock(&pool->lock, was);
	return n;
}

/* A place in the chunks of a sample. @link: what names the current chunk */
struct place {
	struct kf_chunks *pool;
	u32 *link;
	u32 at;
};

/* Append addresses. Return: false if there is no chunk left. */
static bool put(struct place *p, const u64 *ip, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (p->at == KF_CHUNK_FRAMES) {
			p->link = &p->pool->chunk[*p->link - 1].next;
			p->at = 0;
		}
		if (!p->at && !*p->link)
			*p->link = take_chunk(p->pool);
		if (!*p->link)
			return false;
		p->pool->chunk[*p->link - 1].ip[p->at++] = ip[i];
	}
	return true;
}

static void get(const struct kf_chunks *pool, u32 *chunk, u32 *at, u64 *ip, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (*at == KF_CHUNK_FRAMES) {
			*chunk = pool->chunk[*chunk - 1].next;
			*at = 0;
		}
		/* Never so: it was stored. A bug shall not read elsewhere. */
		if (!*chunk)
			return;
		ip[i] = pool->chunk[*chunk - 1].ip[(*at)++];
	}
}

/**
 * kf_kept_store() - keep the addresses of a sample
 * @pool:	where its chunks are from
 * @h:		the sample, with its shapes
 * @kernel:	@h->kernel.nr addresses
 * @user:	@h->user.nr addresses
 *
 * Return: false if there is no room; then @h must not be loaded.
 */
bool kf_kept_store(struct kf_chunks *pool, struct kf_kept *h, const u64 *kernel, const u64 *user)
{
	struct place p = { pool, &h->chunk, 0 };

	return put(&p, kernel, h->kernel.nr) && put(&p, user, h->user.nr);
}

/* Read the addresses that kf_kept_store() kept. */
void kf_kept_load(const struct kf_chunks *pool, const struct kf_kept *h, u64 *kernel, u64 *user)
{
	u32 chunk = h->chunk, at = 0;

	get(pool, &chunk, &at, kernel, h->kernel.nr);
	get(pool, &chunk, &at, user, h->user.nr);
}

/* Give the chunks of a sample back. */
void kf_kept_release(struct kf_chunks *pool, struct kf_kept *h)
{
	u32 last = h->chunk;
	bool was;

	if (!last)
		return;
	while (pool->chunk[last - 1].next)
		last = pool->chunk[last - 1].next;
	was = kf_sample_lock(&pool->lock);
	pool->chunk[last - 1].next = pool->free;
	pool->free = h->chunk;
	kf_sample_unlock(&pool->lock, was);
	h->chunk = 0;
}
