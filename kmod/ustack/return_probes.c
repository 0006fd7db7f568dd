// SPDX-License-Identifier: GPL-2.0-only
/*
 * return_probes.c - user stacks of functions whose return somebody probes, see ustack/return_probes.h
 *
 * The kernel keeps the true return addresses of current in a list, which only current changes. A sample may
 * have interrupted it there, so that an instance of the list was freed already. So nothing of the list is
 * trusted: it is read by copy_from_kernel_nofault(), the number of instances is bounded, and an instance
 * counts only if the trampoline's address is at its place on the stack.
 */
#include <linux/percpu.h>
#include <linux/uaccess.h>

#include "ustack/read_word.h"
#include "ustack/return_probes.h"

#if defined(CONFIG_X86_64) && defined(CONFIG_UPROBES)

/* Allocated: modules have little other memory of CPUs. NULL: there was none. Stacks end at the trampoline. */
static struct kf_returns __percpu *all_returns;

void kf_returns_init(void)
{
	all_returns = alloc_percpu(struct kf_returns);
}

void kf_returns_exit(void)
{
	free_percpu(all_returns);
}

static bool read_user(unsigned long at, unsigned long span, unsigned long *word)
{
	unsigned long left;

	if (!kf_is_record(at, span))
		return false;
	pagefault_disable();
	left = raw_copy_from_user(word, (const void __user *)kf_user_nospec(at, span), sizeof(*word));
	pagefault_enable();
	return !left;
}

/*
 * Functions that have returned are below @sp. Several instances may have one place: those of functions that
 * are jumped to.
 */
static void read_list(struct kf_returns *r, unsigned long sp, unsigned long span)
{
	const struct return_instance *next;
	struct return_instance ri;
	unsigned long last = sp ? sp - 1 : 0;
	u32 i;

	if (copy_from_kernel_nofault(&next, &current->utask->return_instances, sizeof(next)))
		return;
	for (i = 0; i < 2 * ARRAY_SIZE(r->at) && next && r->nr < ARRAY_SIZE(r->at); i++) {
		if (copy_from_kernel_nofault(&ri, next, sizeof(ri)))
			return;
		next = ri.next;
		if (ri.stack <= last || !kf_is_user(ri.orig_ret_vaddr, span))
			continue;
		last = ri.stack;
		r->at[r->nr] = ri.stack;
		r->to[r->nr++] = ri.orig_ret_vaddr;
	}
}

/* The outermost instance is freed last, so its place on the stack has the trampoline's address. */
static void check_list(struct kf_returns *r, unsigned long span)
{
	u32 nr = r->nr, kept = 0, i;
	unsigned long word;

	r->nr = 0;
	if (!nr || !read_user(r->at[nr - 1], span, &r->trampoline))
		return;
	for (i = 0; i < nr; i++) {
		if (!read_user(r->at[i], span, &word) || word != r->trampoline)
			continue;
		r->at[kept] = r->at[i];
		r->to[kept++] = r->to[i];
	}
	r->nr = kept;
}

/*
 * Find the return addresses of current that were replaced. @sp: its user stack pointer. Interrupts are off,
 * and the page tables of current are loaded. Return: NULL if there are none; this CPU's, for the walk that
 * follows
 */
struct kf_returns *kf_returns_collect(unsigned long sp)
{
	const unsigned long span = kf_user_span();
	struct kf_returns *r;

	if (!all_returns)
		return NULL;
	r = this_cpu_ptr(all_returns);
	r->nr = 0;
	read_list(r, sp, span);
	check_list(r, span);
	return r->nr ? r : NULL;
}

/* Put the true return addresses into a stack that was walked by frame pointer from @regs. */
void kf_returns_restore(const struct kf_returns *r, struct pt_regs *regs, struct kf_frames *f)
{
	const unsigned long span = kf_user_span();
	unsigned long fp = kf_user_fp(regs), ret;
	u32 i = f->is.candidate == KF_NO_CANDIDATE ? 1 : 2;

	for (; i < f->is.nr; i++) {
		if (!read_user(fp + sizeof(long), span, &ret) || ret != f->ip[i])
			return;
		f->ip[i] = kf_returns_find(r, fp + sizeof(long), ret);
		if (!read_user(fp, span, &fp))
			return;
	}
}

#endif
