// SPDX-License-Identifier: GPL-2.0-only
/*
 * by_frame_records.c - kernel stacks by frame records, see kstack/frame_records.h
 *
 * The same frames as those of kstack/by_stack_trace.c, or else the walk is its.
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
 * Of a symbol, and no module's: NAME+OFFSET/SIZE, without brackets behind it. 5.15 with CONFIG_KALLSYMS_ALL
 * has a name for the page behind all as well.
 */
static bool __init is_named(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol(name, address);
	return strchr(name, '+') && !strchr(name, '[') && !str_has_prefix(name, "_end+");
}

/*
 * Where it is, is not for everybody who may read this. Not __init: of a module's code that is,
 * dyndbg= turns no pr_debug() on before 5.12 (jump_label_update() left it out).
 */
static noinline void log_image(void)
{
	const unsigned long inside = (unsigned long)sprint_symbol;

	pr_debug("kflame: the kernel's image: from sprint_symbol - %#lx to sprint_symbol + %#lx\n",
		 inside - kf_image.low, kf_image.low + kf_image.size - inside);
}

/*
 * No bounds of the image are exported. It is in one piece, and has a name for every address of its
 * code. What lies beyond that code, and has a name, too, is data of the image; or else it was allocated (BPF
 * programs have names that the image may have as well), and then an unused page comes between.
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

/* At load. Return: 0. */
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
 * kf_kcache_create() - an empty cache
 *
 * Context: may sleep. The memory, kf_kcache_bytes(), is accounted by the caller, see base/memory.h.
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

/* Takes NULL; the caller proves that no CPU walks by it any more. */
void kf_kcache_destroy(struct kf_kcache *cache)
{
	if (!cache)
		return;
	kf_kcache_exit(cache);
	kvfree(kf_krecords_of(cache));
}

/* No trampoline's, which a call may lie before, too */
static bool is_return_address(unsigned long address)
{
	return kf_after_kernel_call(address) &&
	       (!kf_is_in_image(address) || !kf_begins_function(address));
}

/* The same of all instructions from there on, as far as they are the image's */
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

/* @what: KF_RETURN_*, beside what is known of it. If another CPU does so at once, one fact is found again later. */
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
 * kf_krecords_ask() - find out what kf_krecords_leaf() did not know
 * @k:		the session's
 * @regs:	interrupted registers, of kernel mode
 *
 * Return: as that.
 */
unsigned long kf_krecords_ask(struct kf_krecords *k, const struct pt_regs *regs)
{
	unsigned long link;
	bool bare;
	u32 nr;

	/* So it is at the first instruction of a trampoline each time: it is never verified. */
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
 * @f is what stack_trace_save() had from @regs on: learn which addresses are what their records held,
 * up to the first that is not.
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
 * Walk. @f: its first frame is there
 * Return: what it is to be counted as: KF_KWALK_CACHED, or why @f is not to be used.
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

/* The second chance of kf_krecords_match() */
noinline u32 kf_krecords_other(const struct kf_table *t, unsigned long first, unsigned long caller,
			       unsigned long fp, unsigned long other)
{
	const u32 like = *kf_table_chain_place(t, first, other);

	return kf_krecords_are(t, like, caller, fp, &other) ? like : 0;
}

/**
 * kf_kstack_note() - recognise a stack by its callers from now on
 * @w:		of this CPU; @w->whole is set
 * @regs:	where it was walked from just now
 * @t:		the table; the caller owns it
 * @stack:	the stack's number there
 *
 * By its first caller, but where another stack with that is: by where they part.
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

/* ------------------------------------------------------------ learn_check */

/* As a sample is walked without learn_check. It is stored by its frames all the same. */
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

/* Both ways; @f: as the kernel has it. */
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
