/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kretprobe.h - returns of a function, for events that have other names
 */
#ifndef KF_KRETPROBE_H
#define KF_KRETPROBE_H

#include "compat/kprobes.h"
#include "source/source.h"

#ifdef KF_KRETPROBES

int kf_kretprobe_attach(struct kf_event *e, const char *function, bool (*counts)(unsigned long value));
bool kf_kretprobe_drain(struct kf_event *e, struct kf_event_cpu *part);
void kf_kretprobe_detach(struct kf_event *e);

#else

static inline int kf_kretprobe_attach(struct kf_event *e, const char *function,
				      bool (*counts)(unsigned long value))
{
	return -EOPNOTSUPP;
}

static inline bool kf_kretprobe_drain(struct kf_event *e, struct kf_event_cpu *part)
{
	return false;
}

static inline void kf_kretprobe_detach(struct kf_event *e)
{
}

#endif
#endif
