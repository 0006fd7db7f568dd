/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * explained.h - how a sample was walked and counted, for the ring: KFLAME_CF_EXPLAIN
 *
 * For teaching, and for tests. A session with KFLAME_CF_EXPLAIN copies every user stack. Behind each copy it
 * writes the steps of the walk, and the sample's entry in the table before and after the sample. Only
 * KF_PLAN_ANY has this code, so other sessions do not pay for it.
 *
 * Context: as sample/sample.c.
 */
#ifndef KF_EXPLAINED_H
#define KF_EXPLAINED_H

#include <linux/types.h>

#include "store/table.h"
#include "ustack/by_tables.h"

struct kf_cpu;

/**
 * struct kf_explained - data of one CPU, allocated with KFLAME_CF_EXPLAIN
 * @cached:	kernel stacks that were walked by the cache before this sample
 * @before:	where the sample's key was searched for, before it was counted
 * @samples_before: of the entry, 0 if it is new
 * @weight_before: of the entry
 * @trace:	steps of the user stack
 *
 * Ownership: part of struct kf_cpu, with the same rules for writing.
 */
struct kf_explained {
	u64 cached;
	struct kf_bucket before;
	u64 samples_before;
	u64 weight_before;
	struct kf_utrace trace;
};

size_t kf_explained_bytes(const struct kflame_config *cfg);
int kf_explained_create(struct kf_explained **x, const struct kflame_config *cfg, int node);
void kf_explained_destroy(struct kf_explained *x);

void kf_explain_begin(struct kf_cpu *c);
void kf_explain_before(struct kf_cpu *c);
void kf_explain_write(struct kf_cpu *c, u32 event, u64 weight, bool has_kstack);

#endif
