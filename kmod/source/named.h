/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * named.h - what sources of probes share: hits that no sample can be taken of
 */
#ifndef KF_NAMED_H
#define KF_NAMED_H

#include <linux/atomic.h>

#include "source/source.h"

/*
 * Account for hits of which no sample could be taken, at STOP on the first CPU that is armed. They are lost
 * as nested. Return: as kf_source.drain
 */
static inline bool kf_named_drain(struct kf_event *e, struct kf_event_cpu *part, atomic_t *missed)
{
	u32 nr;

	if (!part->armed)
		return false;
	nr = atomic_xchg(missed, 0);
	if (nr)
		e->sample->missed(e, KFLAME_LOST_NESTED, nr, nr * kf_lost_weight(e));
	return false;
}

#endif
