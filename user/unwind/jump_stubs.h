/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jump_stubs.h - how to unwind from jump stubs (the procedure linkage table) without unwind information
 *
 * On arm64 no linker writes any for them, on x86-64 lld does not. Their code says how (psABI:
 * "Procedure Linkage Table").
 *
 * An arm64 stub changes neither the stack pointer nor the link register. The first one (of
 * all that are not resolved yet) pushes the link register and another word, and those of
 * TLS descriptors push two other words.
 *
 * An x86-64 stub jumps, or pushes one word and jumps to the first one, which pushes another.
 */
#ifndef KFLAME_UNWIND_JUMP_STUBS_H
#define KFLAME_UNWIND_JUMP_STUBS_H

#include <gelf.h>
#include <stdint.h>

#include "unwind/row_list.h"

#define STUB_PUSHES	16	/* bytes */

/** enum stub_place - where in a stub, which tells how to unwind from there */
enum stub_place {
	STUB_PLAIN,		/* nothing is pushed, or not yet */
	/* arm64 */
	STUB_PUSHED,		/* the return address was: it is 8 bytes above the stack pointer */
	STUB_MADE_ROOM,		/* the return address is still in the link register */
	/* x86-64 */
	STUB_ENTRY,		/* 16 bytes, and byte 11 is the first one behind a push */
	STUB_ENTRY_IBT,		/* and byte 9 is */
	STUB_FIRST,		/* in the first one, where it begins */
	STUB_FIRST_PUSHED,	/* and behind its push */
	STUB_PLACES,
};

/**
 * stubs_find() - finds those in a range of a file
 * @machine:	EM_X86_64 or EM_AARCH64
 * @offset:	of executable code, and @bytes of it
 * @rules:	number of the rule of each place
 * @out:	gets their rows
 *
 * Return: 0, also where the file is damaged; -ENOMEM.
 */
int stubs_find(Elf *elf, uint16_t machine, uint64_t offset, uint64_t bytes,
	       const uint32_t rules[STUB_PLACES], struct row_list *out);

#endif
