// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frame_pointer_prologues.c - counts function prologues that set up a frame pointer
 */
#include <elf.h>
#include <string.h>

#include "unwind/frame_pointer_prologues.h"

/* Bytes of code for each prologue. V8's builtins have more than one in 1 KiB, OpenSSL's assembler none. */
#define BYTES_EACH	2048u

/* push %rbp; mov %rsp,%rbp: the mov has two encodings */
static size_t count_x86_64(const unsigned char *code, size_t bytes)
{
	size_t nr = 0;

	for (size_t at = 0; at + 4 <= bytes; at++)
		nr += !memcmp(code + at, "\x55\x48\x89\xe5", 4) ||
		      !memcmp(code + at, "\x55\x48\x8b\xec", 4);
	return nr;
}

/*
 * stp x29, x30, [sp, #-16]!; mov x29, sp. With this prologue, the frame record is at the upper end of the
 * frame, so it shows the caller's stack pointer. The frame records of gcc are mostly at the lower end.
 */
static size_t count_arm64(const unsigned char *code, size_t bytes)
{
	static const uint32_t prologue[] = { 0xa9bf7bfd, 0x910003fd };
	size_t nr = 0;

	for (size_t at = 0; at + sizeof(prologue) <= bytes; at += 4)
		nr += !memcmp(code + at, prologue, sizeof(prologue));
	return nr;
}

size_t prologues_count(const unsigned char *code, size_t bytes, uint16_t machine)
{
	return machine == EM_X86_64 ? count_x86_64(code, bytes) : count_arm64(code, bytes);
}

bool prologues_found(const unsigned char *code, size_t bytes, uint16_t machine)
{
	return prologues_count(code, bytes, machine) >= bytes / BYTES_EACH;
}
