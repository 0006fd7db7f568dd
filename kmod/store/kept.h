/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept.h - samples that are taken now and counted later, maybe on another CPU
 *
 * A table belongs to one CPU, and the reader takes it away. So a sample whose weight is not known yet is
 * kept outside of tables. A chunk has room for some of its addresses. Chunks come from a pool and form a
 * list. They stay with the sample when it is taken anew, and return to the pool when its owner is gone.
 *
 * Context: any, interrupts off.
 */
#ifndef KF_KEPT_H
#define KF_KEPT_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "store/frames.h"
#include "store/table.h"

#define KF_CHUNK_FRAMES	15U

/**
 * struct kf_chunk - room for addresses
 * @next:	the next chunk of the same sample, or of the free ones: 1 + its index; 0: none
 * @pad:	unused
 * @ip:		addresses
 */
struct kf_chunk {
	u32 next;
	u32 pad;
	u64 ip[KF_CHUNK_FRAMES];
};

/**
 * struct kf_chunks - a pool of chunks
 * @lock:	guards @free; taken when a sample needs more chunks than ever before, and when its
 *		owner is gone. Nothing is taken under it
 * @free:	the first free chunk: 1 + its index; 0: none
 * @chunk:	all of them
 */
struct kf_chunks {
	raw_spinlock_t lock;
	u32 free;
	struct kf_chunk *chunk;
};

/**
 * struct kf_kept - a sample that was taken
 * @key:	who; without its stacks, CPU and context
 * @kernel:	shape of the kernel stack; its @nr is 0 if there is none
 * @user:	shape of the user stack; the same
 * @has_user:	there is a user stack, maybe without frames
 * @lost:	KFLAME_LOST_* if it is not to be counted; else -1. Of a waker: -1 if there is one
 * @chunk:	its first chunk: 1 + its index; 0: none
 */
struct kf_kept {
	struct kf_key key;
	union kf_shape kernel, user;
	bool has_user;
	s8 lost;
	u32 chunk;
};

int kf_chunks_init(struct kf_chunks *pool, u32 nr);
void kf_chunks_exit(struct kf_chunks *pool);
size_t kf_chunks_bytes(u32 nr);
bool kf_kept_store(struct kf_chunks *pool, struct kf_kept *h, const u64 *kernel, const u64 *user);
void kf_kept_load(const struct kf_chunks *pool, const struct kf_kept *h, u64 *kernel, u64 *user);
void kf_kept_release(struct kf_chunks *pool, struct kf_kept *h);

/* Was it taken, and found room? */
static inline bool kf_kept_is_whole(const struct kf_kept *h)
{
	return h->lost < 0;
}

/* It is not to be counted any more. Its chunks stay with it. */
static inline void kf_kept_forget(struct kf_kept *h)
{
	h->lost = 0;
}

#endif
