// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor_events.c - what else than CPU time can be recorded on this kernel
 */
#include <stddef.h>
#include <stdio.h>

#include "doctor/doctor.h"

/* A kind of event, the option of the kernel that it needs, and what a user asks for */
static const struct {
	unsigned int kind;
	const char *option;
	const char *what;
} kinds[] = {
	{ KFLAME_EVENT_OFFCPU, "TRACEPOINTS", "--off-cpu, tracepoint:" },
	{ KFLAME_EVENT_KPROBE, "KPROBES", "kprobe:" },
	{ KFLAME_EVENT_KRETPROBE, "KRETPROBES", "kretprobe:, --file-io, --net" },
	{ KFLAME_EVENT_UPROBE, "UPROBES", "uprobe:" },
};

/* The module was built without it, although the kernel has the option: symbols are trimmed, or its headers differ */
static const char *but_there(const struct doctor *d, const char *option)
{
	return doctor_config(d, option) == 'y' ? " is set, but its symbols are not exported" : "";
}

/* @asked: has the module said what it has?  Otherwise the options predict it. */
static bool is_there(const struct doctor *d, bool asked, size_t i)
{
	return asked ? d->device.info.events >> kinds[i].kind & 1 : doctor_config(d, kinds[i].option) == 'y';
}

void check_events(const struct doctor *d, struct finding *f)
{
	const bool asked = d->device.asked && !d->device.error && d->device.info.features & KFLAME_FEAT_EVENTS;
	char missing[sizeof(f->text) / 2];
	size_t len = 0;

	if (!asked && !d->config) {
		find(f, VERDICT_UNKNOWN, "what else than CPU time can be recorded is known once the module runs");
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && len < sizeof(missing); i++)
		if (!is_there(d, asked, i))
			len += (size_t)snprintf(missing + len, sizeof(missing) - len, "%s%s (CONFIG_%s%s)", len ? "; " : "",
						kinds[i].what, kinds[i].option, but_there(d, kinds[i].option));
	if (!len) {
		find(f, VERDICT_WORKS, "off-CPU time, tracepoints, and probes of kernel and user functions");
		return;
	}
	find(f, VERDICT_LIMIT, "not here: %s", missing);
	fix(f, "run a kernel with these options, or record CPU time only");
}
