// SPDX-License-Identifier: GPL-2.0-only
/*
 * module_tracepoints.c - tracepoints of modules, by name
 *
 * The kernel calls a new notifier for each module with tracepoints that is loaded. That is all that a module
 * can learn about the others' tracepoints, so a notifier is registered for the time of a search.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/tracepoint.h>

#include "compat/tracepoints.h"

#if defined(KF_TRACEPOINTS) && IS_ENABLED(CONFIG_MODULES) && \
	defined(KF_HAVE_EXPORT_REGISTER_TRACEPOINT_MODULE_NOTIFIER)

/* @found: out */
struct search {
	struct notifier_block notifier;
	const char *name;
	struct kf_tracepoint *found;
};

static struct tracepoint *find_in(struct module *module, const char *name)
{
	unsigned int i;

	for (i = 0; i < module->num_tracepoints; i++) {
		struct tracepoint *point = tracepoint_ptr_deref(&module->tracepoints_ptrs[i]);

		if (!strcmp(point->name, name))
			return point;
	}
	return NULL;
}

/* Context: the kernel's list of modules with tracepoints is locked, so none of them goes meanwhile. */
static int compare(struct notifier_block *notifier, unsigned long state, void *data)
{
	struct search *search = container_of(notifier, struct search, notifier);
	const struct tp_module *has = data;
	struct tracepoint *point;

	/* A module that is still being loaded may yet fail, whoever has a reference to it. */
	if (state != MODULE_STATE_COMING || search->found->tp ||
	    READ_ONCE(has->mod->state) != MODULE_STATE_LIVE)
		return NOTIFY_OK;
	point = find_in(has->mod, search->name);
	if (point && try_module_get(has->mod))
		*search->found = (struct kf_tracepoint){ .tp = point, .module = has->mod };
	return NOTIFY_OK;
}

/* Context: may sleep. @found: zero; stays so if no module has a tracepoint of that name */
void kf_find_module_tracepoint(struct kf_tracepoint *found, const char *name)
{
	struct search search = { .notifier.notifier_call = compare, .name = name, .found = found };

	/* It fails only if it is registered twice. */
	if (!register_tracepoint_module_notifier(&search.notifier))
		unregister_tracepoint_module_notifier(&search.notifier);
}

#endif
