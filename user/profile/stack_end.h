/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_end.h - which user stacks lack their outermost frames
 */
#ifndef KFLAME_PROFILE_STACK_END_H
#define KFLAME_PROFILE_STACK_END_H

#include <stdbool.h>
#include <stdint.h>

#include "uapi/kflame.h"

#define STACKS_CUT_MUCH	10	/* cut stacks are reported from so many of 1,000 samples on */

/** stack_is_cut() - does a stack lack its outermost frames? @end: as in struct kflame_rec_stack */
static inline bool stack_is_cut(uint32_t end)
{
	switch (end & KFLAME_END_MASK) {
	case KFLAME_END_FAULT:
	case KFLAME_END_BAD_FP:
	case KFLAME_END_PENDING:
	case KFLAME_END_NO_RULE:
	case KFLAME_END_NO_MAP:
	case KFLAME_END_BAD_CFA:
	case KFLAME_END_CUT:
	case KFLAME_END_UNWINDER:
		return true;
	}
	return false;
}

/** stack_is_late() - does a stack lack frames because its unwind table was loaded too late? */
static inline bool stack_is_late(uint32_t end)
{
	return (end & KFLAME_END_MASK) == KFLAME_END_PENDING;
}

#endif
