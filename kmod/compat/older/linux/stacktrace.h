/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/stacktrace.h>

#include "compat/features.h"

#ifndef KF_OLDER_STACKTRACE_H
#define KF_OLDER_STACKTRACE_H

/* Since 5.2 ("stacktrace: Provide helpers for common stack trace operations") */
#if defined(CONFIG_STACKTRACE) && !defined(KF_HAVE_STACK_TRACE_SAVE)
static inline unsigned int stack_trace_save(unsigned long *store, unsigned int size,
					    unsigned int skipped)
{
	struct stack_trace trace = { .max_entries = size, .entries = store, .skip = skipped };

	save_stack_trace(&trace);
	/* Older kernels mark the end of a trace, if there is room. */
	if (trace.nr_entries && store[trace.nr_entries - 1] == ULONG_MAX)
		trace.nr_entries--;
	return trace.nr_entries;
}
#endif

#endif
