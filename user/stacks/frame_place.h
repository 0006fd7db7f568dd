/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_place.h - finds where a frame is: its mapping, file, symbol and source line
 */
#ifndef KFLAME_STACKS_FRAME_PLACE_H
#define KFLAME_STACKS_FRAME_PLACE_H

#include "profile/profile.h"
#include "stacks/stacks.h"

/**
 * struct frame_code - the code at an address of a stack
 * @at:		the address; for a caller, the byte before the return address, which is in the call
 * @map:	the mapping at @at; NULL in the kernel, or if it is not known
 * @file:	index of the mapped file; PROFILE_KERNEL; PROFILE_NONE
 * @offset:	file offset of @at; for the kernel, @at; 0 without a file
 * @symbol:	its function in @file; NULL: not known
 * @source:	its source lines, only with @symbol; NULL: not known
 * @jit:	its function as a just-in-time compiler reported it; NULL for none, and in files on
 *		disk (see made_code_is())
 */
struct frame_code {
	uint64_t at;
	const struct profile_mapping *map;
	uint32_t file;
	uint64_t offset;
	const struct profile_symbol *symbol;
	const struct profile_source *source;
	const struct profile_symbol *jit;
};

/**
 * frame_code_user() - looks up the code at an address of a user stack
 * @aspace:	index, may be PROFILE_NONE
 * @ip:		the address in the stack
 * @caller:	@ip is a return address
 *
 * Names and places of frames both come from this lookup.
 */
struct frame_code frame_code_user(const struct profile *p, uint32_t aspace, uint64_t ip, bool caller);

/** frame_code_kernel() - as frame_code_user(), for a kernel stack */
struct frame_code frame_code_kernel(const struct profile *p, uint64_t ip, bool caller);

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
