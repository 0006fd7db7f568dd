// SPDX-License-Identifier: GPL-2.0-only
/*
 * by_frame_records.c - kernel stacks by frame records, see kstack/frame_records.h
 *
 * The frames are the same as those of kstack/by_stack_trace.c, to which the walk falls back.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include <kflame.h>
#include "base/call_site.h"
#include "base/learn.h"
#include "kstack/frame_records.h"
#include "kstack/kernel_cache.h"
#include "kstack/kstack.h"
#include "store/table.h"

/* ------------------------------------------------------------ the kernel's image */

struct kf_image kf_image __ro_after_init;

/*
 * Does the address have the name of a symbol of the image: NAME+OFFSET/SIZE, not followed by
 * [MODULE]? 5.15 with CONFIG_KALLSYMS_ALL also has a name for the page behind the image.
 */
static bool __init is_named(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol(name, address);
	return strchr(name, '+') && !strchr(name, '[') && !str_has_prefix(name, "_end+");
}

/*
 * Log relative addresses, because readers of the log must not learn where the image is. Not __init:
 * before 5.12 dyndbg= cannot enable a pr_debug() in a module's init code (jump_label_update()).
 */
static noinline void log_image(void)
{
	const unsigned long inside = (unsigned long)sprint_symbol;

	pr_debug("kflame: the kernel's image: from sprint_symbol - %#lx to sprint_symbol + %#lx\n",
		 inside - kf_image.low, kf_image.low + kf_image.size - inside);
}

/*
 * The kernel exports no bounds of its image. The image is in one piece, and has a name for every
 * address of its code. A named address behind the code is data of the image. Allocated code may
 * have names, too (BPF programs), but an unused page separates it from the image.
 */
static void __init find_image(void)
{
	const unsigned long inside = (unsigned long)sprint_symbol & PAGE_MASK;
	unsigned long low = inside, high = inside;

	if (!is_named(inside))
		return;
	while (inside - low < SZ_128M && is_named(low - PAGE_SIZE))
		low -= PAGE_SIZE;
	while (high - inside < SZ_128M && is_named(high + PAGE_SIZE))
		high += PAGE_SIZE;
	kf_image = (struct kf_image){ .low = low, .size = high - low };
	log_image();
}

/* ------------------------------------------------------------ the cache */

/* Called at load. Return: 0. */
int __init kf_kstack_init(void)
{
	if (kf_learns())
		find_image();
	return 0;
}

void kf_kstack_exit(void)
{
}

size_t kf_kcache_bytes(void)
{
	return sizeof(struct kf_krecords) + kf_kcheck_bytes();
}

/**
 * kf_kcache_create() - make an empty cache
 *
 * Context: may sleep. The caller reserves the memory, kf_kcache_bytes(), see base/memory.h.
 * Return: NULL without memory.
 */
struct kf_kcache *kf_kcache_create(void)
{
	struct kf_krecords *k = kvzalloc(sizeof(*k), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);

	if (!k)
		return NULL;
	if (kf_kcache_init(&k->cache)) {
		kvfree(k);
		return NULL;
	}
	return &k->cache;
}

/* @cache may be NULL. The caller ensures that no CPU uses it any more. */
void kf_kcache_destroy(struct kf_kcache *cache)
{
	if (!cache)
		return;
	kf_kcache_exit(cache);
	kvfree(kf_krecords_of(cache));
}

/* Is it a return address? The start of a trampoline is none, though a call may precede it. */
static bool is_return_address(unsigned long address)
{
	return kf_after_kernel_call(address) &&
	       (!kf_is_in_image(address) || !kf_begins_function(address));
}

/* Cache @what for @nr instructions from @address on, as far as they are in the image. */
static void learn_places(struct kf_krecords *k, unsigned long address, u32 nr, unsigned long what)
{
	unsigned long block, word, *place;
	u32 i;

	for (i = 0; i < nr && kf_is_in_image(address); i++, address += sizeof(u32)) {
		block = kf_block(address);
		place = kf_block_place(k, block);
		word = READ_ONCE(*place);
		if (word >> 32 != block)
			word = block << 32;
		word &= ~(3UL << kf_block_shift(address));
		WRITE_ONCE(*place, word | what << kf_block_shift(address));
	}
}

/*
 * Cache that @what, KF_RETURN_*, is true for a return address. If another CPU caches a fact in the
 * same slot at the same time, one of the two facts is found again later.
 */
static void learn_return(struct kf_krecords *k, unsigned long address, unsigned long what)
{
	unsigned long *first = kf_return_place(k, address), *second = kf_return_second(first);
	const unsigned long here = READ_ONCE(*first), there = READ_ONCE(*second);

	if ((here & ~3UL) == address) {
		WRITE_ONCE(*first, here | what);
	} else if ((there & ~3UL) == address) {
		WRITE_ONCE(*second, there | what);
	} else {
		WRITE_ONCE(*second, here);
		WRITE_ONCE(*first, address | what);
	}
}

/**
 * kf_krecords_ask() - find out what kf_krecords_leaf() has not cached
 * @k:		the session's
 * @regs:	interrupted registers, of kernel mode
 *
 * Return: as kf_krecords_leaf().
 */
unsigned long kf_krecords_ask(struct kf_krecords *k, const struct pt_regs *regs)
{
	unsigned long link;
	bool bare;
	u32 nr;

	/* So it is at the first instruction of a trampoline. This answer is never cached. */
	if (kf_kleaf_link(regs) == regs->pc && !is_return_address(regs->pc))
		return KF_LEAF_ODD;
	bare = kf_kleaf_is_bare(regs->pc, &nr);
	learn_places(k, regs->pc, nr, bare ? KF_PLACE_BARE : KF_PLACE_OTHER);
	link = bare ? kf_kleaf_caller(regs) : 0;
	if (link && kf_is_in_image(link)) {
		if (kf_begins_function(link))
			return KF_LEAF_ODD;
		learn_return(k, link, KF_RETURN_CALL);
	}
	return link;
}

/*
 * @f is the result of stack_trace_save() from @regs on. Verify each return address that equals the
 * one in its frame record, up to the first that differs.
 */
static void learn(struct kf_kwalk *w, const struct pt_regs *regs, const struct kf_frames *f)
{
	const struct kf_bounds stack = kf_own_stack();
	const unsigned long last = kf_last_record();
	unsigned long fp = regs->regs[29], low = regs->sp, ret;
	u32 i;

	if (!kf_is_on(&stack, regs->sp))
		return;
	ret = kf_krecords_leaf(kf_krecords_of(w->cache), regs);
	if (ret == KF_LEAF_ODD)
		return;
	i = ret ? 2 : 1;
	for (; i < f->is.nr && fp != last && kf_is_kernel_record(fp, low, &stack); i++) {
		ret = kf_record_return(fp);
		if (ret != f->ip[i])
			break;
		if (!kf_return_is(kf_krecords_of(w->cache), ret, KF_RETURN_PLAIN) && !(ret % sizeof(u32))) {
			w->count[KF_KWALK_STEPS]++;
			learn_return(kf_krecords_of(w->cache), ret, KF_RETURN_PLAIN);
		}
		low = fp + 16;
		fp = kf_kstack_word(fp);
	}
}

/* ------------------------------------------------------------ walks */

/*
 * Walk by frame records.
 * Return: the counter for this walk: KF_KWALK_CACHED, or the reason why @f must not be used.
 */
static int walk(struct kf_kwalk *w, const struct pt_regs *regs, u32 depth, struct kf_frames *f)
{
	const struct kf_bounds stack = kf_own_stack();
	const unsigned long last = kf_last_record();
	unsigned long fp = regs->regs[29], low = regs->sp, ret;
	u64 *to = f->ip, *const full = f->ip + depth;
	u32 end = KFLAME_END_COMPLETE;

	w->whole = false;
	if (!kf_is_on(&stack, regs->sp))
		return KF_KWALK_OTHER_STACK;
	*to++ = regs->pc;
	ret = kf_krecords_leaf(kf_krecords_of(w->cache), regs);
	if (ret == KF_LEAF_ODD)
		return KF_KWALK_UNSUPPORTED;
	if (ret && to < full)
		*to++ = ret;
	else if (ret)
		end = KFLAME_END_DEPTH;
	for (; end == KFLAME_END_COMPLETE && fp != last; fp = kf_kstack_word(fp)) {
		if (!fp && low != regs->sp)
			break;
		if (!kf_is_kernel_record(fp, low, &stack))
			return KF_KWALK_UNSUPPORTED;
		ret = kf_record_return(fp);
		if (!kf_return_is(kf_krecords_of(w->cache), ret, KF_RETURN_PLAIN))
			return KF_KWALK_UNSUPPORTED;
		if (to == full)
			end = KFLAME_END_DEPTH;
		else
			*to++ = ret;
		low = fp + 16;
	}
	w->whole = end == KFLAME_END_COMPLETE && low != regs->sp;
	f->is = kf_shape(KFLAME_STACK_KERNEL, to - f->ip, end, KF_NO_CANDIDATE);
	return KF_KWALK_CACHED;
}

void kf_kstack_by_steps(struct pt_regs *regs, unsigned long handler, u32 depth,
			struct kf_kwalk *w, struct kf_frames *f)
{
	int as = walk(w, regs, depth, f);

	w->count[as]++;
	if (likely(as == KF_KWALK_CACHED))
		return;
	kf_kstack_save()(regs, handler, depth, w, f);
	learn(w, regs, f);
}

/* The second lookup of kf_krecords_match() */
noinline u32 kf_krecords_other(const struct kf_table *t, unsigned long first, unsigned long caller,
			       unsigned long fp, unsigned long other)
{
	const u32 like = *kf_table_chain_place(t, first, other);

	return kf_krecords_are(t, like, caller, fp, &other) ? like : 0;
}

/**
 * kf_kstack_note() - recognise a stack by its callers from now on
 * @w:		this CPU's; @w->whole is set
 * @regs:	the registers from which the stack was just walked
 * @t:		the table; the caller owns it
 * @stack:	id of the stack in @t
 *
 * The key is the first caller. If another stack has the same, the key is also the first caller that
 * differs.
 * Context: hard interrupt, interrupts off.
 */
void kf_kstack_note(struct kf_kwalk *w, const struct pt_regs *regs, struct kf_table *t, u32 stack)
{
	const unsigned long fp = regs->regs[29], caller = kf_krecords_leaf(kf_krecords_of(w->cache), regs);
	const unsigned long first = caller ?: kf_record_return(fp);
	u32 *hint = kf_table_chain_place(t, first, 0);
	unsigned long other;

	if (!kf_krecords_are(t, *hint, caller, fp, &other) && other)
		hint = kf_table_chain_place(t, first, other);
	*hint = t->stacks[stack - 1].like;
}

/* ------------------------------------------------------------ sleeping tasks */

/*
 * The registers of an exception in the kernel whose record is at @fp; NULL for any other record. Since
 * 6.13 the record of an exception is empty, and aligned as any word. Before, it is a record as any other.
 */
static const struct pt_regs *exception_at(unsigned long fp, unsigned long low, const struct kf_bounds *stack)
{
	const unsigned long regs = fp - offsetof(struct pt_regs, stackframe);

	if (fp < low || regs < low || fp > stack->high - 16 || fp % sizeof(long) || kf_kstack_word(fp) ||
	    kf_kstack_word(fp + sizeof(long)))
		return NULL;
	return (const struct pt_regs *)regs;
}

/*
 * No return address is verified here: where a tracer has replaced one, the frame is the tracer's. Readers
 * look up addresses less one, so the address that an exception interrupted gets one more.
 */
bool kf_kstack_sleeping(struct task_struct *t, u32 depth, struct kf_frames *f)
{
	const unsigned long page = (unsigned long)task_stack_page(t);
	const struct kf_bounds stack = { page, page + THREAD_SIZE };
	const unsigned long last = (unsigned long)&task_pt_regs(t)->stackframe;
	unsigned long fp = t->thread.cpu_context.fp, low = t->thread.cpu_context.sp;
	u32 nr = 1, end = KFLAME_END_COMPLETE;
	const struct pt_regs *regs;

	f->ip[0] = t->thread.cpu_context.pc;
	while (!kf_is_last(fp, last)) {
		regs = exception_at(fp, low, &stack);
		if (!regs && !kf_is_kernel_record(fp, low, &stack)) {
			end = KFLAME_END_UNWIND;
			break;
		}
		if (!kf_kstack_add(f, &nr, depth, regs ? regs->pc + 1 : kf_record_return(fp)) ||
		    (regs && !kf_kstack_add(f, &nr, depth, kf_kleaf_caller(regs)))) {
			end = KFLAME_END_DEPTH;
			break;
		}
		low = fp + 16;
		fp = regs ? regs->regs[29] : kf_kstack_word(fp);
	}
	f->is = kf_shape(KFLAME_STACK_KERNEL, nr, end, KF_NO_CANDIDATE);
	return true;
}

/* ------------------------------------------------------------ learn_check */

/* Walk as without learn_check. Here the frames are copied in both cases. */
static int walk_quickly(struct kf_kwalk *w, const struct pt_regs *regs, u32 depth,
			struct kf_frames *f)
{
	const u32 like = w->chains ? kf_krecords_match(w, regs) : 0;

	if (!like)
		return walk(w, regs, depth, f);
	kf_kcheck_copy(w->chains, like, regs->pc, f);
	w->whole = false;
	w->count[KF_KWALK_MATCHED]++;
	return KF_KWALK_CACHED;
}

/* Walk both ways and compare. @f: out: the kernel's result */
static void kstack_check(struct pt_regs *regs, unsigned long handler, u32 depth,
			 struct kf_kwalk *w, struct kf_frames *f)
{
	struct kf_frames *other = this_cpu_ptr(w->cache->other);
	int as = walk_quickly(w, regs, depth, other);

	w->count[as]++;
	kf_kstack_save()(regs, handler, depth, w, f);
	if (as != KF_KWALK_CACHED)
		learn(w, regs, f);
	else if (!kf_kcheck_same(w->cache, w, other, f))
		w->whole = false;
}

kf_kstack_fn *kf_kstack_cached(void)
{
	if (!kf_kstack_save())
		return NULL;
	return kf_learn_checks() ? kstack_check : kf_kstack_by_steps;
}
