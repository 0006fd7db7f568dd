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
 * Guards what is known, of all struct kf_ktext. The sample path never takes it. Callers hold locks
 * of a session, and the notifier takes it. No other lock is taken under it, because module
 * notifiers run under a lock that the kernel takes before cpus_read_lock().
 */
static DEFINE_MUTEX(lock);
static LIST_HEAD(all);

/*
 * Is the address printed as NAME+OFFSET/SIZE [MODULE]? Code of BPF and tracers has no brackets when
 * printed, only in /proc/kallsyms. The names in brackets that /proc/kallsyms uses for such code are
 * no modules.
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

/*
 * While the lock is held no module begins to go away: the notifier would wait. kstack/module_text.h
 * has the case of one that is already going.
 */
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
 * A module is being loaded, is live, or is being unloaded. Its code, or older code at its
 * addresses, is gone or will be soon, and does not run any more (kstack/module_text.h has the
 * exceptions). Nothing is cached about it from now on. Facts about other modules and the image may
 * be cached meanwhile.
 */
static int notified(struct notifier_block *notifier, unsigned long state, void *module)
{
	struct kf_ktext *t;

	mutex_lock(&lock);
	list_for_each_entry(t, &all, list) {
		WRITE_ONCE(t->asked, 0);
		if (!t->dirty)
			continue;
		bitmap_zero(t->known, KF_KTEXT_PAGES);
		bitmap_zero(t->module, KF_KTEXT_PAGES);
		/*
		 * Pairs with kf_ktext_generation(). A reader that still sees a bit has the old
		 * generation, so kf_ktext_is_over() reports it.
		 */
		smp_store_release(&t->generation, t->generation + 1);
		smp_mb(); /* see kf_ktext_is_over() */
		t->forget(t);
		/*
		 * Facts that were cached during the drop, from facts about to be dropped, are over,
		 * too.
		 */
		smp_store_release(&t->generation, t->generation + 1);
		t->dirty = false;
	}
	mutex_unlock(&lock);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = notified };

/**
 * kf_ktext_is_module() - is an address code of a module?
 * @t:		started
 * @address:	any value
 *
 * Context: hard interrupt, interrupts off.
 * Return: false also while the answer is unknown. Then a worker finds it out.
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
 * kf_ktext_start() - begin to answer kf_ktext_is_module(); may sleep
 * @t:		zeroed
 * @forget:	drops what the caller has cached about modules' addresses; called under a mutex
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

/* The caller ensures that no CPU asks any more. May sleep. */
void kf_ktext_stop(struct kf_ktext *t)
{
	kf_irq_work_sync(&t->kick);
	cancel_work_sync(&t->work);
	mutex_lock(&lock);
	list_del(&t->list);
	mutex_unlock(&lock);
}

/* Called once, at load, before any kf_ktext_start() */
int __init kf_ktext_init(void)
{
	return register_module_notifier(&notifier);
}

/* Called at unload, after each kf_ktext_stop(), and if loading fails */
void kf_ktext_exit(void)
{
	WARN_ON_ONCE(!list_empty(&all));
	unregister_module_notifier(&notifier);
}

#endif
