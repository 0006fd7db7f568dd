/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disassembly.h - disassemble machine code with Capstone
 *
 * The code is untrusted, so a sandbox decodes it, and the sandbox may crash.  The library is loaded only when
 * it is needed: machines that only record do not need its 6.5 MB.
 */
#ifndef KFLAME_ELF_DISASSEMBLY_H
#define KFLAME_ELF_DISASSEMBLY_H

#include <stddef.h>
#include <stdint.h>

#include "sandbox/sandbox.h"

#define DISASSEMBLY_TEXT	192	/* bytes of an instruction's text; a longer text is cut */

/** struct instruction - an instruction, or bytes that are none */
struct instruction {
	uint64_t address;
	uint32_t bytes;			/* at least 1 */
	char text[DISASSEMBLY_TEXT];	/* "mov %rsp, %rbp"; "(bad)" for bytes that are no instruction */
};

/**
 * disassemble() - decode a piece of code
 * @machine:	EM_X86_64, EM_386 or EM_AARCH64
 * @address:	address of the first byte
 * @out:	gets the instructions, in order and without gaps, to be freed
 * @why:	after an error: a phrase that says why, and what to do
 *
 * x86 code is written in AT&T syntax, as the GNU assembler does.
 *
 * Return: 0 or a negative errno, with @why.
 */
int disassemble(unsigned int machine, uint64_t address, const unsigned char *code, size_t len,
		struct instruction **out, size_t *nr, const char **why);

/** disassembly_work - for sandbox_main() */
extern const struct sandbox_work disassembly_work;

#endif
