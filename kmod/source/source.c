// SPDX-License-Identifier: GPL-2.0-only
/*
 * source.c - the list of event sources, and what sources without a timer share; see source/source.h
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/ktime.h>

#include "source/source.h"

static const struct kf_source *const sources[] = {
	[KFLAME_EVENT_TIMER] = &kf_source_timer,
	[KFLAME_EVENT_FAULTS] = &kf_source_faults,
	[KFLAME_EVENT_OFFCPU] = &kf_source_offcpu,
	[KFLAME_EVENT_SLEEPERS] = &kf_source_sleepers,
	[KFLAME_EVENT_KPROBE] = &kf_source_kprobe,
	[KFLAME_EVENT_TRACEPOINT] = &kf_source_tracepoint,
	[KFLAME_EVENT_KRETPROBE] = &kf_source_kretprobe,
	[KFLAME_EVENT_UPROBE] = &kf_source_uprobe,
	[KFLAME_EVENT_SYSCALL] = &kf_source_syscall,
	[KFLAME_EVENT_PAIR] = &kf_source_pair,
	[KFLAME_EVENT_URETPROBE] = &kf_source_uretprobe,
};

static_assert(ARRAY_SIZE(sources) == KFLAME_NR_EVENTS);

/* The source of events of this kind, KFLAME_EVENT_*; NULL if there is no such kind */
const struct kf_source *kf_source_of(u32 kind)
{
	return kind < ARRAY_SIZE(sources) ? sources[kind] : NULL;
}

/* Does the source work on this kernel? */
bool kf_source_is_supported(const struct kf_source *source)
{
	return !source->is_supported || source->is_supported();
}

/* Do users name the events of the source? */
bool kf_source_is_named(const struct kf_source *source)
{
	return source->check || source->check_file;
}

/* kf_source.is_supported of a source that this kernel has nothing for */
bool kf_source_is_missing(void)
{
	return false;
}

/* Kinds of events that work on this kernel: a bit for each */
u64 kf_sources_supported(void)
{
	u64 kinds = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sources); i++)
		if (sources[i] && kf_source_is_supported(sources[i]))
			kinds |= 1ULL << i;
	return kinds;
}

void kf_event_arm(struct kf_event_cpu *part)
{
	lockdep_assert_irqs_disabled();
	if (part->armed)
		return;
	part->started = ktime_get_ns();
	part->armed = true;
}

void kf_event_disarm(struct kf_event_cpu *part)
{
	lockdep_assert_irqs_disabled();
	if (!part->armed)
		return;
	kf_event_books(part, &part->books);
	part->armed = false;
}

void kf_event_books(const struct kf_event_cpu *part, struct kflame_cpu *out)
{
	if (out != &part->books)
		*out = part->books;
	out->cpu = part->cpu;
	if (part->armed)
		out->active_ns += ktime_get_ns() - part->started;
}
