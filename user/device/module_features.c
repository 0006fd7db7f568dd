// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module_features.c - compare the features of the module with those that this tool knows
 */
#include <stdio.h>

#include "device/module_features.h"
#include "uapi/kflame.h"

/* By age: each module has all features up to its newest one */
static const struct {
	uint64_t bit;
	const char *name;
} features[] = {
	{ KFLAME_FEAT_HOLD_FILES, "names of files that were deleted or replaced" },
	{ KFLAME_FEAT_TABLES, "unwind tables (-g auto, -g dwarf): stacks of programs without frame pointers are cut" },
	{ KFLAME_FEAT_DUMP, "copies of stacks (-g dump)" },
	{ KFLAME_FEAT_TIMELINE, "--timeline" },
	{ KFLAME_FEAT_SHORT, "short records (profiles are larger)" },
	{ KFLAME_FEAT_LATE, "whole stacks while a table is being made" },
	{ KFLAME_FEAT_CGROUP_AGAIN, "--cgroup of a unit that restarts" },
	{ KFLAME_FEAT_GUEST, "[guest], the time of virtual CPUs in guest mode" },
	{ KFLAME_FEAT_TIMED_COPIES, "copies of stacks with --timeline" },
	{ KFLAME_FEAT_ELSEWHERE, "unwind tables of Go programs" },
	{ KFLAME_FEAT_EVENTS, "other events than the timer (-e)" },
	{ KFLAME_FEAT_WAKERS, "who ended a wait (--wakers)" },
	{ KFLAME_FEAT_OPERANDS, "arguments and bytes of hits (--weight argN, --if, --alloc)" },
	{ KFLAME_FEAT_MANY, "events of many functions (kprobe:PATTERN)" },
	{ KFLAME_FEAT_LABELS, "what hits are about, such as files (--file-io, --labels)" },
	{ KFLAME_FEAT_OUTSTANDING, "memory that is not freed (--alloc=outstanding), devices of --block-io, mappings of --faults" },
	{ KFLAME_FEAT_CALL_LABELS, "files of system calls (--syscalls)" },
	{ KFLAME_FEAT_MANY_RETURNS, "returns of many functions (kretprobe:PATTERN)" },
	{ KFLAME_FEAT_EXPLAIN, "how a sample is walked and counted (kflame explain)" },
	{ KFLAME_FEAT_RECORDER, "the flight recorder (kflame recorder)" },
	{ KFLAME_FEAT_INTERPRETERS, "functions of Python programs" },
	{ KFLAME_FEAT_CPYTHON, "functions of Python programs of other versions than 3.11" },
	{ KFLAME_FEAT_TRIGGERS, "more triggers of the flight recorder (--run-queue, --blocked, watch)" },
	{ KFLAME_FEAT_PERL, "functions of Perl programs" },
};

#define ALL	((KFLAME_FEAT_PERL << 1) - 1)

unsigned int features_missing(uint64_t has, char *text)
{
	unsigned int nr = 0;
	size_t len = 0;

	text[0] = 0;
	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
		if (has & features[i].bit)
			continue;
		if (len < FEATURES_TEXT)
			len += (size_t)snprintf(text + len, FEATURES_TEXT - len, "%s%s", nr ? ", " : "",
						features[i].name);
		nr++;
	}
	return nr;
}

unsigned int features_unknown(uint64_t has)
{
	return (unsigned int)__builtin_popcountll(has & ~(uint64_t)ALL);
}
