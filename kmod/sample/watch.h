/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * watch.h - limits that each sample of a session is compared with
 *
 * Only sessions with a watch compare: their timers have a callback of their own, see kf_sample_callback().
 */
#ifndef KF_WATCH_H
#define KF_WATCH_H

#include <linux/types.h>

/**
 * struct kf_watch - what is looked for, and what is called when it is found
 * @late_ns:	a sample comes later than this; 0: do not look. A sample of an idle task is never late
 * @softirq_ns:	all samples of a CPU in this time were in softirqs; 0: do not look
 * @least_pages: fewer pages than this are available. Only session/epochs.c looks; 0: do not look
 * @fire:	called with KFLAME_FREEZE_*, and with what was measured. It may be called again and again, by
 *		several CPUs at once
 *
 * Context: @fire runs with interrupts off: in the timer's hard interrupt; or, by sample/freeze.h, wherever an
 * event is hit, as under the lock of a run queue. The owner writes the rest before START.
 */
struct kf_watch {
	u64 late_ns;
	u64 softirq_ns;
	u64 least_pages;
	void (*fire)(struct kf_watch *w, u32 cause, u64 detail);
};

#endif
