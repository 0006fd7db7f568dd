/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naming.h - looks up the names of what is in a profile, as records
 *
 * What the tool adds at the end of a recording, and what a view adds in memory
 * where that was not done.
 */
#ifndef KFLAME_NAMING_H
#define KFLAME_NAMING_H

#include "profile.h"
#include "profile_write.h"

/**
 * naming_user() - USYM, LEAF, TEXT, SOURCE and NAMED records for the files not NAMED yet
 * @p:		the profile, finished or not
 * @fds:	descriptors of the profile's files, by index, -1 where there is none;
 *		NULL to look for all of them
 * @nr_fds:	number of them; the files after those are left alone: they are not NAMED
 * @how:	whether inlined functions and source lines are looked up, and where symbols are
 * @to:		gets the records
 *
 * Return: 0 or -ENOMEM.
 */
int naming_user(const struct profile *p, const int *fds, size_t nr_fds,
		const struct profile_naming *how, struct records *to);

/**
 * naming_kernel() - KSYM records for the kernel addresses that occur
 * @device:	descriptor of /dev/kflame to ask where /proc/kallsyms hides them
 *
 * Return: 0 or -ENOMEM.
 */
int naming_kernel(const struct profile *p, int device, struct records *to);

#endif
