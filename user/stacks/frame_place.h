/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_place.h - finds where a frame is: its mapping, file, symbol and source line
 */
#ifndef KFLAME_STACKS_FRAME_PLACE_H
#define KFLAME_STACKS_FRAME_PLACE_H

#include "profile/profile.h"
#include "stacks/stacks.h"

/**
 * place_user() - finds where an address of a user stack is
 * @aspace:	index, may be PROFILE_NONE
 * @ip:		the address in the stack
 * @caller:	@ip is a return address
 *
 * Strings live as long as the profile.
 */
struct place place_user(const struct profile *p, uint32_t aspace, uint64_t ip, bool caller);

/** place_kernel() - as place_user(), for a kernel stack */
struct place place_kernel(const struct profile *p, uint64_t ip, bool caller);

/**
 * place_inlined() - finds where an inlined function is
 * @at:		the place of the function that it was inlined into
 * @source:	as returned by names_user()
 * @level:	which inlined function, see names_inlined()
 */
struct place place_inlined(const struct profile *p, const struct place *at,
			   const struct profile_source *source, uint32_t level);

#endif
