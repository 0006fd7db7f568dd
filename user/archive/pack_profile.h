/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack_profile.h - packs a profile with the parts of its programs that naming needs
 */
#ifndef KFLAME_ARCHIVE_PACK_PROFILE_H
#define KFLAME_ARCHIVE_PACK_PROFILE_H

#include <stddef.h>

#include "archive/tar_file.h"
#include "profile/profile.h"

/** struct archive_sum - how many files with samples had which result */
struct archive_sum {
	size_t files;		/* number of packed files */
	size_t debug;		/* number of packed debug files */
	size_t missing;		/* number of files left out; the first ones are reported on standard error */
};

/**
 * archive_profile() - adds the profile, the files with samples, and a MANIFEST
 * @fd:		the file of the profile
 * @st:		its stat(2) data from before @p was read
 * @sysroot:	copy of the recorded machine's root, which is searched before this machine; NULL for none
 *
 * symbols/archive_layout.h describes the names in the archive.  An ELF file is packed as light_copy() copies
 * it; if that copy is too large, as a whole.  Other files are left out: a hostile profile could name any
 * file of root's.
 *
 * Return: 0; -1 if the archive failed, after an error message.
 */
int archive_profile(struct pack *k, const struct profile *p, int fd, const struct stat *st,
		    const char *sysroot, struct archive_sum *sum);

#endif
