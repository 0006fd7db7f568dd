/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack_profile.h - packs a profile with what names need of the programs in it
 */
#ifndef KFLAME_ARCHIVE_PACK_PROFILE_H
#define KFLAME_ARCHIVE_PACK_PROFILE_H

#include <stddef.h>

#include "archive/tar_file.h"
#include "profile/profile.h"

/** struct archive_sum - what became of the files that have samples */
struct archive_sum {
	size_t files;		/* packed */
	size_t debug;		/* debug files of them */
	size_t missing;		/* reported on standard error, but for many */
};

/**
 * archive_profile() - adds the profile, the files that it has samples in, and a MANIFEST
 * @fd:		the profile's file
 * @st:		what it was before @p was read from it
 *
 * See symbols/archive_layout.h for names.  Of an ELF file what light_copy() copies, of a larger one all; what
 * is no ELF file is not taken: a profile could name any file of root's.
 *
 * Return: 0; -1 where the archive failed, after an error message.
 */
int archive_profile(struct pack *k, const struct profile *p, int fd, const struct stat *st,
		    struct archive_sum *sum);

#endif
