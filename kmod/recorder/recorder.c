// SPDX-License-Identifier: GPL-2.0-only
/*
 * recorder.c - the flight recorder, see recorder/recorder.h
 */
#include <linux/bits.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "base/memory.h"
#include "compat/compat.h"
#include "recorder/recorder.h"
#include "sample/freeze.h"
#include "session/epochs.h"
#include "session/session.h"
#include "source/timer.h"

#define DEFAULT_HZ	99U
#define DEFAULT_EPOCHS	12U
#define MIN_EPOCHS	2U
#define MAX_EPOCHS	256U
#define MIN_SPAN_NS	NSEC_PER_SEC
#define MAX_SPAN_NS	(3600 * NSEC_PER_SEC)
#define MIN_EPOCH_NS	(10 * NSEC_PER_MSEC)

/* By default an epoch has an entry for each of its samples, within these limits. */
#define ENTRIES_MIN	128U
#define ENTRIES_MAX	2048U
/* An interrupt empties a whole table. */
#define ENTRIES_LIMIT	32768U

/* Triggers that START may ask for by bits */
#define BY_BITS		(BIT(KFLAME_FREEZE_OOM) | BIT(KFLAME_FREEZE_HUNG))

/* Guards @recorder, and all of its operations in process context. Outside of all locks of a session. */
static DEFINE_MUTEX(lock);
/* The only recorder; NULL if there is none */
static struct kf_recorder *recorder;

/* ------------------------------------------------------------------ freeze */

/* Runs on each CPU after a freeze, in hard interrupt context. The last access to @c is the decrement. */
static void stop_here(struct kf_recorder_cpu *c)
{
	struct kf_recorder *r = c->r;

	kf_session_disarm_here(r->session);
	atomic_dec_return_release(&r->pending);
}

static void csd_fn(void *c)
{
	stop_here(c);
}

static void self_fn(struct irq_work *work)
{
	stop_here(container_of(work, struct kf_recorder_cpu, self));
}

static void stop_all(struct kf_recorder *r)
{
	const unsigned int here = smp_processor_id();
	unsigned int cpu;

	lockdep_assert_irqs_disabled();
	for_each_online_cpu(cpu) {
		if (cpu == here)
			continue;
		atomic_inc(&r->pending);
		/* It fails for a CPU that has gone offline, which was disarmed then. */
		if (smp_call_function_single_async(cpu, &per_cpu_ptr(r->cpu, cpu)->csd))
			atomic_dec(&r->pending);
	}
	/* This may be a callback of the timer that is to be cancelled. */
	atomic_inc(&r->pending);
	if (!irq_work_queue(&this_cpu_ptr(r->cpu)->self))
		atomic_dec(&r->pending);
}

/**
 * kf_recorder_trip() - freeze a recorder
 * @r:		the recorder, which exists as long as its triggers are registered
 * @cause:	KFLAME_FREEZE_*
 * @detail:	what the trigger measured
 *
 * Context: any but an NMI; with KFLAME_FREEZE_PANIC also an NMI. Takes no lock, and does not wait.
 * Return: false if it is frozen already, or does not run.
 */
bool kf_recorder_trip(struct kf_recorder *r, u32 cause, u64 detail)
{
	unsigned long flags;

	if (atomic_read(&r->state) != KF_RECORDER_RUNNING)
		return false;
	/* settle() spins until the end of this, so it is not preempted from before FREEZING on. */
	local_irq_save(flags);
	if (atomic_cmpxchg(&r->state, KF_RECORDER_RUNNING, KF_RECORDER_FREEZING) != KF_RECORDER_RUNNING) {
		local_irq_restore(flags);
		return false;
	}
	WRITE_ONCE(r->session->frozen, true);
	/* Pairs with arm_fn() in session/session.c: the flag is set before the CPUs are read. */
	smp_mb();
	r->cause = cause;
	r->detail = detail;
	r->frozen_ns = ktime_get_mono_fast_ns();
	r->frozen_realtime_ns = ktime_get_real_fast_ns();
	/* The other CPUs of a kernel that panics are stopped, or about to be. */
	if (cause != KFLAME_FREEZE_PANIC)
		stop_all(r);
	atomic_set_release(&r->state, KF_RECORDER_FROZEN);
	local_irq_restore(flags);
	return true;
}

static void fire(struct kf_watch *w, u32 cause, u64 detail)
{
	kf_recorder_trip(container_of(w, struct kf_recorder, watch), cause, detail);
}

/* Is it frozen? If it is being frozen just now, wait until it is: for some instructions. */
static bool is_frozen(struct kf_recorder *r)
{
	int state;

	/* Pairs with the release in kf_recorder_trip(): the cause is visible. */
	while ((state = atomic_read_acquire(&r->state)) == KF_RECORDER_FREEZING)
		cpu_relax();
	return state == KF_RECORDER_FROZEN;
}

/*
 * Wait until no interrupt of a freeze is on its way. Each comes as soon as its CPU has interrupts on. Whoever
 * waits for tasks in these interrupts would need a lock that they must not take. So look, and look again.
 */
static void wait_for_interrupts(struct kf_recorder *r)
{
	unsigned int cpu;

	/* Pairs with the release in stop_here(): what the interrupts wrote is visible. */
	while (atomic_read_acquire(&r->pending))
		usleep_range(50, 200);
	for_each_possible_cpu(cpu)
		kf_irq_work_sync(&per_cpu_ptr(r->cpu, cpu)->self);
}

/* Finish a freeze: the session is stopped, and its tables do not change. Return: is it frozen? */
static bool settle(struct kf_recorder *r)
{
	u64 when;

	lockdep_assert_held(&lock);
	if (!is_frozen(r))
		return false;
	if (r->settled)
		return true;
	kf_session_stop(r->session, &when);
	wait_for_interrupts(r);
	r->settled = true;
	return true;
}

/*
 * Freeze the recorder on request. @cause, @detail: what the status reports. Return: 0; -ENODATA if there is
 * none; -EBUSY if it is frozen.
 */
static int freeze(u32 cause, u64 detail)
{
	bool froze;

	lockdep_assert_held(&lock);
	if (!recorder)
		return -ENODATA;
	froze = kf_recorder_trip(recorder, cause, detail);
	settle(recorder);
	return froze ? 0 : -EBUSY;
}

/* As freeze(); may sleep. */
int kf_recorder_freeze(void)
{
	int err;

	mutex_lock(&lock);
	err = freeze(KFLAME_FREEZE_REQUEST, 0);
	mutex_unlock(&lock);
	return err;
}

/* ------------------------------------------------------------------- start */

/* Fill in defaults, and check. */
static int check(struct kflame_recorder *req)
{
	u64 epoch_ns;

	req->period_ns = req->period_ns ?: NSEC_PER_SEC / DEFAULT_HZ;
	req->epochs = req->epochs ?: DEFAULT_EPOCHS;
	if (req->span_ns < MIN_SPAN_NS || req->span_ns > MAX_SPAN_NS ||
	    req->epochs < MIN_EPOCHS || req->epochs > MAX_EPOCHS || req->triggers & ~BY_BITS ||
	    req->period_ns < KF_MIN_PERIOD_NS || req->period_ns > KF_MAX_PERIOD_NS ||
	    req->least_memory > S64_MAX || req->pad2)
		return -EINVAL;
	/* How late a sample came is known in whole periods. */
	if (req->late_ns && req->late_ns < req->period_ns)
		return -EINVAL;
	epoch_ns = div_u64(req->span_ns, req->epochs);
	if (epoch_ns < MIN_EPOCH_NS || epoch_ns < req->period_ns)
		return -EINVAL;
	req->entries = req->entries ?: clamp_t(u64, div64_u64(epoch_ns, req->period_ns) + 1, ENTRIES_MIN,
					       ENTRIES_MAX);
	if (req->entries < KF_TABLE_MIN_ENTRIES || req->entries > ENTRIES_LIMIT)
		return -EINVAL;
	return 0;
}

static int create_session(struct kf_recorder *r)
{
	struct kflame_config cfg = {
		.size = sizeof(cfg), .period_ns = r->asked.period_ns, .entries = r->asked.entries,
		.budget_permille = 50,
	};
	const struct kf_ids all = {};
	struct kf_session *s = kf_session_create();
	int err;

	if (!s)
		return -ENOMEM;
	/* One epoch more: the one that is being filled may have begun just now. */
	s->epochs = r->asked.epochs + 1;
	s->epoch_ns = div_u64(r->asked.span_ns, r->asked.epochs);
	r->watch = (struct kf_watch){
		.late_ns = r->asked.late_ns, .softirq_ns = r->asked.softirq_ns,
		.least_pages = DIV_ROUND_UP_ULL(r->asked.least_memory, PAGE_SIZE), .fire = fire,
	};
	if (r->asked.late_ns || r->asked.softirq_ns || r->asked.least_memory)
		s->sampling.watch = &r->watch;
	r->session = s;
	err = kf_session_configure(s, &cfg, &all, NULL);
	r->asked.memory = cfg.memory;
	r->asked.period_ns = cfg.period_ns;
	return err;
}

static int create_rest(struct kf_recorder *r)
{
	const size_t memory = kf_panic_text_bytes() + sizeof(*r->cpu) * num_possible_cpus();
	struct kf_recorder_cpu *c;
	unsigned int cpu;

	if (!kf_memory_reserve(memory))
		return -ENOMEM;
	r->memory = memory;
	r->cpu = alloc_percpu(struct kf_recorder_cpu);
	if (!r->cpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(r->cpu, cpu);
		c->r = r;
		c->csd.func = csd_fn;
		c->csd.info = c;
		kf_init_irq_work_hard(&c->self, self_fn);
	}
	return kf_panic_text_init(&r->panic);
}

/* The head of recorder/recorder.h has the order. Some parts may not be there. */
static void destroy(struct kf_recorder *r)
{
	u64 when;

	if (r->is_attached)
		kf_freeze_detach();
	kf_triggers_unregister(&r->triggers);
	if (r->session)
		kf_session_stop(r->session, &when);
	if (r->cpu)
		wait_for_interrupts(r);
	if (r->session)
		kf_session_destroy(r->session);
	kf_panic_text_exit(&r->panic);
	free_percpu(r->cpu);
	kf_memory_release(r->memory);
	kvfree(r);
}

static struct kf_recorder *create(const struct kflame_recorder *req, int *err)
{
	struct kf_recorder *r = kvzalloc(sizeof(*r), GFP_KERNEL);
	u64 when;

	*err = -ENOMEM;
	if (!r)
		return NULL;
	r->asked = *req;
	*err = create_rest(r);
	if (!*err)
		*err = create_session(r);
	r->asked.memory += r->memory;
	if (!*err)
		*err = kf_session_start(r->session, &when);
	if (!*err)
		*err = kf_triggers_register(&r->triggers, req);
	r->asked.memory += r->triggers.cpu_waits.bytes;
	if (!*err) {
		kf_freeze_attach(&r->watch);
		r->is_attached = true;
		return r;
	}
	destroy(r);
	return NULL;
}

/* Continue the recorder, which exists. Return: 0; -EBUSY if it is not frozen, or is read; or another error */
static int resume(void)
{
	struct kf_recorder *r = recorder;
	u64 when;
	int err;

	lockdep_assert_held(&lock);
	if (!settle(r) || r->readers)
		return -EBUSY;
	r->settled = false;
	r->cause = KFLAME_FREEZE_NONE;
	r->detail = 0;
	WRITE_ONCE(r->session->frozen, false);
	/* From here on a trigger may freeze it again. Then arm_fn() in session/session.c arms nothing. */
	atomic_set_release(&r->state, KF_RECORDER_RUNNING);
	err = kf_session_start(r->session, &when);
	if (err)
		freeze(KFLAME_FREEZE_REQUEST, 0);
	return err;
}

static bool is_plain(const struct kflame_recorder *req)
{
	return !req->span_ns && !req->period_ns && !req->epochs && !req->entries && !req->late_ns &&
	       !req->softirq_ns && !req->least_memory && !req->triggers && !req->runq_ns &&
	       !req->most_blocked && !req->pad2;
}

static int start(struct kflame_recorder *req)
{
	int err;

	lockdep_assert_held(&lock);
	if (recorder)
		return is_plain(req) ? resume() : -EBUSY;
	err = check(req);
	if (!err)
		recorder = create(req, &err);
	return err;
}

static int stop(void)
{
	struct kf_recorder *r = recorder;

	lockdep_assert_held(&lock);
	if (!r)
		return -ENODATA;
	if (r->readers)
		return -EBUSY;
	recorder = NULL;
	destroy(r);
	return 0;
}

/* Continue the recorder, on request; may sleep. Return: as KFLAME_RECORDER_START */
int kf_recorder_resume(void)
{
	int err;

	mutex_lock(&lock);
	err = recorder ? resume() : -ENODATA;
	mutex_unlock(&lock);
	return err;
}

/* ------------------------------------------------------------------ answer */

static u32 triggers_of(const struct kflame_recorder *asked)
{
	return asked->triggers | BIT(KFLAME_FREEZE_REQUEST) | BIT(KFLAME_FREEZE_PANIC) |
	       (asked->late_ns ? BIT(KFLAME_FREEZE_LATE) : 0) |
	       (asked->softirq_ns ? BIT(KFLAME_FREEZE_SOFTIRQ) : 0) |
	       (asked->least_memory ? BIT(KFLAME_FREEZE_MEMORY) : 0) |
	       (asked->runq_ns ? BIT(KFLAME_FREEZE_RUNQ) : 0) |
	       (asked->most_blocked ? BIT(KFLAME_FREEZE_BLOCKED) : 0);
}

static void answer(struct kflame_recorder *req)
{
	const u32 op = req->op;
	struct kf_epochs_sum sum;
	struct kf_recorder *r = recorder;

	lockdep_assert_held(&lock);
	if (!r) {
		*req = (struct kflame_recorder){ .op = op };
		return;
	}
	*req = r->asked;
	req->op = op;
	req->triggers = triggers_of(&r->asked);
	req->state = settle(r) ? KFLAME_RECORDER_FROZEN : KFLAME_RECORDER_RUNNING;
	kf_epochs_sum(r->session, &sum);
	if (req->state == KFLAME_RECORDER_FROZEN) {
		req->cause = r->cause;
		req->detail = r->detail;
		req->frozen_ns = r->frozen_ns;
		req->freeze_ns = sum.stopped_ns > r->frozen_ns ? sum.stopped_ns - r->frozen_ns : 0;
	}
	req->samples = sum.samples;
	req->counted = sum.counted;
	req->lost = sum.lost;
	req->kept = sum.kept;
	req->expired = sum.expired;
	req->kept_ns = sum.kept_ns;
	req->expired_ns = sum.expired_ns;
}

/* May whoever requests a freeze name this cause, with this detail? Ids of signals are not the module's. */
static bool is_reported(u32 cause, u64 detail)
{
	return (cause == KFLAME_FREEZE_PRESSURE && detail < KFLAME_NR_PRESSURES) ||
	       cause == KFLAME_FREEZE_SIGNAL;
}

/*
 * Answers are zero in a request, so that a later version can make inputs of them. Only FREEZE may have a
 * cause with its detail.
 */
static bool has_no_answers(const struct kflame_recorder *req)
{
	struct kflame_recorder rest = *req;

	if (req->op == KFLAME_RECORDER_FREEZE && is_reported(req->cause, req->detail)) {
		rest.cause = KFLAME_FREEZE_NONE;
		rest.detail = 0;
	}
	return !memchr_inv(&rest.state, 0, offsetof(struct kflame_recorder, runq_ns) -
					   offsetof(struct kflame_recorder, state));
}

/**
 * kf_recorder_ioctl() - KFLAME_IOC_RECORDER but for KFLAME_RECORDER_READ; may sleep
 * @req:	in and out, see include/uapi/kflame-recorder.h
 *
 * Return: 0 or a negative errno.
 */
int kf_recorder_ioctl(struct kflame_recorder *req)
{
	int err = 0;

	if (!has_no_answers(req) || (req->op != KFLAME_RECORDER_START && !is_plain(req)))
		return -EINVAL;
	mutex_lock(&lock);
	switch (req->op) {
	case KFLAME_RECORDER_STATUS:
		break;
	case KFLAME_RECORDER_START:
		err = start(req);
		break;
	case KFLAME_RECORDER_FREEZE:
		err = freeze(req->cause ?: KFLAME_FREEZE_REQUEST, req->detail);
		break;
	case KFLAME_RECORDER_STOP:
		err = stop();
		break;
	default:
		err = -EINVAL;
	}
	if (!err)
		answer(req);
	mutex_unlock(&lock);
	return err;
}

/* ------------------------------------------------------- reading, lifetime */

bool kf_recorder_exists(void)
{
	return READ_ONCE(recorder);
}

/**
 * kf_recorder_read() - begin to read the recorder, which must be frozen
 *
 * Context: may sleep. Until kf_recorder_read_end() the recorder neither starts nor stops, and its tables do
 * not change.
 * Return: the recorder; ERR_PTR(-ENODATA) if there is none; ERR_PTR(-EBUSY) if it runs.
 */
struct kf_recorder *kf_recorder_read(void)
{
	struct kf_recorder *r = ERR_PTR(-ENODATA);

	mutex_lock(&lock);
	if (recorder)
		r = settle(recorder) ? recorder : ERR_PTR(-EBUSY);
	if (!IS_ERR(r))
		r->readers++;
	mutex_unlock(&lock);
	return r;
}

void kf_recorder_read_end(struct kf_recorder *r)
{
	mutex_lock(&lock);
	r->readers--;
	mutex_unlock(&lock);
}

/**
 * kf_recorder_start_at_load() - start the recorder when the module is loaded
 * @span:	how long samples are kept: "60s" or "60"
 * @freq:	samples a second on each CPU; 0 for the default
 *
 * Return: 0 or a negative errno.
 */
int kf_recorder_start_at_load(const char *span, u32 freq)
{
	struct kflame_recorder req = { .op = KFLAME_RECORDER_START };
	char text[16];
	size_t len;
	u32 seconds;

	if (strscpy(text, span, sizeof(text)) < 0)
		return -EINVAL;
	len = strlen(text);
	if (len > 1 && text[len - 1] == 's')
		text[len - 1] = '\0';
	if (kstrtou32(text, 10, &seconds) || freq > NSEC_PER_SEC / KF_MIN_PERIOD_NS)
		return -EINVAL;
	req.span_ns = seconds * NSEC_PER_SEC;
	req.period_ns = freq ? div_u64(NSEC_PER_SEC + freq / 2, freq) : 0;
	return kf_recorder_ioctl(&req);
}

/* Called at unload, when no file is open any more. There may be no recorder. */
void kf_recorder_exit(void)
{
	mutex_lock(&lock);
	stop();
	mutex_unlock(&lock);
}
