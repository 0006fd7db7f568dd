/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * by_tables.h - user stacks by unwind tables
 *
 * For each frame: which mapping, and so which file, is its address in? What does that file's table say
 * there? With one or two words of the stack that gives the caller. Each CPU caches how it left an address,
 * so two binary searches are mostly one comparison.
 *
 * Context: the timer's hard interrupt, with user access open: all is inlined. Every step is bounded (a
 * search by the length of what is searched, a walk by its depth), whatever tables and user memory
 * hold.
 */
#ifndef KF_BY_TABLES_H
#define KF_BY_TABLES_H

#include <linux/types.h>

#include <kflame.h>
#include "process/mapping_ring.h"
#include "store/frames.h"

struct kf_leaf;
struct kf_uchain;
struct kf_utables;
struct pt_regs;

/**
 * struct kf_uknown - how a place is left, as it was found out before
 * @aspace:	address space; 0: nothing is remembered here
 * @place:	address, and whether it is a program counter or a return address
 * @rule:	a copy of that of the file's table, where @how says so: a step looks nowhere else
 * @quick:	the rule in one word, where it is of the kind that nearly all are: see ustack/quick_steps.h;
 *		else 0
 * @how:	enum kf_how, or KFLAME_END_*
 * @plain:	the same with more conditions: see kf_step_plain()
 *
 * A cache line, and not more: a step looks nowhere else.
 *
 * It holds for ever: an address space whose mappings change gets another number, and tables
 * are never taken away. What a run says that is of before such a change, or not whole, is not
 * remembered.
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
 * struct kf_uwalk - a CPU's part
 * @known:	KF_UKNOWN of them, 64 KiB; NULL where the session has no tables
 * @chains:	KF_UCHAINS of them, 128 KiB; NULL: nothing is written down
 * @count:	KFLAME_STAT_STEPS_TABLE to KFLAME_STAT_PENDING, from 0 on
 * @again:	KFLAME_STAT_STEPS_AGAIN
 * @unknown:	a walk met an address that is in no known mapping; cleared by the caller
 * @late:	the last sample's walk met a file whose table is not there yet
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
 * struct kf_uspace - what a walk by tables goes by
 * @tables:	the session's
 * @maps:	the session's
 * @run:	mappings of the address space; for this sample, it may be in the CPU's cache
 * @aspace:	its number
 * @uway:	KFLAME_UWAY_AUTO or KFLAME_UWAY_TABLE
 * @cpu:	this CPU's part
 */
struct kf_uspace {
	const struct kf_utables *tables;
	const struct kf_umaps *maps;
	const struct kf_umap_run *run;
	u64 aspace;
	u32 uway;
	struct kf_uwalk *cpu;
};

size_t kf_uwalk_bytes(bool chains);
int kf_uwalk_init(struct kf_uwalk *w, bool chains, int node);
void kf_uwalk_exit(struct kf_uwalk *w);
void kf_uwalk(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
	      struct kf_leaf *leaf, struct kf_frames *f);

#endif
