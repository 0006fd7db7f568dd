/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracepoints.h - the kernel's own tracepoints, by name
 *
 * KF_TRACEPOINTS is defined if a module can find tracepoints and register probes. Modules find them by
 * name, because few are exported. A kernel with CONFIG_TRIM_UNUSED_KSYMS may not export what finds them.
 *
 * KF_UNTYPED_PROBES is defined if a probe may also have another type than its tracepoint. A kernel that
 * checks the types of indirect calls does not allow that.
 */
#ifndef KF_TRACEPOINTS_H
#define KF_TRACEPOINTS_H

#include "compat/features.h"

#if defined(CONFIG_TRACEPOINTS) && defined(KF_HAVE_EXPORT_FOR_EACH_KERNEL_TRACEPOINT) && \
	defined(KF_HAVE_EXPORT_TRACEPOINT_PROBE_REGISTER) && \
	defined(KF_HAVE_EXPORT_TRACEPOINT_PROBE_UNREGISTER)
#define KF_TRACEPOINTS

#if !defined(CONFIG_CFI_CLANG) && !defined(CONFIG_CFI)
#define KF_UNTYPED_PROBES
#endif

/* Arguments of a tracepoint that are in registers, on each architecture */
#define KF_PROBE_ARGS	5U

#include <linux/string.h>
#include <linux/tracepoint.h>

/* @point: out */
struct kf_tracepoint_search {
	const char *name;
	struct tracepoint *point;
};

static inline void kf_compare_tracepoint(struct tracepoint *point, void *arg)
{
	struct kf_tracepoint_search *search = arg;

	if (!strcmp(point->name, search->name))
		search->point = point;
}

/*
 * Return: the tracepoint, which is never freed; NULL if this kernel has none of that name.
 * Tracepoints of modules are not looked through.
 */
static inline struct tracepoint *kf_find_tracepoint(const char *name)
{
	struct kf_tracepoint_search search = { .name = name };

	for_each_kernel_tracepoint(kf_compare_tracepoint, &search);
	return search.point;
}

#endif
#endif
