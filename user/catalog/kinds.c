// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kinds.c - the events that need no name
 */
#include <stddef.h>

#include "catalog/catalog.h"
#include "uapi/kflame.h"

const struct catalog_kind catalog_kinds[] = {
	{ "cpu-clock", KFLAME_EVENT_TIMER, "time on a CPU, by a timer at the rate of -F", NULL },
	{ "off-cpu", KFLAME_EVENT_OFFCPU, "each wait of a thread, by its length",
	  "this kernel does not report switches of threads to modules: use off-cpu-sampled" },
	{ "off-cpu-sampled", KFLAME_EVENT_SLEEPERS, "waits of threads, by looks at all threads",
	  "the module is older than this tool: install both from one source" },
	{ "page-faults", KFLAME_EVENT_FAULTS, "each page fault of user and kernel code",
	  "this kernel does not report page faults to modules; x86-64 kernels with tracepoints do" },
	{ 0 }
};
