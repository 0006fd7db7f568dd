/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stubs.h - how to unwind from arm64's jump stubs
 *
 * Linkers write no unwind information for them there. By their code (psABI: "Procedure Linkage
 * Table"), a stub changes neither the stack pointer nor the link register; the first one
 * (of all that are not resolved yet) pushes the link register and another word, and those of
 * TLS descriptors push two other words.
 */
#ifndef KFLAME_STUBS_H
#define KFLAME_STUBS_H

#include <gelf.h>
#include <stdint.h>

#include "unwind/row_list.h"

#define STUB_PUSHES	16	/* bytes */

/** enum stub_place - where in a stub, which tells how to unwind from there */
enum stub_place {
	STUB_PLAIN,		/* nothing is pushed, or not yet */
	STUB_PUSHED,		/* the return address was: it is 8 bytes above the stack pointer */
	STUB_MADE_ROOM,		/* the return address is still in the link register */
	STUB_PLACES,
};

/**
 * stubs_find() - finds those in a range of a file
 * @offset:	of executable code, and @bytes of it
 * @rules:	number of the rule of each place
 * @out:	gets their rows
 *
 * Return: 0, also where the file is damaged; -ENOMEM.
 */
int stubs_find(Elf *elf, uint64_t offset, uint64_t bytes, const uint32_t rules[STUB_PLACES],
	       struct row_list *out);

#endif
