/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the options of a recording
 */
#ifndef KFLAME_RECORD_OPTIONS_H
#define KFLAME_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/ring.h"
#include "elf/source_lookup.h"
#include "record/call_graph.h"
#include "uapi/kflame.h"

/* The period without -F: 997 Hz, which is no multiple of any usual tick rate */
#define RECORD_PERIOD_NS	((1000000000 + 997 / 2) / 997)

/* The largest value of --weight value: so that sums of many values fit in 64 bits */
#define RECORD_MAX_VALUE	(1ULL << 48)

/** struct id_list - the ids of an option such as -p 1,2 or -C 0-3,8 */
struct id_list {
	uint32_t *all;
	size_t nr, cap;
};

/** struct cgroup_list - the paths of --cgroup; each is part of argv */
struct cgroup_list {
	const char **all;
	size_t nr, cap;
};

/**
 * struct record_event - an event to take samples at
 * @kind:	KFLAME_EVENT_*
 * @name:	what the stream calls it, such as "page-faults", "kprobe:vfs_read" or "kprobe:vfs_*"
 * @target:	KFLAME_EVENT_UPROBE and _URETPROBE: FILE:SYMBOL[+OFFSET] or FILE:ADDRESS, allocated; else NULL
 * @number:	KFLAME_EVENT_SYSCALL: kflame_event.offset; else 0
 * @weight:	KFLAME_WEIGHT_* without --weight
 * @of_preset:	a preset has it, see presets.h: so --weight is for it only if it has other weights than one
 * @field:	by which a preset weighs its hits; NULL: none
 * @is_optional: left out if this kernel does not have it
 */
struct record_event {
	uint32_t kind;
	char name[KFLAME_EVENT_NAME];
	char *target;
	uint64_t number;
	uint32_t weight;
	bool of_preset;
	const char *field;
	bool is_optional;
};

/**
 * struct record_options - what the operator asked for
 * @config_flags: KFLAME_CF_*, except CHILDREN_ONLY
 */
struct record_options {
	uint64_t period_ns;
	uint64_t config_flags;
	uint32_t kway;
	struct call_graph graph;
	uint32_t entries;
	uint32_t budget_permille;
	bool all_cpus;
	struct id_list pids;
	struct id_list tids;
	struct id_list cpus;
	struct cgroup_list cgroups;
	struct record_event events[KFLAME_MAX_EVENTS];	/* each name once */
	uint32_t nr_events;	/* 0: the timer alone */
	bool wall;		/* --wall was given: so are KFLAME_EVENT_TIMER and .off_cpu */
	bool off_cpu;		/* --off-cpu was given: KFLAME_EVENT_OFFCPU is one of .events */
	bool off_cpu_sampled;	/* --off-cpu=sampled: KFLAME_EVENT_SLEEPERS is one of .events */
	bool wakers;		/* of KFLAME_EVENT_OFFCPU: also record who ended each wait */
	uint64_t min_block_ns;	/* of KFLAME_EVENT_OFFCPU: shorter waits are not wanted */
	uint64_t max_block_ns;	/* longer waits are not wanted; 0: no limit */
	bool labels;		/* --labels: of probes, also record what each hit is about; presets always do */
	uint32_t weight;	/* of --weight: KFLAME_WEIGHT_* */
	struct kflame_operand operand;	/* of KFLAME_WEIGHT_OPERAND */
	bool weight_given;	/* --weight was given */
	const char *min_text, *max_text;	/* --min and --max, part of argv; NULL: not given */
	struct kflame_condition conditions[KFLAME_MAX_CONDITIONS];	/* all must be true of a hit */
	uint32_t nr_conditions;
	uint64_t min_weight;	/* of --min, for events with another weight than one; 0: no limit */
	uint64_t max_weight;	/* of --max; the same */
	uint64_t duration_ns;	/* 0: no limit */
	enum source_inline inlines;
	const char *vmlinux;	/* image of the running kernel; NULL: search for one */
	const char *output;
	const char *device;
	char **command;		/* NULL terminated, part of argv; NULL for none */
	ring_fn *listen;	/* sees the records of the rings of stack copies; NULL: nobody listens */
	void *listen_ctx;
	bool quiet;		/* print neither progress nor the last lines */
	bool freeze;		/* --freeze: each counted sample of an event but the timer freezes the flight recorder */
	uint64_t activate_ns;	/* --activate: begin at a multiple of this time; 0: at once */
};

/** record_options_exit() - frees the lists and targets */
void record_options_exit(struct record_options *o);

/**
 * parse_ids() - parses a list such as "3", "1,2,5" or "0-3,8", in any order
 * @ranges:	whether "0-3" is allowed
 *
 * Return: 0; -EINVAL if the text is no such list; -ERANGE for more than KFLAME_MAX_FILTER ids; -ENOMEM.
 */
int parse_ids(const char *text, bool ranges, struct id_list *to);

/**
 * parse_events() - parses a list of events such as "cpu-clock,kprobe:vfs_read", and adds them
 *
 * Return: 0; -EINVAL for a name that is no event; -EEXIST for an event that is there; -E2BIG for more than
 * KFLAME_MAX_EVENTS; -ENAMETOOLONG; -ENOMEM.
 */
int parse_events(const char *text, struct record_options *o);

/** record_add_event() - adds an event of a kind that has one name.  Return: 0, or as parse_events() */
int record_add_event(struct record_options *o, uint32_t kind);

/** record_has_weights() - Return: whether events of that kind may have other weights than one */
bool record_has_weights(uint32_t kind);

/** record_event_is_pattern() - Return: whether the event's name is a pattern, such as "kprobe:vfs_*" */
bool record_event_is_pattern(const struct record_event *e);

/** record_event_is_outstanding() - Return: whether it counts what has begun and not ended */
bool record_event_is_outstanding(const struct record_event *e);

/** record_has_event() - Return: whether an event of that kind is one of .events */
bool record_has_event(const struct record_options *o, uint32_t kind);

/**
 * parse_length() - parses a length of time such as "500ns", "1us", "2.5ms" or "1s"
 * @ns:	out: not 0
 *
 * Return: 0; -EDOM for a number without a unit; -EINVAL for any other text, and if it is too long.
 */
int parse_length(const char *text, uint64_t *ns);

#endif
