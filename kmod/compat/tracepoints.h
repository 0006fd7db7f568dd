/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracepoints.h - tracepoints by name
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

/* Arguments of a tracepoint that are in registers, on each architecture */
#define KF_PROBE_ARGS	5U

#if defined(CONFIG_TRACEPOINTS) && defined(KF_HAVE_EXPORT_FOR_EACH_KERNEL_TRACEPOINT) && \
	defined(KF_HAVE_EXPORT_TRACEPOINT_PROBE_REGISTER) && \
	defined(KF_HAVE_EXPORT_TRACEPOINT_PROBE_UNREGISTER)
#define KF_TRACEPOINTS

#if !defined(CONFIG_CFI_CLANG) && !defined(CONFIG_CFI)
#define KF_UNTYPED_PROBES
#endif

#include <linux/module.h>
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
 * Return: the tracepoint, which is never freed; NULL if the kernel itself has none of that name
 */
static inline struct tracepoint *kf_find_tracepoint(const char *name)
{
	struct kf_tracepoint_search search = { .name = name };

	for_each_kernel_tracepoint(kf_compare_tracepoint, &search);
	return search.point;
}

/*
 * Where the kernel's function begins that calls the probes of @point, if it has several. Return: 0 on
 * kernels before 5.10, where the traced function itself calls them (d25e37d89dd2)
 */
static inline unsigned long kf_tracepoint_iterator(const struct tracepoint *point)
{
#ifdef KF_HAVE_TRACEPOINT_ITERATOR
	return (unsigned long)point->iterator;
#else
	return 0;
#endif
}

/* @tp: NULL for none. @module: whose it is, with a reference; NULL for the kernel */
struct kf_tracepoint {
	struct tracepoint *tp;
	struct module *module;
};

#if IS_ENABLED(CONFIG_MODULES) && defined(KF_HAVE_EXPORT_REGISTER_TRACEPOINT_MODULE_NOTIFIER)
void kf_find_module_tracepoint(struct kf_tracepoint *found, const char *name);
#else
static inline void kf_find_module_tracepoint(struct kf_tracepoint *found, const char *name)
{
}
#endif

/*
 * Find a tracepoint of the kernel or of a module, which stays loaded until kf_tracepoint_put().
 * Context: may sleep. Return: with @tp NULL if there is none of that name
 */
static inline struct kf_tracepoint kf_tracepoint_get(const char *name)
{
	struct kf_tracepoint found = { .tp = kf_find_tracepoint(name) };

	if (!found.tp)
		kf_find_module_tracepoint(&found, name);
	return found;
}

/* No probe is registered any more. */
static inline void kf_tracepoint_put(struct kf_tracepoint *point)
{
	module_put(point->module);
	*point = (struct kf_tracepoint){ };
}

#endif
#endif
