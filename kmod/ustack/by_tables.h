/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * by_tables.h - user stacks by unwind tables
 *
 * For each frame the walk asks two questions. Which mapping, and so which file, is its address in?
 * What does that file's unwind table say about the address? The answer and one or two words of the
 * stack give the caller. Each CPU caches the answers, so two binary searches are mostly one
 * comparison.
 *
 * Context: the timer's hard interrupt, with user access open, so all is inlined. Every step is
 * bounded whatever tables and user memory hold: a search by the length of its array, a walk by its
 * depth.
 */
#ifndef KF_BY_TABLES_H
#define KF_BY_TABLES_H

#include <linux/types.h>

#include <kflame.h>
#include "process/mapping_ring.h"
#include "store/frames.h"

struct kf_leaf;
struct kf_returns;
struct kf_uchain;
struct kf_utables;
struct pt_regs;

/**
 * struct kf_uknown - a cached answer: how to step from an address
 * @aspace:	id of the address space; 0: the slot is empty
 * @place:	the address, and whether it is a program counter or a return address
 * @rule:	copy of the table's rule if @how is KF_BY_RULE, so that a step needs no other memory
 * @quick:	the rule in one word if it is of the most common kind, see ustack/quick_steps.h;
 *		else 0
 * @how:	enum kf_how, or KFLAME_END_*
 * @plain:	does the rule meet the stricter conditions of kf_step_plain()?
 *
 * The struct fits one cache line, because a step reads nothing else.
 *
 * An answer stays valid for ever: an address space whose mappings change gets a new id, and tables
 * are never removed. Answers from an incomplete or outdated list of mappings are not
 * cached.
 */
struct kf_uknown {
	u64 aspace;
	u64 place;
	u64 quick;
	struct kflame_rule rule;
	u32 how;
	u32 plain;
} __aligned(64);

#define KF_UKNOWN_BITS	10
#define KF_UKNOWN	(1U << KF_UKNOWN_BITS)

/**
 * struct kf_uwalk - data of one CPU for walks by unwind tables
 * @known:	array of KF_UKNOWN cached answers, 64 KiB; NULL if the session has no tables
 * @chains:	array of KF_UCHAINS, 128 KiB; NULL: parts of stacks are not stored
 * @count:	KFLAME_STAT_STEPS_TABLE to KFLAME_STAT_PENDING, from index 0 on
 * @again:	KFLAME_STAT_STEPS_AGAIN
 * @unknown:	a walk met an address that is in no known mapping; cleared by the caller
 * @late:	the last sample's walk met a file whose table is not loaded yet
 */
struct kf_uwalk {
	struct kf_uknown *known;
	struct kf_uchain *chains;
	u64 again;
	bool unknown;
	bool late;
	u64 count[KFLAME_STAT_PENDING - KFLAME_STAT_STEPS_TABLE + 1];
};

/**
 * struct kf_uspace - input of a walk by unwind tables
 * @tables:	the session's
 * @maps:	the session's
 * @run:	mappings of the address space; valid for this sample only, may be in the CPU's cache
 * @aspace:	id of the address space
 * @uway:	KFLAME_UWAY_AUTO or KFLAME_UWAY_TABLE
 * @cpu:	data of this CPU
 */
struct kf_uspace {
	const struct kf_utables *tables;
	const struct kf_umaps *maps;
	const struct kf_umap_run *run;
	u64 aspace;
	u32 uway;
	struct kf_uwalk *cpu;
};

/**
 * struct kf_utrace - a walk that notes each of its steps
 * @nr:		number of @step
 * @step:	the steps; those of a deeper stack are left out
 * @frames:	scratch
 */
struct kf_utrace {
	u32 nr;
	struct kflame_step step[KFLAME_EXPLAIN_STEPS];
	struct kf_frames frames;
};

size_t kf_uwalk_bytes(bool chains);
int kf_uwalk_init(struct kf_uwalk *w, bool chains, int node);
void kf_uwalk_exit(struct kf_uwalk *w);
void kf_uwalk(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
	      const struct kf_returns *returns,
	      struct kf_leaf *leaf, struct kf_frames *f);
void kf_uwalk_traced(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
		     const struct kf_returns *returns, const struct kf_leaf *leaf,
		     struct kf_utrace *trace);

#endif
