/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * check_user.h - learn_check for user stacks
 *
 * With learn_check each user stack is walked twice: as always, and without guesses and known parts.
 * Both walks use the cached rules of addresses. Another thread may write to the stack between the
 * two walks, or a table may arrive. So a difference counts only if a third walk, as always, has the
 * result of the first one.
 */
#ifndef KF_CHECK_USER_H
#define KF_CHECK_USER_H

#include "store/frames.h"

struct kf_guess;
struct kf_leaf;
struct kf_uspace;
struct pt_regs;

/**
 * struct kf_ucheck - data of one CPU, allocated if learn_check is on
 * @stacks:	stacks that were walked twice
 * @differ:	stacks whose two walks differ
 * @plain:	scratch: result of the plain walk
 * @again:	scratch: result of the third walk
 * @first:	the first stack that differed: as walked normally, and plainly
 */
struct kf_ucheck {
	u64 stacks;
	u64 differ;
	struct kf_frames plain;
	struct kf_frames again;
	struct kf_frames first[2];
};

size_t kf_ucheck_bytes(void);
int kf_ucheck_create(struct kf_ucheck **u, int node);
void kf_ucheck_destroy(struct kf_ucheck *u);
void kf_ucheck_walk(struct kf_ucheck *u, struct pt_regs *regs, struct kf_uspace *space, u32 depth,
		    struct kf_leaf *leaf, struct kf_guess *g, struct kf_frames *f);
bool kf_ucheck_report(const struct kf_ucheck *u, unsigned int cpu, bool whole);

#endif
