/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel_cache.h - what a session caches about walks of kernel stacks
 *
 * It depends on how the kernel unwinds. On x86 with ORC it is the unwinder's steps (struct
 * kf_ksteps), on arm64 it is verified frame records (struct kf_krecords). Other kernels have
 * no such cache.
 *
 * With learn_check=1 each stack is walked with the cache and without it, and differences are
 * counted. The first stack that differs is kept, both ways, for the log.
 *
 * Ownership: the session's, from START to destroy.
 */
#ifndef KF_KERNEL_CACHE_H
#define KF_KERNEL_CACHE_H

#include <linux/types.h>
#include <kflame.h>

#include "compat/compat.h"
#include "kstack/kstack.h"
#include "store/frames.h"

/**
 * struct kf_kcache - the part of the cache that is the same on all kernels
 * @differs:	bit 0: a walk that differed is in @first, or is being copied there
 * @first:	that walk, by the cache and by the kernel; complete once the session
 *		was stopped
 * @other:	scratch of each CPU; NULL without learn_check
 *
 * Part of struct kf_ksteps or struct kf_krecords.
 */
struct kf_kcache {
	unsigned long differs;
	struct kf_frames first[2];
	struct kf_frames __percpu *other;
};

bool kf_kcache_wanted(void);

bool kf_begins_function(unsigned long ip);

size_t kf_kcheck_bytes(void);
int kf_kcache_init(struct kf_kcache *k);
void kf_kcache_exit(struct kf_kcache *k);
void kf_kcheck_copy(const struct kf_table *t, u32 like, u64 ip, struct kf_frames *to);
bool kf_kcheck_same(struct kf_kcache *k, struct kf_kwalk *w, const struct kf_frames *cached,
		    const struct kf_frames *f);
void kf_kcheck_report(const struct kf_kcache *k, const u64 *count);

#if defined(KF_HAVE_ORC_STATE) || defined(CONFIG_ARM64)

/* The way of walking that the cached walk replaces */
#ifdef CONFIG_ARM64
#define KF_KWAY_CACHED	KFLAME_KWAY_SAVE
#else
#define KF_KWAY_CACHED	KFLAME_KWAY_UNWIND
#endif

int kf_kstack_init(void);
void kf_kstack_exit(void);
size_t kf_kcache_bytes(void);
struct kf_kcache *kf_kcache_create(void);
void kf_kcache_destroy(struct kf_kcache *k);

#else

#define KF_KWAY_CACHED	KFLAME_KWAY_UNWIND

static inline int kf_kstack_init(void)
{
	return 0;
}

static inline void kf_kstack_exit(void)
{
}

static inline size_t kf_kcache_bytes(void)
{
	return 0;
}

static inline struct kf_kcache *kf_kcache_create(void)
{
	return NULL;
}

static inline void kf_kcache_destroy(struct kf_kcache *k)
{
}

#endif

#endif
