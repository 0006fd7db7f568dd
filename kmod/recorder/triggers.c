// SPDX-License-Identifier: GPL-2.0-only
/*
 * triggers.c - what freezes the recorder, see recorder/triggers.h
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/panic_notifier.h>

#include "compat/freeze_tracepoints.h"
#include "recorder/recorder.h"
#include "recorder/triggers.h"

#ifdef KF_FREEZE_TRACEPOINTS

static void hit_oom(KF_VICTIM_PROTO)
{
	kf_recorder_trip(data, KFLAME_FREEZE_OOM, KF_VICTIM_PID);
}

static void hit_hung(KF_HUNG_PROTO)
{
	kf_recorder_trip(data, KFLAME_FREEZE_HUNG, task->pid);
}

/* Register a probe. Return: 0; -EOPNOTSUPP if the kernel has no such tracepoint; or another error. */
static int hook(struct tracepoint **hooked, const char *name, void *probe, struct kf_recorder *r)
{
	struct tracepoint *point = kf_find_tracepoint(name);
	int err = point ? tracepoint_probe_register(point, probe, r) : -EOPNOTSUPP;

	if (!err)
		*hooked = point;
	return err;
}

static void unhook(struct tracepoint **hooked, void *probe, struct kf_recorder *r)
{
	if (!*hooked)
		return;
	WARN_ON_ONCE(tracepoint_probe_unregister(*hooked, probe, r));
	tracepoint_synchronize_unregister();
	*hooked = NULL;
}

#else

#define hit_oom		NULL
#define hit_hung	NULL

static int hook(struct tracepoint **hooked, const char *name, void *probe, struct kf_recorder *r)
{
	return -EOPNOTSUPP;
}

static void unhook(struct tracepoint **hooked, void *probe, struct kf_recorder *r)
{
}

#endif

/*
 * Context: any, also an NMI; the other CPUs are mostly stopped. Takes no lock.
 */
static int hit_panic(struct notifier_block *block, unsigned long unused, void *message)
{
	struct kf_recorder *r = container_of(block, struct kf_recorder, triggers.panic);

	kf_recorder_trip(r, KFLAME_FREEZE_PANIC, 0);
	kf_panic_text_print(&r->panic, r->session);
	return NOTIFY_DONE;
}

/**
 * kf_triggers_register() - register the triggers of a recorder; may sleep
 * @t:		of a struct kf_recorder whose session was started; zeroed
 * @asked:	which are wanted, and their limits
 *
 * Return: 0; -EOPNOTSUPP if this kernel does not show such an event; or another error. Then none is
 * registered.
 */
int kf_triggers_register(struct kf_triggers *t, const struct kflame_recorder *asked)
{
	struct kf_recorder *r = container_of(t, struct kf_recorder, triggers);
	int err = 0;

	if (asked->triggers & BIT(KFLAME_FREEZE_OOM))
		err = hook(&t->oom, "mark_victim", hit_oom, r);
	if (!err && asked->triggers & BIT(KFLAME_FREEZE_HUNG))
		err = hook(&t->hung, "sched_process_hang", hit_hung, r);
	if (!err && asked->runq_ns)
		err = kf_cpu_waits_register(&t->cpu_waits, asked->runq_ns);
	if (!err && asked->most_blocked)
		kf_blocked_tasks_register(&t->blocked, asked->most_blocked);
	if (!err) {
		t->panic.notifier_call = hit_panic;
		err = atomic_notifier_chain_register(&panic_notifier_list, &t->panic);
		if (err)
			t->panic.notifier_call = NULL;
	}
	if (err)
		kf_triggers_unregister(t);
	return err;
}

/* Undo kf_triggers_register(); may sleep. When it returns, no trigger runs. */
void kf_triggers_unregister(struct kf_triggers *t)
{
	struct kf_recorder *r = container_of(t, struct kf_recorder, triggers);

	/* It waits for a grace period, in which no notifier of the list runs any more. */
	if (t->panic.notifier_call)
		atomic_notifier_chain_unregister(&panic_notifier_list, &t->panic);
	t->panic.notifier_call = NULL;
	kf_blocked_tasks_unregister(&t->blocked);
	kf_cpu_waits_unregister(&t->cpu_waits);
	unhook(&t->hung, hit_hung, r);
	unhook(&t->oom, hit_oom, r);
}
