// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel_cache.c - learn_check for kernel stacks; see kstack/kernel_cache.h
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "base/learn.h"
#include "kstack/kernel_cache.h"
#include "store/table.h"

/* Does a session cache anything of kernel stacks on this kernel? */
bool kf_kcache_wanted(void)
{
	return kf_learns() && kf_kstack_cached();
}

/**
 * kf_begins_function() - does a function of the image begin at @ip?
 * @ip:		an address of its code
 *
 * A return address at the start of a function is a trampoline's, which replaces the true one.
 *
 * Context: any; not inlined, because the name buffer is large and the call is rare.
 * Return: true also if the kernel has no names and cannot tell.
 */
noinline bool kf_begins_function(unsigned long ip)
{
	char name[KSYM_SYMBOL_LEN];
	const char *plus;

	sprint_symbol(name, ip);
	plus = strrchr(name, '+');
	return !plus || !strncmp(plus, "+0x0/", 5);
}

/* Size of what kf_kcache_init() allocates */
size_t kf_kcheck_bytes(void)
{
	return kf_learn_checks() ? sizeof(struct kf_frames) * num_possible_cpus() : 0;
}

/* @k: zeroed. Return: 0, or -ENOMEM. May sleep. */
int kf_kcache_init(struct kf_kcache *k)
{
	if (!kf_learn_checks())
		return 0;
	k->other = alloc_percpu_gfp(struct kf_frames, GFP_KERNEL | __GFP_NOWARN);
	return k->other ? 0 : -ENOMEM;
}

/* The caller ensures that no CPU walks any more. */
void kf_kcache_exit(struct kf_kcache *k)
{
	free_percpu(k->other);
}

/* Copy the frames of a stack at @ip that shares its callers with stack @like of @t. */
void kf_kcheck_copy(const struct kf_table *t, u32 like, u64 ip, struct kf_frames *to)
{
	const struct kf_stack *s = &t->stacks[like - 1];

	to->is = s->is;
	kf_stack_copy(t, s, to->ip);
	to->ip[0] = ip;
}

/**
 * kf_kcheck_same() - compare a stack that was walked both ways, and count a difference
 * @k:		the session's
 * @w:		this CPU's
 * @cached:	the walk by the cache
 * @f:		the kernel's walk
 *
 * Context: hard interrupt, interrupts off.
 * Return: false if the two differ.
 */
bool kf_kcheck_same(struct kf_kcache *k, struct kf_kwalk *w, const struct kf_frames *cached,
		    const struct kf_frames *f)
{
	if (kf_frames_are_same(f, cached))
		return true;
	w->count[KF_KWALK_DIFFERS]++;
	if (!test_and_set_bit(0, &k->differs)) {
		kf_frames_copy(&k->first[0], cached);
		kf_frames_copy(&k->first[1], f);
	}
	return false;
}

/**
 * kf_kcheck_report() - log statistics of the cache; may sleep
 * @k:		the session's, which was stopped
 * @count:	KF_KWALK_*, of all CPUs
 *
 * With learn_check it logs how many walks by the cache differed, and the first one that did. The
 * counts of walks that fell back to the kernel are for debugging the module (dyndbg=+p).
 */
void kf_kcheck_report(const struct kf_kcache *k, const u64 *count)
{
	pr_debug("kflame: kernel stacks: %llu by %llu cached steps; left to the kernel: %llu on another stack, %llu unsupported\n",
		 count[KF_KWALK_CACHED], count[KF_KWALK_STEPS],
		 count[KF_KWALK_OTHER_STACK], count[KF_KWALK_UNSUPPORTED]);
	if (kf_learn_checks())
		pr_info("kflame: learn_check: %llu kernel stacks, %llu differ; %llu matched by their callers\n",
			count[KF_KWALK_CACHED], count[KF_KWALK_DIFFERS], count[KF_KWALK_MATCHED]);
	if (!k->differs)
		return;
	kf_frames_log("by the cache", &k->first[0]);
	kf_frames_log("by the kernel", &k->first[1]);
}
