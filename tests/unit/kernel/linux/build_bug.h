/* SPDX-License-Identifier: GPL-2.0-only */
/* build_bug.h - see compiler.h */
#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), #condition)
