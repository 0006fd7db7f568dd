/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranges.h - which of many ranges of addresses an address is in, the innermost one
 */
#ifndef KFLAME_ELF_RANGES_H
#define KFLAME_ELF_RANGES_H

#include <stddef.h>
#include <stdint.h>

/** struct range - addresses from @start up to, not with, @end */
struct range {
	uint64_t start;
	uint64_t end;
	uint32_t of;		/* the caller's number of what is there */
};

/** struct ranges - all zero is none */
struct ranges {
	struct range *all;
	size_t nr, cap;
};

/** ranges_add() - adds one, empty ones too.  Return: 0 or -ENOMEM. */
int ranges_add(struct ranges *r, uint64_t start, uint64_t end, uint32_t of);

/**
 * ranges_settle() - cuts them so that none overlap; after the last ranges_add()
 *
 * Of two that overlap the one that begins later is the inner one, and then the shorter
 * one, and then that with the higher number.
 *
 * Return: 0 or -ENOMEM.
 */
int ranges_settle(struct ranges *r);

/** ranges_find() - Return: the one around an address, NULL for none */
const struct range *ranges_find(const struct ranges *r, uint64_t at);

/** ranges_exit() - frees them, and makes it none */
void ranges_exit(struct ranges *r);

#endif
