/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_place.h - where the frames of a stack are: what a profile says of an address, besides its name
 */
#ifndef KFLAME_STACKS_FRAME_PLACE_H
#define KFLAME_STACKS_FRAME_PLACE_H

#include "profile/profile.h"
#include "stacks/stacks.h"

/**
 * place_user() - where an address of a user stack is
 * @aspace:	index, may be PROFILE_NONE
 * @ip:		as the stack has it
 * @caller:	it is a return address
 *
 * Strings live as long as the profile.
 */
struct place place_user(const struct profile *p, uint32_t aspace, uint64_t ip, bool caller);

/** place_kernel() - as place_user(), of a kernel stack */
struct place place_kernel(const struct profile *p, uint64_t ip, bool caller);

/**
 * place_inlined() - where a function that was inlined is
 * @at:		of the function that it was inlined into
 * @source:	as names_user() gave it
 * @level:	which one, see names_inlined()
 */
struct place place_inlined(const struct profile *p, const struct place *at,
			   const struct profile_source *source, uint32_t level);

#endif
