/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - the name of every address in a profile, or the reason why it has none
 *
 * All names come from records of the profile.  open.c adds these records if the recording lacks them, for
 * example in a copy of the device's output.
 */
#ifndef KFLAME_STACKS_NAMES_H
#define KFLAME_STACKS_NAMES_H

#include "profile/profile.h"
#include "stacks/open.h"
#include "stacks/stacks.h"

/**
 * names_create() - begins naming
 * @p:		the profile after profile_finish(); it must outlive the result
 * @how:	how names are shown
 *
 * Return: NULL without memory.
 */
struct names *names_create(const struct profile *p, const struct naming *how);

/** names_destroy() - frees it and every string that it returned; does nothing for NULL */
void names_destroy(struct names *n);

/**
 * names_user() - names a user address
 * @aspace:	index, may be PROFILE_NONE
 * @ip:		the address
 * @caller:	@ip is a return address: the call is before it
 * @out:	out: name, file and kind; strings live as long as @n
 * @source:	out: the functions inlined there, for names_inlined(); NULL for none
 *
 * Return: 0 or -ENOMEM.
 */
int names_user(struct names *n, uint32_t aspace, uint64_t ip, bool caller, struct frame *out,
	       const struct profile_source **source);

/**
 * names_inlined() - names an inlined function
 * @source:	from names_user() or names_kernel()
 * @level:	0 is the innermost function; .nr - 1 is the one that names_user() or names_kernel() named
 * @out:	the frame from that function; its name changes, and the kind of a user function
 *
 * Return: 0 or -ENOMEM.
 */
int names_inlined(struct names *n, const struct profile_source *source, uint32_t level,
		  struct frame *out);

/**
 * names_cut() - the note for a user stack whose callers are missing because of lacking frame pointers
 * @ip:		the outermost valid address
 * @out:	out: the note
 *
 * Return: 0 or -ENOMEM.
 */
int names_cut(struct names *n, uint32_t aspace, uint64_t ip, struct frame *out);

/** names_shows_wakers() - Return: whether stacks of waits go on with the stacks of their wakers */
bool names_shows_wakers(const struct names *n);

/** names_shows_labels() - Return: whether stacks end with their labels */
bool names_shows_labels(const struct names *n);

/** names_waker() - the seam between a wait and its waker: a note.  @w: NULL: not in the profile.  Return: 0 or -ENOMEM */
int names_waker(struct names *n, const struct profile_waker *w, struct frame *out);

/** frame_is_waker_seam() - Return: whether a frame is such a note: frames after it are those of a waker */
bool frame_is_waker_seam(const struct frame *f);

/** frames_before_waker() - Return: how many frames of a stack come before the seam; @nr if it has no waker */
size_t frames_before_waker(const struct frame *frames, size_t nr);

/** names_kernel() - as names_user(), for a kernel address */
int names_kernel(struct names *n, uint64_t ip, bool caller, struct frame *out,
		 const struct profile_source **source);

/**
 * names_keep() - is the candidate caller of a leaf function its caller?
 * @aspace:	index, may be PROFILE_NONE
 * @pc:		the address before the candidate in the stack
 */
bool names_keep(struct names *n, uint32_t aspace, uint64_t pc);

#endif
