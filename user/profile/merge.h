/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.h - adds profiles up
 *
 * The sum has every stack of each, as often as in all of them; host and run of each count are kept
 * (KFLAME_REC_ORIGIN).  Numbers of address spaces, files, stacks and texts are given anew.
 */
#ifndef KFLAME_PROFILE_MERGE_H
#define KFLAME_PROFILE_MERGE_H

#include <stdio.h>

#include "profile/profile.h"
#include "profile/writer.h"

/** struct merge_input - one of them; .name is how it was given, and becomes its "run" */
struct merge_input {
	const struct profile *p;
	const char *name;
};

/**
 * merge_refuse() - may they be added up?
 * @any_period:	whether different periods are no reason
 *
 * Return: 0; -EINVAL where their samples stand for different times, -EOVERFLOW where the sums do
 * not fit in 64 bits, after an error message.
 */
int merge_refuse(const struct merge_input *in, size_t nr, bool any_period);

/**
 * merge_write() - writes the sum as a profile
 * @out:	errors of it are left for the caller to find
 *
 * Return: 0 or -ENOMEM.
 */
int merge_write(FILE *out, const struct merge_input *in, size_t nr);

/* ------------------------------------------------ private to merge*.c */

/**
 * struct merge_kernel - where kernel addresses of the input that is being added go
 * @base:	kernels of the inputs before it
 * @slots:	addresses without a name that were given a place so far
 * @placed:	those of this input: which place
 */
struct merge_kernel {
	uint64_t base;
	uint32_t slots;
	struct idmap placed;
};

/** struct merge - numbers that were given so far */
struct merge {
	FILE *out;
	struct records r;	/* not written yet */
	uint64_t aspaces;
	uint64_t files;
	uint64_t stacks;
	uint32_t texts;
	uint32_t origins;
	uint32_t cgroups;	/* that were given another number */
	struct idmap cgroup_ids; /* those that are taken, and by which input (from 0) */
	struct idmap cgroup_new; /* of this input, those that have another number */
	uint32_t input;		/* the one that is being added */
	struct merge_kernel kernel;
};

/** merge_head() - the records of the whole: session, host, books, counters */
void merge_head(struct merge *m, const struct merge_input *in, size_t nr);

/** merge_kernels() - Return: how many kernels a profile is of: one, unless it was merged itself */
uint64_t merge_kernels(const struct profile *p);

/**
 * merge_kernel_address() - where an address of a kernel stack goes
 * @r:		gets a name for it, if it has none
 *
 * Each input has its kernel elsewhere, and other modules: so each but the first gets a part of the
 * address space of its own.  What has no name gets one that tells the old address.
 *
 * Return: 0 or -ENOMEM.
 */
int merge_kernel_address(struct merge_kernel *k, struct records *r, const struct profile *p,
			 uint64_t ip, bool caller, uint64_t *to);

/** merge_kernel_moved() - where an address with a name goes.  Return: false: it gets a place */
bool merge_kernel_moved(const struct merge_kernel *k, uint64_t ip, uint64_t *to);

#endif
