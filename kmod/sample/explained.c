// SPDX-License-Identifier: GPL-2.0-only
/*
 * explained.c - how a sample was walked and counted, see sample/explained.h
 *
 * The record is filled right in the ring, which user space may write. So the kernel never reads
 * back what it wrote there.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kstack/kstack.h"
#include "sample/cpu.h"
#include "sample/explained.h"

/* The largest record must fit into the smallest ring, beside the largest copy: see stack_copy.c. */
static_assert(sizeof(struct kflame_rec_explain) + KFLAME_EXPLAIN_STEPS * sizeof(struct kflame_step) <=
	      KFLAME_RING_MIN / 4);

/* Memory for each CPU */
size_t kf_explained_bytes(const struct kflame_config *cfg)
{
	return cfg->flags & KFLAME_CF_EXPLAIN ? roundup_pow_of_two(sizeof(struct kf_explained)) : 0;
}

/* Return: 0 (*@x is NULL without KFLAME_CF_EXPLAIN) or -ENOMEM. May sleep. */
int kf_explained_create(struct kf_explained **x, const struct kflame_config *cfg, int node)
{
	if (!kf_explained_bytes(cfg))
		return 0;
	*x = kvzalloc_node(kf_explained_bytes(cfg), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN, node);
	return *x ? 0 : -ENOMEM;
}

/* @x may be NULL. Sampling has stopped. */
void kf_explained_destroy(struct kf_explained *x)
{
	kvfree(x);
}

/* A sample begins. */
void kf_explain_begin(struct kf_cpu *c)
{
	c->explained->cached = c->kwalk.count[KF_KWALK_CACHED];
	c->explained->trace.nr = 0;
}

/* The key of the sample is complete, and is not counted yet. */
void kf_explain_before(struct kf_cpu *c)
{
	struct kf_explained *x = c->explained;
	const struct kf_entry *e;

	x->before = kf_table_bucket(c->table, &c->key);
	x->samples_before = 0;
	x->weight_before = 0;
	if (!x->before.entry)
		return;
	e = &c->table->entries[x->before.entry - 1];
	x->samples_before = e->samples;
	x->weight_before = e->weight_ns;
}

static u32 kwalk_of(const struct kf_cpu *c, bool has_kstack)
{
	if (!has_kstack)
		return KFLAME_KWALK_NONE;
	return c->kwalk.count[KF_KWALK_CACHED] != c->explained->cached ? KFLAME_KWALK_CACHED :
									KFLAME_KWALK_KERNEL;
}

/**
 * kf_explain_write() - write the record of a sample that was counted and copied
 * @c:		this CPU's; @c->key is the key
 * @event:	id of the event
 * @weight:	of the sample
 * @has_kstack:	the sample has a kernel stack
 */
void kf_explain_write(struct kf_cpu *c, u32 event, u64 weight, bool has_kstack)
{
	const struct kf_explained *x = c->explained;
	const struct kf_table *t = c->table;
	const struct kf_bucket after = kf_table_bucket(t, &c->key);
	const size_t steps = x->trace.nr * sizeof(x->trace.step[0]);
	struct kflame_rec_explain rec = {
		.rec.type = KFLAME_REC_EXPLAIN, .rec.size = sizeof(rec) + steps,
		.due_ns = kf_sample_time(c, event, weight),
		.period_ns = c->timer.part.books.period_ns,
		.samples_before = x->samples_before, .weight_before = x->weight_before,
		.seed = t->seed, .hash = after.hash, .buckets = t->entry_mask + 1,
		.bucket = after.slot, .probes = after.probes, .entry = after.entry,
		.nr_entries = t->nr_entries, .kstack = c->key.kstack, .ustack = c->key.ustack,
		.kwalk = kwalk_of(c, has_kstack), .nr_steps = x->trace.nr,
	};
	u8 *to;

	if (!after.entry)
		return;
	rec.samples = t->entries[after.entry - 1].samples;
	rec.weight = t->entries[after.entry - 1].weight_ns;
	to = kf_ring_reserve(&c->ring, rec.rec.size);
	if (!to)
		return;
	memcpy(to, &rec, sizeof(rec));
	memcpy(to + sizeof(rec), x->trace.step, steps);
	kf_ring_commit(&c->ring, rec.rec.size);
}
