/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranges.h - find the innermost address range around an address
 */
#ifndef KFLAME_ELF_RANGES_H
#define KFLAME_ELF_RANGES_H

#include <stddef.h>
#include <stdint.h>

/** struct range - addresses from @start up to @end, without @end */
struct range {
	uint64_t start;
	uint64_t end;
	uint32_t of;		/* the caller's id of the range */
};

/** struct ranges - all zero is none */
struct ranges {
	struct range *all;
	size_t nr, cap;
};

/** ranges_add() - add a range; an empty one is ignored.  Return: 0 or -ENOMEM. */
int ranges_add(struct ranges *r, uint64_t start, uint64_t end, uint32_t of);

/**
 * ranges_settle() - cut the ranges so that none overlap; call it after the last ranges_add()
 *
 * If two ranges overlap, the inner one is the one that begins later.  If both begin at the same address, it
 * is the shorter one, and then the one with the higher id.
 *
 * Return: 0 or -ENOMEM.
 */
int ranges_settle(struct ranges *r);

/** ranges_find() - Return: the range around an address; NULL if there is none */
const struct range *ranges_find(const struct ranges *r, uint64_t at);

/** ranges_exit() - free the ranges and make the struct empty */
void ranges_exit(struct ranges *r);

#endif
