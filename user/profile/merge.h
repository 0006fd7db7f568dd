/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.h - adds profiles up, one after the other
 *
 *	struct merge *m = merge_create(&how);
 *	for each input:
 *		p = open_profile(...);
 *		err = merge_add(m, p, name);
 *		profile_destroy(p);
 *	sum = merge_finish(m);
 *	profile_write(out, sum);
 *
 * The sum is an ordinary struct profile, so a view can show it without a file.  An input can be freed as soon
 * as it was added.  Memory depends on what is distinct in all inputs, not on their number:
 *
 *	files		by build-id and base name, if their names are from the same source
 *	functions	one symbol table for each file; kernel functions by kernel, name and size
 *	stacks		by content.  A user address becomes file and offset, because each process has a file at
 *			another address.  See merge_user.c and merge_kernel.c.
 *	processes	by host, process id, start time, name and control group
 *	counts		by origin.  An origin is a host, a run and the labels of a recording.
 *
 * Idle CPUs and gaps belong to no process: one count for each origin.
 * Counts, times and accounting of all inputs add up exactly.  Sums that do not fit in 64 bits are refused.
 */
#ifndef KFLAME_PROFILE_MERGE_H
#define KFLAME_PROFILE_MERGE_H

#include <stdio.h>

#include "base/intern.h"
#include "profile/histogram.h"
#include "profile/profile.h"
#include "profile/writer.h"

/**
 * struct merge_how - what the sum keeps apart
 * @any_period:	accept different sampling periods
 * @no_runs:	add up the runs of one host
 * @window_ns:	not 0: the run of an input is the window of that length in which the recording began, by the
 *		clock of its host, such as "2026-11-30T08:45:00Z".  Else the run is the name of the input.
 */
struct merge_how {
	bool any_period;
	bool no_runs;
	uint64_t window_ns;
};

struct merge;

/** merge_create() - Return: an empty sum, to be freed by merge_finish() or merge_destroy(); NULL without memory */
struct merge *merge_create(const struct merge_how *how);

/** merge_destroy() - frees a sum; does nothing for NULL */
void merge_destroy(struct merge *m);

/**
 * merge_add() - adds a profile
 * @p:		after profile_finish(), with the counts of all events
 * @name:	its name in messages, and its run
 *
 * Return: 0. After a message: -EINVAL if its period or the weights of an event differ; -EOVERFLOW if the sums
 * do not fit, or there are too many events, runs or files. -ENOMEM. After an error the sum is not usable.
 */
int merge_add(struct merge *m, const struct profile *p, const char *name);

/**
 * merge_finish() - ends the sum, and frees @m
 *
 * Return: the sum, after profile_finish() as it were; NULL if memory is short, or nothing was added.
 */
struct profile *merge_finish(struct merge *m);

/**
 * profile_write() - writes a profile with the counts of all events, but without the times of samples
 * @out:	the caller checks it for write errors
 *
 * Return: 0 or -ENOMEM.
 */
int profile_write(FILE *out, const struct profile *p);

/* ------------------------------------------------ private to merge*.c */

/** struct merge_file - what a file of the sum is shared by, beside its record and its names */
struct merge_file {
	uint32_t host;		/* PROFILE_NONE: by its build-id, on all hosts */
	uint32_t variant;	/* the first one of the same key is 0: see merge_user.c */
};

/** struct merge_slot - part of a file that has a range of addresses in the sum */
struct merge_slot {
	uint32_t file;		/* index in the sum */
	uint64_t part;		/* number of the part */
};

/** struct merge_jit - code made at run time that has a range of addresses in the sum */
struct merge_jit {
	char *name;
	uint64_t size;
	uint64_t start;		/* in the sum */
	bool is_mapped;
};

/** struct merge_aspace - what an address space of the sum is shared by, beside its record */
struct merge_aspace {
	uint32_t host;
	bool has_maps;
};

/** struct merge_ksym - what a kernel function of the sum is shared by, beside its name */
struct merge_ksym {
	uint32_t kernel;	/* id in .kernels */
	uint64_t size;
	uint64_t at;		/* since the kernel's first function, if the input has source lines; else 0 */
};

/** struct merge_symbol - a symbol of the sum */
struct merge_symbol {
	uint32_t file;
	uint32_t at;		/* index in the file's symbols */
};

/**
 * struct merge_input - the current input, and what was found for it
 * @host:	id of the host of the current count, in .hosts
 * @last_origin: origin of the last count; @last_to: the same in the sum, plus 1; 0: there was no count yet
 * @kernel:	id of its kernel, in .kernels
 * @kernel_base: see struct merge_ksym.at
 * @has_kernel_lines: it has source lines of the kernel
 * @origins:	index of its origin plus 1 to the origin in the sum; 0: of counts without an origin
 * @files:	file to the first variant in the sum
 * @aspaces:	host and address space to the one of the sum
 * @kstacks:	kernel stack to the one of the sum
 * @ustacks:	address space of the sum, and user stack, to the stack of the sum
 * @wakers:	host and waker to the one of the sum
 */
struct merge_input {
	const struct profile *p;
	const char *name;
	uint32_t host;
	uint32_t last_origin, last_to;
	uint32_t kernel;
	uint64_t kernel_base;
	bool has_kernel_lines;
	struct idmap files, origins, aspaces, kstacks, ustacks, wakers;
};

struct merge {
	struct merge_how how;
	struct profile *sum;
	struct merge_input in;
	struct records r;	/* for the next record of the sum */
	uint64_t inputs;	/* how many were added */
	char *first;		/* name of the first one */
	uint64_t end_ns;	/* the last end of a recording, CLOCK_REALTIME */
	bool has_timer;		/* an input has an EVENT record of the timer */
	char *host, *command;	/* of all inputs; NULL: they differ, or an input has none */
	struct intern head_hosts;	/* hosts of whole inputs */

	struct intern hosts, origins, kernels, texts, labels, functions;
	struct intern pathless;		/* control groups without a path whose own id was in use: host and id */
	struct index file_index, slot_index, jit_index, aspace_index, ksym_index, symbol_index, cgroup_index;
	struct merge_file *files;	/* of each file of the sum */
	size_t cap_files;
	struct merge_slot *slots;
	size_t nr_slots, cap_slots;
	struct merge_jit *jits;
	size_t nr_jits, cap_jits;
	uint64_t jit_next[2];		/* free addresses: not mapped, mapped */
	struct idmap mapped;		/* address space and slot or JIT code that it has */
	struct merge_aspace *aspaces;	/* of each address space of the sum */
	size_t cap_aspaces;
	struct merge_ksym *ksyms;	/* of each kernel function of the sum */
	size_t cap_ksyms;
	uint64_t ksym_next;		/* free addresses */
	struct merge_symbol *symbols;
	size_t nr_symbols, cap_symbols;
	uint64_t cgroups;		/* the last new id for a control group whose own id was in use */
	struct idmap cgroup_hosts;	/* id of a control group without a path to its host */
	struct histogram *histograms[KFLAME_MAX_EVENTS][KFLAME_NR_GROUPS];	/* by id of the event, minus 1 */
};

/** merge_take() - adds the records in .r to the sum, and empties it.  Return: 0 or -ENOMEM. */
int merge_take(struct merge *m);

/** merge_event_id() - Return: the id in the sum of an event of an input */
uint32_t merge_event_id(const struct merge *m, const struct profile *p, uint32_t id);

/**
 * merge_events_add() - adds the events of an input, with their accounting; not their counts
 *
 * Return: 0; -E2BIG if there are too many; -EDOM if an event has other weights; -ENOMEM.
 */
int merge_events_add(struct merge *m, const struct profile *p);

/** merge_events_finish() - completes the events of the sum.  Return: 0 or -ENOMEM. */
int merge_events_finish(struct merge *m);

/** merge_add_books() - adds the accounting of a CPU */
void merge_add_books(struct kflame_cpu *sum, const struct kflame_cpu *c);

/** merge_head_add() - adds what describes a whole recording: session, host, accounting.  Return: 0 or -ENOMEM. */
int merge_head_add(struct merge *m, const struct profile *p);

/** merge_head_finish() - completes what describes the sum.  Return: 0 or -ENOMEM. */
int merge_head_finish(struct merge *m);

/** merge_kernel_of() - Return: the id of the kernel of an input; INDEX_NONE if memory is short */
uint32_t merge_kernel_of(struct merge *m, const struct profile *p);

/**
 * merge_kernel_address() - the address in the sum of an address of a kernel stack of the current input
 * @caller:	@ip is a return address
 *
 * Return: 0 or -ENOMEM.
 */
int merge_kernel_address(struct merge *m, uint64_t ip, bool caller, uint64_t *to);

/**
 * merge_aspace() - the address space of the sum for one of the current input, on the current host
 * @aspace:	index in the input; may be PROFILE_NONE
 * @to:		out: index in the sum
 *
 * Return: 0 or -ENOMEM.
 */
int merge_aspace(struct merge *m, uint32_t aspace, uint32_t *to);

/**
 * merge_user_stack() - the user stack of the sum for one of the current input
 * @from:	address space of the input
 * @to:		address space of the sum
 * @stack:	index in the input; PROFILE_NONE and PROFILE_LOST stay as they are
 * @made:	out: index in the sum
 *
 * Return: 0, -EOVERFLOW after a message, or -ENOMEM.
 */
int merge_user_stack(struct merge *m, uint32_t from, uint32_t to, uint32_t stack, uint32_t *made);

/** merge_source() - adds the source lines of code, if the sum has none.  Return: 0 or -ENOMEM. */
int merge_source(struct merge *m, const struct profile_source *s, uint32_t file, uint64_t offset);

#endif
