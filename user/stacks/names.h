/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - the name of every address in a profile, and why one has none
 *
 * From the profile's own records; where the tool never looked at a file (the
 * profile is a cat of the device) from the file itself, if it is still the same.
 */
#ifndef KFLAME_STACKS_NAMES_H
#define KFLAME_STACKS_NAMES_H

#include "profile/profile.h"
#include "stacks/open.h"
#include "stacks/stacks.h"

/**
 * names_create() - begins naming
 * @p:	the profile, finished; must outlive it
 * @how:	how they are shown
 *
 * Return: NULL without memory.
 */
struct names *names_create(const struct profile *p, const struct naming *how);

/** names_destroy() - frees it and every string it gave; takes NULL */
void names_destroy(struct names *n);

/**
 * names_user() - names a user address
 * @aspace:	index, may be PROFILE_NONE
 * @ip:		the address
 * @caller:	it is a return address: what is before it made the call
 * @out:	gets name, file and kind; strings live as long as @n
 * @source:	gets what was inlined there, for names_inlined(); NULL for nothing
 *
 * Return: 0 or -ENOMEM.
 */
int names_user(struct names *n, uint32_t aspace, uint64_t ip, bool caller, struct frame *out,
	       const struct profile_source **source);

/**
 * names_inlined() - names a function that was inlined
 * @source:	of names_user() or names_kernel()
 * @level:	which one: 0 is the innermost, .nr - 1 is the one that those named
 * @out:	what those gave; gets another name, and a user function another kind
 *
 * Return: 0 or -ENOMEM.
 */
int names_inlined(struct names *n, const struct profile_source *source, uint32_t level,
		  struct frame *out);

/**
 * names_cut() - the note on a user stack that ends for want of frame pointers
 * @ip:		the outermost address that is some, see names_user()
 *
 * Return: 0 or -ENOMEM.
 */
int names_cut(struct names *n, uint32_t aspace, uint64_t ip, struct frame *out);

/** names_kernel() - as names_user(), for a kernel address */
int names_kernel(struct names *n, uint64_t ip, bool caller, struct frame *out,
		 const struct profile_source **source);

/**
 * names_keep() - is the candidate caller of a leaf a frame?
 * @aspace:	index, may be PROFILE_NONE
 * @pc:		the address before the candidate in the stack
 */
bool names_keep(struct names *n, uint32_t aspace, uint64_t pc);

#endif
