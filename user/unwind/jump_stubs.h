/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jump_stubs.h - finds rules for jump stubs (the procedure linkage table) without unwind information
 *
 * On arm64, no linker writes unwind information for jump stubs. On x86-64, lld writes none. The rules
 * follow from the code of the stubs (psABI: "Procedure Linkage Table").
 *
 * An arm64 stub changes neither sp nor the link register. The first stub, which resolves functions, pushes
 * the link register and another word. The stubs of TLS descriptors push two other words.
 *
 * An x86-64 stub jumps, or pushes one word and jumps to the first stub, which pushes another word.
 */
#ifndef KFLAME_UNWIND_JUMP_STUBS_H
#define KFLAME_UNWIND_JUMP_STUBS_H

#include <gelf.h>
#include <stdint.h>

#include "unwind/row_list.h"

#define STUB_PUSHES	16	/* bytes */

/** enum stub_place - a position in a stub, which determines the rule */
enum stub_place {
	STUB_PLAIN,		/* nothing is pushed yet */
	/* arm64 */
	STUB_PUSHED,		/* the return address is pushed: it is 8 bytes above the stack pointer */
	STUB_MADE_ROOM,		/* two words are pushed; the return address is in the link register */
	/* x86-64 */
	STUB_ENTRY,		/* an entry of 16 bytes, whose push ends before byte 11 */
	STUB_ENTRY_IBT,		/* an entry of 16 bytes, whose push ends before byte 9 */
	STUB_FIRST,		/* the beginning of the first entry */
	STUB_FIRST_PUSHED,	/* the first entry, after its push */
	STUB_PLACES,
};

/**
 * stubs_find() - finds jump stubs in a range of a file
 * @machine:	EM_X86_64 or EM_AARCH64
 * @offset:	file offset of executable code
 * @bytes:	size of this code
 * @rules:	number of the rule for each position in a stub
 * @out:	receives their rows
 *
 * Return: 0, even if the file is damaged; -ENOMEM.
 */
int stubs_find(Elf *elf, uint16_t machine, uint64_t offset, uint64_t bytes,
	       const uint32_t rules[STUB_PLACES], struct row_list *out);

#endif
