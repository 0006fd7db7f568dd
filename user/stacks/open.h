/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open.h - a profile as views need it: read, named, cut to a range of time
 *
 * What 'kflame record' did not name (a profile that is a cat of the device, or was cut short) is named here, if the
 * files are still there.
 */
#ifndef KFLAME_STACKS_OPEN_H
#define KFLAME_STACKS_OPEN_H

#include "elf/source_lookup.h"
#include "profile/profile.h"
#include "stacks/stack_root.h"

/** struct naming - how names are found and shown; all zero as usual */
struct naming {
	enum stack_root root;
	bool mangled;		/* as symbol tables have them */
	bool again;		/* look up once more what files are here */
	const char *symbols;	/* look names up in this directory, an unpacked archive; NULL for none */
	const char *vmlinux;	/* look names of the kernel up in this image; NULL: none was named */
	bool lines;		/* functions with their lines */
	enum source_inline inlines;
	struct profile_range range;	/* only what was then; fails where that is not known */
	bool timeline;		/* keep .timeline; fails where times are not known */
	bool by_cpu;		/* with .timeline, lanes are CPUs, and .root is none */
};

/**
 * open_profile() - read a profile to its end, name what is in it, and say what is wrong with it
 * @path:	file name; "-" for standard input; NULL for "kflame.data"
 * @naming:	NULL: as usual
 *
 * A truncated or damaged profile is read as far as it goes, after a message on standard error.
 *
 * Return: the profile, to be freed with profile_destroy(); NULL where there is
 * nothing to be had, after a message.
 */
struct profile *open_profile(const char *path, const struct naming *naming);

/**
 * profile_show() - make ready what profile_each_stack() needs: names of frames, and what stacks begin with
 * @p:		finished
 *
 * open_profile() does that.  A second call takes the place of the first one.
 *
 * Return: 0 or -ENOMEM.
 */
int profile_show(struct profile *p, const struct naming *naming);

#endif
