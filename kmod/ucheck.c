// SPDX-License-Identifier: GPL-2.0-only
/*
 * ucheck.c - learn_check for user stacks, see ucheck.h
 */
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "table.h"
#include "ucheck.h"
#include "ustack.h"
#include "uwalk.h"

static bool learns __ro_after_init, checked __ro_after_init;

void __init kf_ucheck_init(bool learn, bool check)
{
	learns = learn;
	checked = learn && check;
}

/* Is anything to be taken for what it was? */
bool kf_ucheck_learns(void)
{
	return learns;
}

/* Of a CPU */
size_t kf_ucheck_bytes(void)
{
	return checked ? roundup_pow_of_two(sizeof(struct kf_ucheck)) : 0;
}

/* Return: 0, and *@u is NULL where nothing is checked; -ENOMEM. For kvfree(). May sleep. */
int kf_ucheck_alloc(struct kf_ucheck **u, int node)
{
	if (!checked)
		return 0;
	*u = kvzalloc_node(kf_ucheck_bytes(), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN, node);
	return *u ? 0 : -ENOMEM;
}

/* With no guess, and no parts of stacks that are as they were. Nothing of it is counted. */
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

/* A stack that was walked: @g says where it is, or else @f has it. Then @f has it. */
static const u64 *frames_of(const struct kf_guess *g, struct kf_frames *f)
{
	if (g->stack)
		kf_stack_copy(g->table, &g->table->stacks[g->stack - 1], f->ip);
	return f->ip;
}

static bool same(const struct kf_frames *a, union kf_shape is, const u64 *ip)
{
	return a->is.word == is.word && !memcmp(a->ip, ip, sizeof(*ip) * is.nr);
}

static void keep(struct kf_frames *to, union kf_shape is, const u64 *ip)
{
	to->is = is;
	memcpy(to->ip, ip, sizeof(*ip) * is.nr);
}

/* As kf_ustack(), and plainly. Context: likewise. */
void kf_ucheck_walk(struct kf_ucheck *u, struct pt_regs *regs, struct kf_uspace *space, u32 depth,
		    struct kf_leaf *leaf, struct kf_guess *g, struct kf_frames *f)
{
	struct kf_leaf before = *leaf;
	struct kf_guess third = { .table = g->table, .asks = g->asks };
	const u64 *ip;

	kf_ustack(regs, space, depth, leaf, g, f);
	walk_plainly(regs, space, depth, before, &u->plain);
	ip = frames_of(g, f);
	u->stacks++;
	if (same(&u->plain, f->is, ip))
		return;
	kf_ustack(regs, space, depth, &before, &third, &u->again);
	if (u->again.is.word != f->is.word ||
	    memcmp(frames_of(&third, &u->again), ip, sizeof(*ip) * f->is.nr) || u->differ++)
		return;
	keep(&u->first[0], f->is, ip);
	keep(&u->first[1], u->plain.is, u->plain.ip);
}

static void report_frames(const char *how, const struct kf_frames *f)
{
	u32 i;

	pr_warn("kflame: %s: %u frames, end %#x, candidate %d\n", how, f->is.nr, f->is.end,
		(s16)f->is.candidate);
	for (i = 0; i < f->is.nr; i++)
		pr_warn("kflame:   %p\n", (void *)(unsigned long)f->ip[i]);
}

/*
 * Log what came of it, where there is anything; @whole: and the first one that differed. The
 * session was stopped. Return: whether any did.
 */
bool kf_ucheck_report(const struct kf_ucheck *u, unsigned int cpu, bool whole)
{
	if (!u || !u->stacks)
		return false;
	pr_info("kflame: learn_check: %llu user stacks on CPU %u, %llu differ\n", u->stacks, cpu,
		u->differ);
	if (u->differ && whole) {
		report_frames("as always", &u->first[0]);
		report_frames("plainly", &u->first[1]);
	}
	return u->differ;
}
