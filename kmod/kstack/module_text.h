/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module_text.h - which addresses are code of modules, and until when
 *
 * Beside the image there is code of modules, and code that is generated at run time: BPF programs,
 * tracers' trampolines, slots of kprobes. Notifiers report when a module is loaded or unloaded.
 * Nothing reports the others. So what is cached about an address outside the image may be kept if
 * the address is a module's, and only until the next module is loaded or unloaded.
 *
 * kallsyms knows whether an address is a module's. It looks at every symbol of the module, ten
 * thousand for a large one, which is too much for an interrupt. So the first sample on a page
 * leaves its address, a worker asks kallsyms, and a bit keeps the answer. A page is of one kind as
 * a whole.
 *
 * A caller asks for the generation first, then whether the address is a module's, and then caches
 * what it found. If the generation has changed by then, it drops what it cached.
 *
 * Three cases are not seen, because nothing reports them:
 * - code of an init function that still runs asynchronously after the module is live,
 * - a tracer's trampoline at an address that kallsyms still calls a freed init function,
 * - a thread of a module that dropped its last reference and has not ended
 *   (module_put_and_kthread_exit()).
 *
 * Ownership: embedded in a cache, from kf_ktext_start() to kf_ktext_stop().
 * Context: kf_ktext_is_module() in hard interrupts. It reads bits, leaves an address, and queues an
 * irq_work.
 */
#ifndef KF_MODULE_TEXT_H
#define KF_MODULE_TEXT_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <asm/barrier.h>

#include "compat/compat.h"

#ifdef KF_HAVE_ORC_STATE

#include <asm/page_types.h>
#include <asm/pgtable_types.h>

#define KF_KTEXT_PAGES	((MODULES_END - MODULES_VADDR) >> PAGE_SHIFT)

/**
 * struct kf_ktext - pages from MODULES_VADDR on
 * @forget:	drops all that the cache has about these addresses
 * @generation:	raised before cached facts are dropped, and again after that
 * @asked:	an address whose page is to be looked up, or 0
 * @kick:	hard irq_work that only queues @work
 * @work:	looks @asked up
 * @list:	in the list of all that are notified of modules. A lock of kstack/module_text.c
 *		guards the list, @dirty, and writes to all other members but @asked
 * @dirty:	something is known
 * @known:	pages whose kind is known; set after @module
 * @module:	pages that belong to a module
 */
struct kf_ktext {
	void (*forget)(struct kf_ktext *t);
	unsigned long generation;
	unsigned long asked;
	struct irq_work kick;
	struct work_struct work;
	struct list_head list;
	bool dirty;
	DECLARE_BITMAP(known, KF_KTEXT_PAGES);
	DECLARE_BITMAP(module, KF_KTEXT_PAGES);
};

int kf_ktext_init(void);
void kf_ktext_exit(void);
void kf_ktext_start(struct kf_ktext *t, void (*forget)(struct kf_ktext *t));
void kf_ktext_stop(struct kf_ktext *t);
bool kf_ktext_is_module(struct kf_ktext *t, unsigned long address);

/* To be read before kf_ktext_is_module() is asked */
static inline unsigned long kf_ktext_generation(const struct kf_ktext *t)
{
	/* Pairs with the release in notified(): a reader of the new generation sees no older bit. */
	return smp_load_acquire(&t->generation);
}

/* Has the generation changed, so that facts cached meanwhile must be dropped? */
static inline bool kf_ktext_is_over(const struct kf_ktext *t, unsigned long generation)
{
	/* Either this sees the new generation, or the code that drops all sees what was cached. */
	smp_mb();
	return READ_ONCE(t->generation) != generation;
}

#endif

#endif
