/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.h - adds profiles up
 *
 * The sum holds the counts of all inputs.  Each count keeps its host and its run (KFLAME_REC_ORIGIN).
 * Address spaces, files, stacks, texts and events get new ids.  Events are the same if their names are.
 */
#ifndef KFLAME_PROFILE_MERGE_H
#define KFLAME_PROFILE_MERGE_H

#include <stdio.h>

#include "profile/profile.h"
#include "profile/writer.h"

/** struct merge_input - a profile to add; .name is its name on the command line, and becomes its "run" */
struct merge_input {
	const struct profile *p;
	const char *name;
};

/**
 * merge_refuse() - can these profiles be added up?
 * @any_period:	accept different sampling periods
 *
 * Return: 0; -EINVAL if their periods differ, -EOVERFLOW if the sums do not fit in 64 bits or the profiles
 * are of too many kernels or events. An error message was printed.
 */
int merge_refuse(const struct merge_input *in, size_t nr, bool any_period);

/**
 * merge_write() - writes the sum as a profile
 * @out:	the caller checks it for write errors
 *
 * Return: 0 or -ENOMEM.
 */
int merge_write(FILE *out, const struct merge_input *in, size_t nr);

/* ------------------------------------------------ private to merge*.c */

/**
 * struct merge_kernel - new addresses for the kernel code of the current input
 * @base:	number of kernels of the inputs before it
 * @slots:	how many addresses without a symbol have a slot so far
 * @placed:	address to slot, for this input
 */
struct merge_kernel {
	uint64_t base;
	uint32_t slots;
	struct idmap placed;
};

/** struct merge_events - the events of the sum */
struct merge_events {
	const struct profile_event *all[KFLAME_MAX_EVENTS];	/* the first input's of that name; id: index + 1 */
	uint64_t samples[KFLAME_MAX_EVENTS], weight[KFLAME_MAX_EVENTS];	/* sums over the inputs */
	uint32_t nr;
	bool timer;		/* an input has samples of the timer, which has the id 0 and is not in @all */
};

/** struct merge - how many ids of each kind were assigned so far */
struct merge {
	FILE *out;
	struct records r;	/* not written yet */
	uint64_t aspaces;
	uint64_t files;
	uint64_t stacks;
	uint64_t wakers;
	uint32_t labels;
	uint32_t texts;
	uint32_t origins;
	uint32_t cgroups;	/* the last new id for a cgroup whose own id was in use */
	struct idmap cgroup_ids; /* ids in use, to the input that uses them (from 0) */
	struct idmap cgroup_new; /* of this input: cgroup id to new id, if its own id was in use */
	uint32_t input;		/* the current input, from 0 */
	struct merge_kernel kernel;
	struct merge_events events;
};

/**
 * merge_events_add() - adds the events of a profile
 *
 * Return: 0; -E2BIG if there are too many; -EOVERFLOW if their sums do not fit in 64 bits.
 */
int merge_events_add(struct merge_events *to, const struct profile *p);

/** merge_event_id() - Return: the id in the sum of an event of an input */
uint32_t merge_event_id(const struct merge_events *events, const struct profile *p, uint32_t id);

/** merge_put_events() - writes EVENT, EVENT_CPU and EVENT_HISTOGRAM records, unless the timer is the only event */
void merge_put_events(struct merge *m, const struct merge_input *in, size_t nr);

/** merge_add_books() - adds the accounting of a CPU */
void merge_add_books(struct kflame_cpu *sum, const struct kflame_cpu *c);

/** merge_head() - writes the records of the whole recording: session, host, accounting, counters */
void merge_head(struct merge *m, const struct merge_input *in, size_t nr);

/** merge_kernels() - Return: how many kernels a profile covers: one, unless it is a merged profile */
uint64_t merge_kernels(const struct profile *p);

/**
 * merge_kernel_address() - the new address for an address of a kernel stack
 * @r:		receives a symbol if the address is given a slot
 * @caller:	@ip is a return address
 * @to:		out: the new address
 *
 * Kernel and modules have other addresses in each input.  So each input but the first gets its own part
 * of the address space.  In these inputs, an address without a symbol gets a slot in a range that no
 * kernel uses.  The slot's symbol has the old address in its name.
 *
 * Return: 0 or -ENOMEM.
 */
int merge_kernel_address(struct merge_kernel *k, struct records *r, const struct profile *p,
			 uint64_t ip, bool caller, uint64_t *to);

/** merge_kernel_moved() - the new address for code with a symbol.  Return: false: it needs a slot */
bool merge_kernel_moved(const struct merge_kernel *k, uint64_t ip, uint64_t *to);

#endif
