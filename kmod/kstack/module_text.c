// SPDX-License-Identifier: GPL-2.0-only
/*
 * module_text.c - which addresses are code of modules, see kstack/module_text.h
 */
#include <linux/bitmap.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/string.h>

#include "base/work.h"
#include "kstack/module_text.h"

#ifdef KF_HAVE_ORC_STATE

/*
 * What is known, of all of them, changes under it. Never taken by the sample path; taken under a
 * session's locks, and by the notifier. So no other lock is taken under it: notifiers of modules
 * run under one that the kernel takes before cpus_read_lock().
 */
static DEFINE_MUTEX(lock);
static LIST_HEAD(all);

/*
 * As it is printed: NAME+OFFSET/SIZE [MODULE]. What BPF and tracers made has no brackets there, but
 * in /proc/kallsyms, and what is called so in these is no module for certain.
 */
static bool is_in_module(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];
	const char *bracket;

	sprint_symbol(name, address);
	bracket = strrchr(name, '[');
	return bracket && strcmp(bracket, "[bpf]") && strncmp(bracket, "[__builtin__", 12);
}

static unsigned long page_of(unsigned long address)
{
	return (address - MODULES_VADDR) >> PAGE_SHIFT;
}

/* Under the lock none begins to go away: the notifier would wait. See kstack/module_text.h for one that has begun. */
static void work_fn(struct work_struct *work)
{
	struct kf_ktext *t = container_of(work, struct kf_ktext, work);
	unsigned long address;

	mutex_lock(&lock);
	address = READ_ONCE(t->asked);
	if (address) {
		t->dirty = true;
		if (is_in_module(address))
			set_bit(page_of(address), t->module);
		/* A reader that sees the page as known must also see what it is. */
		smp_mb__before_atomic();
		set_bit(page_of(address), t->known);
		WRITE_ONCE(t->asked, 0);
	}
	mutex_unlock(&lock);
}

static void kick_fn(struct irq_work *kick)
{
	queue_work(kf_wq, &container_of(kick, struct kf_ktext, kick)->work);
}

/*
 * A module is loaded, has begun, or is unloaded. Its code, or the code that was there before it, is gone
 * or will soon be, and does not run any more (kstack/module_text.h has the exceptions). Nothing is cached
 * about it from now on. Facts about other modules and the image may be cached meanwhile.
 */
static int notified(struct notifier_block *notifier, unsigned long state, void *module)
{
	struct kf_ktext *t;

	mutex_lock(&lock);
	list_for_each_entry(t, &all, list) {
		WRITE_ONCE(t->asked, 0);
		if (!t->dirty)
			continue;
		/* A reader that still sees a bit also sees that the generation is over. */
		bitmap_zero(t->known, KF_KTEXT_PAGES);
		bitmap_zero(t->module, KF_KTEXT_PAGES);
		smp_store_release(&t->generation, t->generation + 1);
		smp_mb(); /* see kf_ktext_is_over() */
		t->forget(t);
		/* What was made meanwhile of what was about to be dropped is over, too. */
		smp_store_release(&t->generation, t->generation + 1);
		t->dirty = false;
	}
	mutex_unlock(&lock);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = notified };

/**
 * kf_ktext_is_module() - whether an address is code of a module
 * @t:		started
 * @address:	any
 *
 * Context: hard interrupt, interrupts off.
 * Return: false also as long as it is not known, which it will be soon.
 */
bool kf_ktext_is_module(struct kf_ktext *t, unsigned long address)
{
	unsigned long page = page_of(address);

	lockdep_assert_irqs_disabled();
	if (address < MODULES_VADDR || page >= KF_KTEXT_PAGES)
		return false;
	if (test_bit(page, t->known)) {
		smp_rmb(); /* see work_fn() */
		return test_bit(page, t->module);
	}
	if (!READ_ONCE(t->asked) && !cmpxchg(&t->asked, 0, address))
		irq_work_queue(&t->kick);
	return false;
}

/**
 * kf_ktext_start() - from now on it can be asked; may sleep
 * @t:		zeroed
 * @forget:	drops what the caller has cached of addresses of modules; called under a mutex
 */
void kf_ktext_start(struct kf_ktext *t, void (*forget)(struct kf_ktext *t))
{
	t->forget = forget;
	INIT_WORK(&t->work, work_fn);
	kf_init_irq_work_hard(&t->kick, kick_fn);
	mutex_lock(&lock);
	list_add(&t->list, &all);
	mutex_unlock(&lock);
}

/* The caller proves that no CPU asks any more. May sleep. */
void kf_ktext_stop(struct kf_ktext *t)
{
	kf_irq_work_sync(&t->kick);
	cancel_work_sync(&t->work);
	mutex_lock(&lock);
	list_del(&t->list);
	mutex_unlock(&lock);
}

/* Once, at load, before any is started */
int __init kf_ktext_init(void)
{
	return register_module_notifier(&notifier);
}

/* At unload, when all are stopped; and where loading fails */
void kf_ktext_exit(void)
{
	WARN_ON_ONCE(!list_empty(&all));
	unregister_module_notifier(&notifier);
}

#endif
