/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ucheck.h - learn and learn_check, for user stacks
 *
 * With learn_check each is walked twice: as always, and plainly, with no guess and nothing that was
 * written down. How to go on from a place is remembered for both.
 * For who tests the module. What others write to a stack between both walks is a difference, too,
 * and a table that comes; so a third walk, as always, has to say what the first one said. Of what
 * differs, hashes of addresses go to the log: the same one is the same address.
 */
#ifndef KF_UCHECK_H
#define KF_UCHECK_H

#include "frames.h"

struct kf_guess;
struct kf_leaf;
struct kf_uspace;
struct pt_regs;

/**
 * struct kf_ucheck - a CPU's part; there is one where learn_check is on
 * @stacks:	walked twice
 * @differ:	of these
 * @plain:	scratch: the plain walk's
 * @again:	scratch: the third one's
 * @first:	the first one that differed: as it was walked, and plainly
 */
struct kf_ucheck {
	u64 stacks;
	u64 differ;
	struct kf_frames plain;
	struct kf_frames again;
	struct kf_frames first[2];
};

void kf_ucheck_init(bool learn, bool check);
bool kf_ucheck_learns(void);
size_t kf_ucheck_bytes(void);
int kf_ucheck_alloc(struct kf_ucheck **u, int node);
void kf_ucheck_walk(struct kf_ucheck *u, struct pt_regs *regs, struct kf_uspace *space, u32 depth,
		    struct kf_leaf *leaf, struct kf_guess *g, struct kf_frames *f);
bool kf_ucheck_report(const struct kf_ucheck *u, unsigned int cpu, bool whole);

#endif
