/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lookup.h - looks up the names of addresses in a profile, and makes records of them
 *
 * The tool adds these records at the end of a recording.  If a profile lacks them, a command that shows
 * the profile adds them in memory.
 */
#ifndef KFLAME_SYMBOLS_LOOKUP_H
#define KFLAME_SYMBOLS_LOOKUP_H

#include "elf/source_lookup.h"
#include "profile/profile.h"
#include "profile/writer.h"
#include "symbols/vmlinux.h"

/* In place of a descriptor: do not open the file, an earlier attempt to open it hung */
#define NAMING_SKIP	(-3)

/** naming_fn - reports progress: @path is the current file; @nr of @all files are done */
typedef void naming_fn(const char *path, size_t nr, size_t all);

/**
 * naming_user() - makes USYM, LEAF, TEXT, SOURCE and NAMED records for files that have no NAMED record
 * @p:		the profile, finished or not
 * @fds:	descriptors of the profile's files, by index: -1 to search for the file, NAMING_SKIP to skip
 *		it without a NAMED record.  NULL to search for all files
 * @nr_fds:	number of descriptors; files with a higher index are skipped, too
 * @symbols:	directory that is searched first, as for binary_open_file(); NULL for none
 * @inlines:	whether to look up inlined functions and source lines
 * @tell:	reports progress; or NULL
 * @to:		receives the records
 *
 * Return: 0 or -ENOMEM.
 */
int naming_user(const struct profile *p, const int *fds, size_t nr_fds,
		const char *symbols, enum source_inline inlines, naming_fn *tell, struct records *to);

/**
 * struct kernel_naming - the sources of names for kernel addresses
 * @device:	descriptor of /dev/kflame, queried if /proc/kallsyms hides addresses; -1 for none
 * @image:	the kernel image that the user named; NULL to search for one
 * @wish:	whether to look up inlined functions and source lines
 * @id:		build-id of the running kernel
 * @stext:	out: address of _stext in the running kernel; 0: not known
 */
struct kernel_naming {
	int device;
	struct vmlinux *image;
	enum source_inline wish;
	struct kernel_id id;
	uint64_t stext;
};

/**
 * naming_kernel() - makes KSYM, TEXT and SOURCE records for the kernel addresses in a profile
 * @p:		a profile of the running kernel
 *
 * Names from the running kernel come first.  An image adds the names that the kernel lacks, and inlined
 * functions.
 *
 * Return: 0 or -ENOMEM.
 */
int naming_kernel(const struct profile *p, struct kernel_naming *by, struct records *to);

/**
 * naming_kernel_again() - as naming_kernel(), from an image alone: the kernel need not run here
 * @vmlinux:	the image; NULL to search for one
 * @wish:	whether to look up inlined functions and source lines
 *
 * Return: 0; -ENOMEM; -EINVAL if @vmlinux cannot be used, after a message.
 */
int naming_kernel_again(const struct profile *p, const char *vmlinux,
			enum source_inline wish, struct records *to);

/**
 * naming_image() - opens the image of the kernel that was recorded
 * @vmlinux:	the image; NULL to search for one
 * @out:	the image, with the load address of the kernel if the profile has it; NULL for none
 *
 * Return: 0, even if the search finds no image; -EINVAL if @vmlinux cannot be used, after a message.
 */
int naming_image(const struct profile *p, const char *vmlinux, struct vmlinux **out);

#endif
