/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module_text.h - which addresses are code of modules, for as long as it lasts
 *
 * Behind the kernel's image there is code of modules, and code that is made while the kernel runs:
 * BPF programs, trampolines of tracers, slots of kprobes. When a module comes or goes is told to
 * whoever asks for that; of all others nothing is. So what is learnt of an address there may be
 * kept if it is a module's, and only until the next module comes or goes.
 *
 * Whose an address is kallsyms knows, which looks at every symbol of the module: ten thousand
 * for a large one. That is not for an interrupt. The first sample that meets a page there leaves
 * its address; a worker asks; from then on a bit says it. A page is of one kind as a whole.
 *
 * Who learns asks for the generation first, then whose the address is, and keeps what came of it:
 * if then it is another generation, what was kept is to be thrown away.
 *
 * Three things it does not see, for nobody tells: code that an init function left to async and that
 * runs after the module was said to live; that what kallsyms still calls an init function of a
 * module, because a tracer was on when that was freed, is a trampoline of a tracer now; and a thread
 * of a module that gave up its last reference and still has to end (module_put_and_kthread_exit()),
 * sampled between the notice that the module goes and the end of its code.
 *
 * Ownership: embedded in who learns; from kf_ktext_start() to kf_ktext_stop().
 * Context: kf_ktext_is_module() in hard interrupts. All it does but to read bits is to leave an
 * address and to queue an irq_work.
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
 * @forget:	of who learns: drop all that was learnt of these addresses
 * @generation:	goes up before what was learnt is dropped, and behind that
 * @asked:	an address whose page is to be asked about, or 0
 * @kick:	hard irq_work; all it does is to queue @work
 * @work:	asks
 * @list:	all that are told when modules come and go; under a lock of kstack/module_text.c, as is @dirty,
 *		and whoever writes the rest but for @asked
 * @dirty:	something is known
 * @known:	of these pages it is known; set after @module
 * @module:	whether they are of a module
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

/* To be asked for before whose an address is */
static inline unsigned long kf_ktext_generation(const struct kf_ktext *t)
{
	return smp_load_acquire(&t->generation);
}

/* Is what was learnt meanwhile, and is kept by now, to be thrown away again? */
static inline bool kf_ktext_is_over(const struct kf_ktext *t, unsigned long generation)
{
	/* Either this sees the new one, or who drops all sees what was kept. */
	smp_mb();
	return READ_ONCE(t->generation) != generation;
}

#endif

#endif
