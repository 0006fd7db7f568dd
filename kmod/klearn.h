/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * klearn.h - what a session learns of kernel stacks, as the session sees it
 *
 * What is learnt depends on how the kernel unwinds: steps of ORC (ksteps.h, x86), or frame
 * records (krecords.h, arm64). Where it unwinds otherwise nothing is.
 *
 * Loaded with learn_check=1 each stack is walked both ways, and what differs is counted; of the
 * first one that did, both are kept to be logged.
 *
 * Ownership: the session's, from START to destroy.
 */
#ifndef KF_KLEARN_H
#define KF_KLEARN_H

#include <linux/types.h>
#include <kflame.h>

#include "compat/compat.h"
#include "frames.h"
#include "kstack.h"

struct kf_ksteps;

/**
 * struct kf_kcheck - learn_check of kernel stacks
 * @differs:	bit 0: a walk that differed was kept in @first, or is being
 * @first:	the first one, as learnt and as the kernel has it; complete once the session
 *		was stopped
 * @other:	scratch of each CPU; NULL where nothing is checked
 */
struct kf_kcheck {
	unsigned long differs;
	struct kf_frames first[2];
	struct kf_frames __percpu *other;
};

void kf_ksteps_want(bool learn, bool check);
bool kf_ksteps_wanted(void);
bool kf_ksteps_checked(void);

bool kf_begins_function(unsigned long ip);

size_t kf_kcheck_bytes(void);
int kf_kcheck_alloc(struct kf_kcheck *k);
void kf_kcheck_free(struct kf_kcheck *k);
void kf_kcheck_copy(const struct kf_table *t, u32 like, u64 ip, struct kf_frames *to);
bool kf_kcheck_same(struct kf_kcheck *k, struct kf_kwalk *w, const struct kf_frames *learnt,
		    const struct kf_frames *f);
void kf_kcheck_report(const struct kf_kcheck *k, const u64 *count);

#if defined(KF_HAVE_ORC_STATE) || defined(CONFIG_ARM64)

/* The way of walking in whose place one is that learns */
#ifdef CONFIG_ARM64
#define KF_KWAY_LEARNT	KFLAME_KWAY_SAVE
#else
#define KF_KWAY_LEARNT	KFLAME_KWAY_UNWIND
#endif

int kf_ksteps_init(bool learn, bool check);
void kf_ksteps_exit(void);
size_t kf_ksteps_bytes(void);
struct kf_ksteps *kf_ksteps_create(void);
void kf_ksteps_destroy(struct kf_ksteps *k);
const struct kf_kcheck *kf_ksteps_check(const struct kf_ksteps *k);

#else

#define KF_KWAY_LEARNT	KFLAME_KWAY_UNWIND

static inline int kf_ksteps_init(bool learn, bool check)
{
	return 0;
}

static inline void kf_ksteps_exit(void)
{
}

static inline size_t kf_ksteps_bytes(void)
{
	return 0;
}

static inline struct kf_ksteps *kf_ksteps_create(void)
{
	return NULL;
}

static inline void kf_ksteps_destroy(struct kf_ksteps *k)
{
}

static inline const struct kf_kcheck *kf_ksteps_check(const struct kf_ksteps *k)
{
	return NULL;
}

#endif

#endif
