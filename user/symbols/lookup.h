/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lookup.h - looks up the names of what is in a profile, as records
 *
 * What the tool adds at the end of a recording, and what a view adds in memory
 * where that was not done.
 */
#ifndef KFLAME_SYMBOLS_LOOKUP_H
#define KFLAME_SYMBOLS_LOOKUP_H

#include "elf/source_lookup.h"
#include "profile/profile.h"
#include "profile/writer.h"
#include "symbols/vmlinux.h"

/* A descriptor: leave the file alone, it hung when it was opened */
#define NAMING_SKIP	(-3)

/** naming_fn - reports which file is looked at now; @nr of @all files are done */
typedef void naming_fn(const char *path, size_t nr, size_t all);

/**
 * naming_user() - USYM, LEAF, TEXT, SOURCE and NAMED records for the files not NAMED yet
 * @p:		the profile, finished or not
 * @fds:	descriptors of the profile's files, by index, -1 where there is none; NAMING_SKIP for a file
 *		to be left alone: it is not NAMED.  NULL to look for all of them
 * @nr_fds:	number of them; the files after those are left alone, too
 * @symbols:	directory of an unpacked archive, which is searched first; NULL for none
 * @inlines:	whether inlined functions and source lines are looked up
 * @tell:	called with the progress; or NULL
 * @to:		gets the records
 *
 * Return: 0 or -ENOMEM.
 */
int naming_user(const struct profile *p, const int *fds, size_t nr_fds,
		const char *symbols, enum source_inline inlines, naming_fn *tell, struct records *to);

/**
 * struct kernel_naming - what kernel addresses are named by
 * @device:	descriptor of /dev/kflame to ask where /proc/kallsyms hides them
 * @image:	one that somebody named; NULL to look for one
 * @wish:	whether inlined functions and source lines are looked up
 * @id:		of the running kernel
 * @stext:	gets where _stext is in it; 0: not known
 */
struct kernel_naming {
	int device;
	struct vmlinux *image;
	enum source_inline wish;
	struct kernel_id id;
	uint64_t stext;
};

/**
 * naming_kernel() - KSYM, TEXT and SOURCE records for the kernel addresses that occur
 * @p:		of the kernel that runs now
 *
 * The kernel's own names count; an image has those of functions that the kernel does not
 * tell, and what was inlined.
 *
 * Return: 0 or -ENOMEM.
 */
int naming_kernel(const struct profile *p, struct kernel_naming *by, struct records *to);

/**
 * naming_kernel_again() - as naming_kernel(), of a kernel that ran anywhere, by an image
 * @vmlinux:	the image; NULL to look for one
 * @wish:	whether inlined functions and source lines are looked up
 *
 * Return: 0; -ENOMEM; -EINVAL if @vmlinux is of no use, after a message.
 */
int naming_kernel_again(const struct profile *p, const char *vmlinux,
			enum source_inline wish, struct records *to);

/**
 * naming_image() - open the image of the kernel that was recorded
 * @vmlinux:	the image; NULL to look for one
 * @out:	placed where that kernel was loaded, if the profile tells; NULL for none
 *
 * Return: 0, also where there is none; -EINVAL, after an error message.
 */
int naming_image(const struct profile *p, const char *vmlinux, struct vmlinux **out);

#endif
