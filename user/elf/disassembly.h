/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disassembly.h - machine code as people read it, by Capstone
 *
 * The code is anybody's, so another process decodes it, which may die.  The library is looked for
 * when it is needed: machines that only record do without its 6.5 MB.
 */
#ifndef KFLAME_ELF_DISASSEMBLY_H
#define KFLAME_ELF_DISASSEMBLY_H

#include <stddef.h>
#include <stdint.h>

#include "sandbox/sandbox.h"

#define DISASSEMBLY_TEXT	192	/* bytes of an instruction's text; longer ones are cut */

/** struct instruction - one of them, or bytes that are none */
struct instruction {
	uint64_t address;
	uint32_t bytes;			/* at least 1 */
	char text[DISASSEMBLY_TEXT];	/* "mov %rsp, %rbp"; "(bad)" for what is none */
};

/**
 * disassemble() - decodes a piece of code
 * @machine:	EM_X86_64, EM_386 or EM_AARCH64
 * @address:	of its first byte
 * @out:	gets the instructions, in order and without a gap, to be freed
 * @why:	where there are none, a sentence that says why and what to do
 *
 * x86 is written as the GNU assembler has it (AT&T).
 *
 * Return: 0; -ENOMEM; another negative errno with @why.
 */
int disassemble(unsigned int machine, uint64_t address, const unsigned char *code, size_t len,
		struct instruction **out, size_t *nr, const char **why);

/** disassembly_work - for sandbox_main() */
extern const struct sandbox_work disassembly_work;

#endif
