// SPDX-License-Identifier: GPL-2.0-only
/*
 * check_user.c - learn_check for user stacks, see ustack/check_user.h
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/learn.h"
#include "store/table.h"
#include "ustack/by_tables.h"
#include "ustack/check_user.h"
#include "ustack/ustack.h"

/* Memory for each CPU */
size_t kf_ucheck_bytes(void)
{
	return kf_learn_checks() ? roundup_pow_of_two(sizeof(struct kf_ucheck)) : 0;
}

/* Return: 0 (*@u is NULL without learn_check) or -ENOMEM. May sleep. */
int kf_ucheck_create(struct kf_ucheck **u, int node)
{
	if (!kf_learn_checks())
		return 0;
	*u = kvzalloc_node(kf_ucheck_bytes(), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN, node);
	return *u ? 0 : -ENOMEM;
}

/* @u may be NULL. Sampling has stopped. */
void kf_ucheck_destroy(struct kf_ucheck *u)
{
	kvfree(u);
}

/* Walk without a guess and without known parts of stacks. The walk's counters are dropped. */
static void walk_plainly(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
			 struct kf_leaf leaf, struct kf_frames *f)
{
	struct kf_guess none = {};
	struct kf_uspace plain;
	struct kf_uwalk cpu;

	if (space) {
		cpu = *space->cpu;
		cpu.chains = NULL;
		plain = *space;
		plain.cpu = &cpu;
		space = &plain;
	}
	kf_ustack(regs, space, depth, &leaf, &none, f);
}

/* If a walk found its stack in the table, copy the frames from the table. */
static void fetch_frames(const struct kf_guess *g, struct kf_frames *f)
{
	if (g->stack)
		kf_stack_copy(g->table, &g->table->stacks[g->stack - 1], f->ip);
}

/* Walk as kf_ustack() does, compare with a plain walk. Context: as kf_ustack(). */
void kf_ucheck_walk(struct kf_ucheck *u, struct pt_regs *regs, struct kf_uspace *space, u32 depth,
		    struct kf_leaf *leaf, struct kf_guess *g, struct kf_frames *f)
{
	struct kf_leaf before = *leaf;
	struct kf_guess third = { .table = g->table, .asks = g->asks };

	kf_ustack(regs, space, depth, leaf, g, f);
	walk_plainly(regs, space, depth, before, &u->plain);
	fetch_frames(g, f);
	u->stacks++;
	if (kf_frames_are_same(&u->plain, f))
		return;
	kf_ustack(regs, space, depth, &before, &third, &u->again);
	fetch_frames(&third, &u->again);
	if (!kf_frames_are_same(&u->again, f) || u->differ++)
		return;
	kf_frames_copy(&u->first[0], f);
	kf_frames_copy(&u->first[1], &u->plain);
}

/*
 * Log the results, if any stack was checked. @whole: log the first stack that differed, too. The
 * session was stopped. Return: true if any stack differed.
 */
bool kf_ucheck_report(const struct kf_ucheck *u, unsigned int cpu, bool whole)
{
	if (!u || !u->stacks)
		return false;
	pr_info("kflame: learn_check: %llu user stacks on CPU %u, %llu differ\n", u->stacks, cpu,
		u->differ);
	if (u->differ && whole) {
		kf_frames_log("as always", &u->first[0]);
		kf_frames_log("plainly", &u->first[1]);
	}
	return u->differ;
}
